"""The clock: the time, the date and the weekday in any words, both at once, and whether it is past an hour."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import datetime as dt
import random
from typing import Any, Final

from conversation import Conversation
from dialogue_values import capitalise
from domain import choose_branches
from person_turns import say
from shapes import Kind
from spoken_numbers import MONTHS, UNITS, WEEKDAYS, plain_time, spoken_number, spoken_ordinal
from tool_turns import clock_answer, draw_clock

_TIME: Final = (
    "what time is it [now|right now|please|by the way|actually|over there|in here|]|what's the time [now|love|mate|please|]|[have you|you] got the time [on you|please|]|do you have the time [please|]|could you tell me the time|"
    "would you kindly tell me the time|time please|time|the time|the time please|how late is it|what time do we have [now|]|what time do you make it|what hour is it|tell me the time|give me the time|say the time|"
    "what does the clock say|is it late|is it late already|have i missed lunch what time is it|am i late what's the time|what's the clock saying|got the time|how late is it getting|any idea what time it is|"
    "i need to know the time|what time would you say it is|can you check the clock|what are we at time wise|what time are we on|check the time|look at the clock for me|what is the exact time|what's the hour|do you know what time it is"
)
#: What people call whoever they ask.
_DEAR: Final = "[|||||love|mate|pet|hen|dear|darling|pal|my friend|sir|boss|my dear|bro|hun|duck|sweetheart|my daughter|madam|please|there|there love|at all|handy|by any chance|on you|lad|bud]"
_TIME_OTHER: Final = (
    "[have you|have ya|have ye|you|ya|d'you|do you|did you|do ye] [got|have|know] the time|[what's|what is|whats|what] [the|] time [is it|it is|now|exactly|at the minute|would it be|do ye have|have you got|do you make it|are we at]|what [time|hour] [is|was] it [now|there|again|exactly|at the moment]|"
    "what time [it is|is now|do we have|have we|are we at|would you say it is|is it getting to be]|how late [is it|it is|are we]|[gimme|give us|tell us|let me have|read me|quick] the time|[can|could|would] [you|ya|ye] [tell|give] [me|us] the [time|right time|exact time]|"
    "[any idea|any chance you know|do you happen to know|would you know|can you see|can i ask you|may i know|i'd like to know|i want to know|kindly tell me] [what time it is|what the time is|the time|how late it is]|the time [right now|now|is what|what is it]|is it [morning|evening|night|afternoon] [already|yet|or what]|which time is it|what's the clock [saying|say|on]"
)
_TIME_WHY: Final = "[|||||my watch is in the other room|i lose track|i keep forgetting|my watch stopped|my phone's dead|i can't see the clock|i haven't got my glasses|i have a train to catch|i mustn't be late|i've got a call soon|the clock's broken]"
_DAY: Final = (
    "what day is it [today|]|which day is it [today|]|what day of the week is it|what weekday is it|what day are we on|what day is it even|what's today|which day have we got [today|]|is it [{w}|{w} or {w2}|already {w}|{w} today|{w} yet]|"
    "is it the weekend [yet|]|is today [{w}|a {w}]|tell me the day|do you know what day it is|remind me what day it is|i don't know what day it is|is it a weekday|today is what day|what day do we have|so it's {w} is it"
)
_DATE: Final = (
    "what's the date [today|]|what's today's date|what date is it [today|]|which date is it|the date please|today's date please|tell me the date|what's the date i've got to fill in a form|what date do i write|"
    "which day of the month is it|what's the day of the month|is it the {n} [today|]|what date have we got|the date today|do you know the date|give me the date|i need the date [for a form|for a letter|for a cheque|]|what is the date of today|remind me of the date"
)
_BOTH: Final = (
    "time and date|the time and the date|date and time|what's the time and the date|tell me the time and the date|what's the date and what time is it|what time is it and what's the date [today|]|give me date and time|"
    "the date and the time|what day and time is it|what time and what day is it|both time and date|i need the time and the date|what is today's date and the time|day and time|what's the time [anyway|] and is it {w} or {w2}|what time is it and is it {w} [or {w2}|] i've lost track|the time and the weekday|what day is it and what's the time|"
    "is it {w} and what time is it|what's the time and what day are we|the date and the day and the time|i lost track what's the time and the day"
)
_OPEN: Final = "[||||||so|and|um|uh|hey|oh|sorry|excuse me|okay|right|hi|hello|by the way|good|well|and now|ah|quick one]"


def clock_turn(talk: Conversation) -> None:
    """One question to the clock."""
    rng = talk.rng
    kinds = (_time, _day, _date, _both, _past, _until, _other_day, _year)
    kind = rng.choices(kinds, (40, 10, 10, 14, 12, 12, 7, 8))[0]
    kind(talk)


def _result(rng: random.Random, hour: int, minute: int) -> dict[str, Any]:
    day = dt.date(2024, 1, 1) + dt.timedelta(days=rng.randrange(3300))
    weekday = capitalise(WEEKDAYS[day.weekday()])
    result: dict[str, Any] = {
        "time": f"{hour:02d}:{minute:02d}",
        "date": day.isoformat(),
        "weekday": weekday,
    }
    return result if rng.random() < 0.9 else result | {"timezone": "UTC"}


def _drawn(talk: Conversation) -> dict[str, Any]:
    """What the clock will say."""
    return _result(talk.rng, *draw_clock(talk.rng))


def _called(talk: Conversation) -> dict[str, Any]:
    result = _drawn(talk)
    talk.call("get_time", {}, result)
    return result


def _time(talk: Conversation) -> None:
    asked = f"[{_TIME_OTHER}] {_DEAR}" if talk.rng.random() < 0.5 else f"[{_TIME}]"
    say(talk, f"{_OPEN} {asked} {_TIME_WHY}", Kind.QUESTION)
    talk.assistant(clock_answer("time", _called(talk)))


def _day(talk: Conversation) -> None:
    one, two = talk.rng.sample(WEEKDAYS, 2)
    words = choose_branches(
        f"{_OPEN} [{_DAY}] [||||i lose track|i really couldn't say|i've no idea]", talk.rng
    )
    say(talk, words.replace("{w}", one).replace("{w2}", two), Kind.QUESTION)
    talk.assistant(clock_answer("weekday", _called(talk)))


def _date(talk: Conversation) -> None:
    words = choose_branches(f"{_OPEN} [{_DATE}]", talk.rng)
    number = talk.rng.choice(
        "first second third fourth fifth tenth twelfth fifteenth twentieth thirtieth".split()
    )
    say(talk, words.replace("{n}", number), Kind.QUESTION)
    talk.assistant(clock_answer("date", _called(talk)))


def _both(talk: Conversation) -> None:
    one, two = talk.rng.sample(WEEKDAYS, 2)
    words = choose_branches(f"{_OPEN} [{_BOTH}] [please|||now|today]", talk.rng)
    say(talk, words.replace("{w}", one).replace("{w2}", two), Kind.QUESTION)
    result = _called(talk)
    talk.assistant(f"{clock_answer('time', result)} {clock_answer('date', result)}")


def _past(talk: Conversation) -> None:
    """``is it past six yet``: yes or no, and the time."""
    rng, hour = talk.rng, talk.rng.randint(7, 22)
    named = UNITS[(hour - 1) % 12 + 1]
    say(
        talk,
        f"{_OPEN} [is it [already|] [past|after|gone] {named} [yet|already|now|o'clock|]|has it gone {named} [yet|]|is it {named} [yet|already]|are we past {named} [already|yet|]|is it later than {named}|was that {named} already|did i miss {named} o'clock]",
        Kind.QUESTION,
    )
    off = rng.choice((-2, -1, -1, 0, 0, 0, 1, 2))
    minute = rng.choice((5 * rng.randint(1, 11), rng.randint(1, 59)))
    result = _result(rng, hour + off if 0 <= hour + off < 24 else hour, minute)
    talk.call("get_time", {}, result)
    yes = int(result["time"][:2]) >= hour
    talk.assistant(f"{'Yes' if yes else 'No'}, it's {plain_time(int(result['time'][:2]), minute)}.")


def _until(talk: Conversation) -> None:
    """``how long is it till eight``: the minutes where it is the next hour, and always the time."""
    rng, hour = talk.rng, talk.rng.randint(7, 23)
    named = UNITS[(hour - 1) % 12 + 1]
    part = "in the morning" if hour < 12 else "this afternoon" if hour < 18 else "this evening"
    say(
        talk,
        f"{_OPEN} [how long [is it|have i got|do we have|is there|] [till|until|to|before] {named} [{part}|o'clock|]|how many minutes [is it|] [till|until|to] {named}|how much time [is there|have i got|is it] [till|until|before] {named} [{part}|]|how far off is {named} o'clock|when is it {named}]",
        Kind.QUESTION,
    )
    minute, soon = 5 * rng.randint(1, 11), rng.random() < 0.6
    if rng.random() < 0.5:
        minute = rng.choice((15, 30, 45))
    result = _result(rng, hour - 1 if soon else max(0, hour - rng.randint(2, 6)), minute)
    talk.call("get_time", {}, result)
    left = f"In {spoken_number(60 - minute)} minutes. " if soon else ""
    talk.assistant(f"{left}{clock_answer('time', result)}")


def _other_day(talk: Conversation) -> None:
    """The day before or after today."""
    rng, step = talk.rng, talk.rng.choice((1, 1, 1, -1))
    result = _drawn(talk)
    day = dt.date.fromisoformat(result["date"]) + dt.timedelta(days=step)
    name, other = "tomorrow" if step > 0 else "yesterday", rng.choice(WEEKDAYS)
    be, verb = ("will be", "is") if step > 0 else ("was", "was")
    dated = rng.random() < 0.4
    words = (
        f"what's the date {name}|what date {verb} it {name}|what's {name}'s date|the date {name}|which date {be} {name}"
        if dated
        else f"what day {verb} it {name}|what day {verb} {name}|{verb} {name} [a|] {other}|which day of the week {verb} {name}|{name} is what day|so {name} {verb} {other}"
    )
    say(talk, f"{_OPEN} [{words}] [please|||then]", Kind.QUESTION)
    talk.call("get_time", {}, result)
    told = (
        f", the {spoken_ordinal(day.day)} of {capitalise(MONTHS[day.month - 1])}" if dated else ""
    )
    talk.assistant(f"{capitalise(name)} {verb} {capitalise(WEEKDAYS[day.weekday()])}{told}.")


def _year(talk: Conversation) -> None:
    """The year or the month alone, out of the date."""
    month = talk.rng.random() < 0.35
    noun = "month" if month else "year"
    say(
        talk,
        f"{_OPEN} [what {noun} is it [now|again|please|]|which {noun} is it|what {noun} have we got|what {noun} are we in [now|again|]|tell me the {noun}|the {noun} please|what's the {noun}|what's the current {noun}|what {noun} is this|which {noun} are we [in|on|]|"
        f"do you know what {noun} it is|i forgot what {noun} it is|remind me what {noun} it is|what {noun} do we write|in what {noun} are we living|is it still the same {noun} what is it|i need the {noun} [for a form|]|what {noun} do i put on the [form|letter]] {_DEAR}",
        Kind.QUESTION,
    )
    if month:
        result = _called(talk)
        talk.assistant(f"It's {capitalise(MONTHS[int(result['date'][5:7]) - 1])}.")
        return
    result = _called(talk)
    talk.assistant(f"It's twenty {spoken_number(int(result['date'][2:4]))}.")
