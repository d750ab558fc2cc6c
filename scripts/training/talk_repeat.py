"""The assistant's last words again: asked for in general, or for the price, the time, the day in them."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value
from open_words import open_snack, open_word
from order_items import with_article
from shapes import Kind
from spoken_numbers import WEEKDAYS, spoken_number
from talk_names import Asker, draw_name
from talk_numbers import plainly, told_before

_AGAIN: Final = (
    "[||||sorry|pardon|excuse me|uh|um|oh|wait|hang on|my apologies|apologies] ~ [say that again|say it again|can you repeat that|can you repeat it|could you repeat that|could you say that again|can you say that once more|what did you say|what was that|what did you just say|come again|pardon|repeat that|"
    "repeat it|once more|one more time|again please|i didn't [hear|catch|get] [that|you|what you said]|i missed that|sorry what|what|i wasn't listening|what was it you said|you said what|tell me again|run that by me again|say again|didn't catch that|can you go over that again|"
    "i couldn't hear you|it was too loud what did you say|i didn't understand what did you say|would you mind repeating that|please repeat what you said|you were saying|what did you tell me just now|sorry you said|one more time for me|could you repeat yourself|repeat the last thing you said|eh|what's that|[the line was bad|the line went dead|it crackled|there was a noise|a lorry went by|i was in a tunnel|my phone cut out] [what did you say|when is it|how much is it|what was that|say that again|could you repeat that|when was it|where was it|]|i didn't [get|catch|hear] that ~ the line [was|is] bad [when is it|how much was it|what did you say|]] [please|||||]"
)
#: What an answer may hold, and how that part of it is asked for.
_PARTS: Final = (
    (r"euro|pound|dollar|cent\b|pence|kronor|[€£$]", "[how much [was that|did you say|did you say it was|did you say it is|was it]|what did you say it costs|what was the price|what price did you say|how many euros was that|what did you say the price was]"),
    (r"o'clock|past|quarter|in the (morning|evening)|noon|midnight", "[what time did you say|what time was that|when did you say|at what time did you say|which time was it|when was that|what hour did you say|from when to when did you say]"),
    (r"day\b", "[which day did you say|what day was that|which day was it|what day did you say|on which day did you say]"),
    (r"floor|behind|next to|basement|street", "[where did you say|where was that|where did you say it is|which floor did you say]"),
    (r"password|network", "[what was the password|what did you say the password is|what was it called|which password did you say|what did you say the network is called]"),
)  # fmt: skip


def repeat_turn(talk: Conversation) -> None:
    """The last answer is said again, word for word."""
    rng, last = talk.rng, talk.last_answer()
    if last and last[-1] not in ".?!":
        return  # it was broken off; nobody should learn to stop there
    asks = [words for pattern, words in _PARTS if last and re.search(pattern, last)]
    said_in_tool = talk.messages and talk.messages[-1]["role"] != "assistant"
    if asks and rng.random() < 0.45 and not said_in_tool:
        plainly(
            talk,
            f"[|||sorry|uh|um|pardon|wait|oh|hang on] {rng.choice(asks)} [|||again|please]",
            Kind.QUESTION,
        )
    else:
        plainly(talk, _AGAIN, Kind.QUESTION)
    last = last and last.removeprefix("I said: ")
    talk.assistant(
        f"I said: {last}" if last else "I haven't said anything yet. How can I help you?"
    )


def tell_figures(talk: Conversation) -> list[Asker]:
    """Questions that another assistant answered in its own words: what it said is said again."""
    rng = talk.rng
    told = rng.sample((_price_told, _hours_told, _place_told, _who_told), rng.choice((1, 2, 2, 3)))
    askers: list[Asker] = []
    for draw in told:
        question, answer, again = draw(rng)
        plainly(talk, question, Kind.QUESTION)
        told_before(talk, answer)
        askers.append(partial(_again, talk, again, answer))
    return askers


def _again(talk: Conversation, words: str, said: str) -> None:
    plainly(
        talk,
        f"[|||sorry|uh|um|so|and|wait|okay|hang on|right] ~ [{words}] [|||again|please|then]",
        Kind.QUESTION,
    )
    talk.assistant(f"I said: {said}")


def _price_told(rng: random.Random) -> tuple[str, str, str]:
    thing = rng.choice((open_snack(rng), open_word(rng), "haircut", "ticket", "night", "room", "swim", "lesson", "wash", "cut and blow dry", f"{open_word(rng)} {open_word(rng)}"))  # fmt: skip
    a_thing = with_article(thing)
    euros, coin = spoken_number(rng.randint(2, 120)), rng.choice(("euros", "euros", "pounds", "dollars"))  # fmt: skip
    amount = f"{euros} {coin}{rng.choice(('', '', ' fifty', ' twenty', ' eighty'))}"
    said = rng.choice((f"{a_thing} is {amount}.", f"the {thing} costs {amount}.", f"that's {amount}.", f"{amount}.", f"{a_thing} would be {amount}.", f"it's {amount} for {a_thing}."))  # fmt: skip
    return (
        f"[what does {a_thing} cost|how much is {a_thing}|what's {a_thing}|price of {a_thing}|and how much is the {thing}|what do you charge for {a_thing}]",
        capitalise(said),
        f"how much did you say [it|that|the {thing}|{a_thing}] [was|is|costs|would be]|what did you say [it|the {thing}] costs|what was the price|what was the price of the {thing}|how much was [it|the {thing}|that]|which price did you say|what did the {thing} cost|you said how much for the {thing}|what's the price you told me",
    )


def _hours_told(rng: random.Random) -> tuple[str, str, str]:
    first, last = sorted(rng.sample(range(7), 2))
    days = f"{capitalise(WEEKDAYS[first])} to {capitalise(WEEKDAYS[last])}"
    opens, closes = spoken_number(rng.randint(6, 12)), spoken_number(rng.randint(1, 11))
    said = rng.choice((f"{days}, {opens} to {closes}.", f"We're open {days}, from {opens} to {closes}.", f"From {opens} to {closes}, {days}.", f"We open at {opens} and close at {closes}."))  # fmt: skip
    return (
        "[when are you open|and when are you open|what are your hours|opening hours|what time do you open|when can i come|which days are you open|when do you close]",
        said,
        "when did you say you're open|what were the hours|when are you open did you say|what time did you say you open|what did you say about the hours|which hours did you say|when was that you're open|until when did you say|which days did you say",
    )


def _place_told(rng: random.Random) -> tuple[str, str, str]:
    thing = rng.choice((open_word(rng), "toilet", "pool", "car park", "lift", "exit", "gym", "entrance"))  # fmt: skip
    place = rng.choice((f"on the {draw_value('monthday', rng, False).text} floor", f"behind the {open_word(rng)}", f"next to the {open_word(rng)}", f"in the {open_word(rng)}", f"opposite the {open_word(rng)}"))  # fmt: skip
    said = rng.choice((f"The {thing} is {place}.", f"It's {place}.", f"You'll find the {thing} {place}."))  # fmt: skip
    return (
        f"[where is the {thing}|where's the {thing}|where do i find the {thing}|is there {with_article(thing)}]",
        said,
        f"where did you say [it|the {thing}] is|where was [it|the {thing}]|where is the {thing} did you say|where did you say i find the {thing}",
    )


def _who_told(rng: random.Random) -> tuple[str, str, str]:
    role, name = rng.choice(("manager", "owner", "barber", "cook", "trainer", "doctor", open_word(rng))), draw_name(rng)  # fmt: skip
    said = rng.choice((f"The {role} is {name.written}.", f"That's {name.written}.", f"{name.written} is the {role} here."))  # fmt: skip
    return (
        f"[who is the {role}|who's the {role} here|what's the {role}'s name|what is the {role} called]",
        said,
        f"who did you say [that is|the {role} is|it was]|who was the {role}|what was the {role}'s name|which name did you say|what did you say the {role} is called",
    )
