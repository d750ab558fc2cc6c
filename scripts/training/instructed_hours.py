"""Questions to a desk about when it is open, and the times of day that callers name."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial
from typing import Final

from desk_facts import Desk
from desk_hours import DAYS
from desk_topics import UNTOLD
from dialogue_values import capitalise
from domain import choose_branches
from instructed_say import Asked
from order_items import joined
from spoken_numbers import MONTHS, spoken_ordinal, spoken_time


def hours_of_day(desk: Desk, rng: random.Random) -> Asked:
    """Whether, from when and until when it is open on a day."""
    hours = desk.hours
    shut = hours.closed()
    day = rng.choice(shut) if shut and rng.random() < 0.45 else rng.randrange(7)
    name = DAYS[day]
    on = rng.choice(
        (
            f"on {name}s",
            f"on {name}",
            f"{name}s",
            f"on a {name}",
            name,
            f"this {name}",
            f"next {name}",
        )
    )
    again = partial(_again, desk, rng)
    pick = rng.random()
    if pick < 0.4:
        texts = f"[are you open {on}|are you open {on}|do you open {on}|is {name} okay or are you closed|can [i|we] come {on}|are you there {on}|is [anybody|somebody|anyone] there {on}|you open {on}|are you closed {on}|is it open {on}|could [i|we] come by {on}|do you work {on}|can [i|we] come for [lunch|a visit|a look] {on}|are [ye|youse|you lot|you guys|you folks] open {on} [at all|]|is the place open {on}|would you be open {on}|will you be open {on}|[{on} are you open|{on} you open]|i [can only come|only have time|was thinking of coming] {on} [are you open|is that okay]|is {name} a day you're open|are you [shut|closed] {on}|would {name} be okay|[could|can] [i|we] pop in {on}|d'you open {on}|you're open {on} right|do you do {name}s|i'm free {on} are you open then|is there somebody in {on}|are you open {on} [too|as well]|does it open {on}|i'd come {on} is that possible]"
        answer = hours.answer(day)
        chosen = choose_branches(texts, rng)
        if ("closed" in chosen or "shut" in chosen) and "okay or" not in chosen:
            answer = f"{capitalise(hours.about(day))}."
        return Asked(chosen, answer, again)
    if pick < 0.6:
        texts = f"[what are your [opening hours|hours|opening times] {on}|when are you open {on}|what hours do you have {on}|from when [till|until|to] when are you open {on}|hours {on}|how long are you open {on}|when can [i|we] come {on}]"
        return Asked(texts, f"{capitalise(hours.about(day))}.", again)
    if pick < 0.8:
        texts = f"[when do you open {on}|what time do you open {on}|from when are you [open|there] {on}|how early can [i|we] [come|swim|visit|drop in|get in|eat|start] {on} [before work|]|what's the earliest [i|we] can come {on}|when do you start {on}|from what time can [i|we] come {on}]"
        return Asked(texts, hours.opening(day), partial(_again_of, hours.opening, day, rng))
    arriving = "|how late can [i|we] [come|come to eat|swim|visit|drop in|get in|eat|be there] {on} [after work|]|till when can [i|we] come {on}|what's the latest [i|we] can come {on}"
    if any(fact.name == "last entry" for fact in desk.facts):
        arriving = ""
    texts = "[when do you close {on}|what time do you [close|shut] {on}|when do you shut {on}|until when are you [open|there] {on}|how late are you open {on}|how late do you stay open {on}|till when can [i|we] stay {on}|until what time can [i|we] stay {on}|when do you shut up shop {on}|{on} until when|when's closing time {on}|how long are you there {on}|what time's closing {on}{arriving}]"
    texts = texts.replace("{arriving}", arriving).replace("{on}", on)
    return Asked(texts, hours.closing(day), partial(_again_of, hours.closing, day, rng))


def _again_of(answer: Callable[[int], str], day: int, rng: random.Random) -> Asked:
    """The same of another day."""
    other = rng.choice([other for other in range(7) if other != day])
    return Asked(_and(other, rng), answer(other))


def _and(day: int, rng: random.Random) -> str:
    name = DAYS[day]
    return rng.choice(
        (
            f"and on {name}s",
            f"and {name}s",
            f"and on {name}",
            f"what about {name}",
            f"and {name}",
            f"how about {name}s",
            f"okay and on a {name} then",
        )
    )


def _again(desk: Desk, rng: random.Random) -> Asked:
    day = rng.choice(desk.hours.closed() or [5]) if rng.random() < 0.3 else rng.randrange(7)
    return Asked(_and(day, rng), f"{capitalise(desk.hours.about(day))}.")


def hours_general(desk: Desk, rng: random.Random) -> Asked:
    """The hours as they are, without a day; open and closed days."""
    hours, pick = desk.hours, rng.random()
    if pick < 0.5:
        desk_open = (
            "until when is reception open|until what time can [i|we] [get|fetch|collect] the key|how late is [somebody|anyone] at reception|when is reception open|"
            if desk.kind == "hotel"
            else ""
        )
        text = f"[{desk_open}what are your [opening hours|hours|opening times]|when are you open|when do you open|when do you close|what time do you open|what time do you close|are you open [now|today|tomorrow|tonight|at the moment]|until when are you open [today|]|how late are you open [tonight|today|]|when can [i|we] come [in|by|]|opening times|from when till when are you open|what are the hours|when is [somebody|anyone] there]"
        return Asked(text, f"{capitalise(hours.general())}.", partial(_again, desk, rng))
    if pick < 0.56 and not any(fact.name == "season" for fact in desk.facts):
        month, ordinal = rng.choice(MONTHS), spoken_ordinal(rng.randint(1, 31))
        text = f"[are you open on the {ordinal} of {month}|can [i|we] come on {month} the {ordinal}|when are you open on the {ordinal} of {month}]"
        return Asked(text, f"{capitalise(hours.general())}.")
    if pick < 0.6:
        text = "[are you open [at christmas|at easter|on bank holidays|on public holidays|over the holidays|on new year's eve|on christmas eve]|what about [bank holidays|christmas|the holidays]|do you close [for the summer|over christmas|in august]]"
        told = [fact for fact in desk.facts if fact.name == "holidays"]
        return Asked(*told[0].asks[0]) if told else Asked(text, UNTOLD)
    if pick < 0.7:
        return Asked(
            "[which days are you [open|there]|what days are you open|on which days can [i|we] come|which days of the week are you open|on what days are you there|are you open every day|are you open all week]",
            _every(hours.open_days(), hours.closed() == []),
        )
    if pick < 0.86:
        return Asked(
            "[which days are you closed|when are you closed|what day are you closed|is there a day when you're closed|do you have a closing day|on which days are you not [open|there]|which day is your rest day|are there days you're closed]",
            hours.closed_days(),
        )
    return Asked(
        "[are you open [at|on|over] [the|] weekends|are you open at the weekend|what about the weekend|do you open at the weekend|can [i|we] come at the weekend|weekends too]",
        hours.weekend(),
    )


def _every(answer: str, every: bool) -> str:
    return "We're open every day." if every else answer


def hours_break(desk: Desk, rng: random.Random) -> Asked:
    """Whether it is closed in the middle of the day."""
    text = "[do you close for lunch|are you closed at midday|are you open all day|is there a break at lunch|do you have a break|when do you close for the [afternoon|break]|are you open in the middle of the day|are you open all through the day]"
    return Asked(text, f"{capitalise(desk.hours.general())}.")


def said_time(minute: int, rng: random.Random, full: bool = False) -> str:
    """A clock time as a caller says it; ``full`` says the part of the day with it."""
    hour = minute // 60 % 24
    if full:
        part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
        bare = spoken_time(hour, minute % 60, random.Random(0)).split(" in the")[0]
        bare = re.sub(r" [ap] m$| o'clock$", "", bare)
        return bare if bare in ("noon", "midnight") else f"{bare} in the {part}"
    words = spoken_time(hour, minute % 60, rng)
    if minute % 60 == 30 and words.startswith("half past") and rng.random() < 0.15:
        return words.replace("half past", "half")
    return words.removesuffix(" o'clock") if rng.random() < 0.6 else words


def clock_minutes(desk: Desk, day: int, rng: random.Random, inside: bool) -> tuple[int, bool]:
    """A time inside or outside the hours of a day, and whether its part of the day must be said."""
    minutes = [60 * hour + rest for hour in range(6, 24) for rest in (0, 0, 0, 30, 30, 15, 45)]
    fitting = [m for m in minutes if desk.hours.inside(day, m) is inside]
    if not fitting:
        fitting, inside = minutes, not inside
    minute = rng.choice(fitting)
    twin = minute - 720 if minute >= 720 else minute + 720
    return minute, not inside and desk.hours.inside(day, twin)


def at_time(desk: Desk, rng: random.Random) -> Asked:
    """Whether one can come at a time."""
    hours, shut = desk.hours, desk.hours.closed()
    day = (
        rng.choice(shut)
        if shut and rng.random() < 0.12
        else rng.choice([d for d in range(7) if d not in shut])
    )
    minute, full = clock_minutes(desk, day, rng, rng.random() < 0.5)
    time = said_time(minute, rng, full or rng.random() < 0.3)
    name = DAYS[day]
    within = hours.inside(day, minute)
    texts = f"[can [i|we] come at {time} [on {name}|on a {name}|{name}|this {name}]|can [i|we] come [on {name}|{name}|on a {name}] at {time}|are you [open|there] [on {name}|{name}s] at {time}|is {time} [on|] {name} okay|would [on|] {name} at {time} work|is anybody there [on {name}|{name}] at {time}|if [i|we] come [on|] {name} at {time} are you open|are you still open [on|] {name} at {time}|if [i|we] pop in [on|] {name} at {time} will there be [anyone|somebody]|could [i|we] [still|] drop in [on|] {name} at {time}|will [somebody|anyone] be there [on|] {name} at {time}|i can only make {time} [on|] {name} is that okay|how about {time} [on|] {name}|is {name} {time} possible|does {time} [on|] {name} work|[on|] {name} around {time} are you open|i'd be there [on|] {name} at {time} is that fine]"
    if len(hours.groups) == 1 and rng.random() < 0.3:
        within = hours.inside(hours.groups[0].days[0], minute)
        text = f"[are you [there|open] at {time}|can [i|we] come at {time}|is {time} okay|is somebody there at {time}|are you still open at {time}|if [i|we] pop in at {time} will there be [anyone|somebody]|could [i|we] come at {time} then|will anyone be there at {time}|does {time} work|around {time} are you open|i finish work at {time} are you still open then|is {time} possible]"
        return Asked(text, f"{'Yes' if within else 'No'}, {hours.general()}.")
    return Asked(texts, f"{'Yes' if within else 'No'}, {hours.about(day)}.")


def longest_day(desk: Desk, rng: random.Random) -> Asked | None:
    """On which days it is open the latest, or opens first: where that isn't all of them."""
    groups = desk.hours.groups
    late = rng.random() < 0.7
    ends = [group.spans[-1].closes if late else -group.spans[0].opens for group in groups]
    if len(groups) < 2 or ends.count(max(ends)) > 1:
        return None
    group = groups[ends.index(max(ends))]
    days = joined([DAYS[day] for day in group.days])
    if late:
        text = "[[which|what] day[s|] are you open [the|] [latest|longest]|when are you open [the latest|the longest]|on which day can i come latest|i work late [which day|when] are you open longest|is there a day when you're open longer|which evening are you open longest|what's your latest day|which day do you close [the|] latest|which day do you stay open longest]"
        return Asked(text, f"On {days} we close at {group.spans[-1].close_said}.")
    text = "[which day do you open [the|] earliest|on which day can i come earliest|when do you open first in the week|i can only come early which day is best|which morning do you open earliest|what's the earliest day]"
    return Asked(text, f"On {days} we open at {group.spans[0].open_said}.")


_DAY_PARTS: Final = {"morning": (570, 600, 630), "afternoon": (870, 900, 930, 960), "evening": (1140, 1155, 1170)}  # fmt: skip


def part_of_day(desk: Desk, rng: random.Random) -> Asked | None:
    """Whether somebody is there on a morning, an afternoon, an evening: all of it or none."""
    day = rng.randrange(7)
    part = rng.choice(("morning", "afternoon", "afternoon", "evening"))
    inside = [desk.hours.inside(day, minute) for minute in _DAY_PARTS[part]]
    if len(set(inside)) > 1:
        return None
    name = DAYS[day]
    text = f"[are you [open|there] [on|] {name} {part}|is [somebody|anybody|anyone] [in|there] [on|] {name} {part}[s|]|can [i|we] come [on|] {name} {part}|do you work [on|] {name} {part}s|{name} {part} are you open|is {name} {part} [okay|possible]|would {name} {part} work|i can only come [on|] {name} {part}[s|] is that okay|how about {name} {part}]"
    return Asked(text, desk.hours.answer(day))
