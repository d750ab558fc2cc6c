"""What a desk's prompt says limits a booking: the size of a group, the days of a service, an age."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from desk_facts import Desk, fact_part
from desk_hours import DAYS
from desk_kinds import STAYS
from desk_rules import ages
from desk_told import Fact
from dialogue_values import capitalise
from instructed_values import Told
from order_items import joined
from spoken_numbers import spoken_number

#: Ages in words, to compare what a caller says with what the prompt says.
_AGES: Final[Mapping[str, int]] = {spoken_number(age): age for age in range(2, 22)}


@dataclass
class Limits:
    """What can't be booked at a desk beside what its hours, rooms and people say."""

    most: int = 0  # people in one booking; no limit where it is 0
    youngest: int = 0
    days: Mapping[str, Sequence[int]] = field(default_factory=dict)  # of a service
    parts: Mapping[str, str] = field(default_factory=dict)  # of the day: ``mornings``

    def refusal(self, known: Mapping[str, Told]) -> tuple[str, str] | None:
        """Which value can't be, and the reason in the prompt's words."""
        count, age, service = known.get("count"), known.get("age"), known.get("service")
        if count and self.most and count.data > self.most:
            return "count", f"I'm sorry, a booking is for up to {spoken_number(self.most)} people."
        if age and _AGES.get(age.say, 99) < self.youngest:
            return "age", f"I'm sorry, the minimum age is {spoken_number(self.youngest)}."
        day, time = known.get("day"), known.get("time")
        if service and time:
            for one in service.say.split(" and "):
                if one in self.parts and not _in_part(time, self.parts[one]):
                    return "time", f"I'm sorry, {one} is only in the {self.parts[one]}."
        if service and day and day.data >= 0:
            for one in service.say.split(" and "):
                if one in self.days and day.data not in self.days[one]:
                    return "day", f"I'm sorry, {one} is only on {_many(self.days[one])}."
        return None

    def suits(self, known: Mapping[str, Told], minute: int) -> bool:
        """Whether a minute of the day is in the part of the day of what is to be done."""
        service = known.get("service")
        named = service.say.split(" and ") if service else ()
        parts = [self.parts[one] for one in named if one in self.parts]
        return all(_in_part(Told("", "", minute + 1440), part) for part in parts)

    def fitting(self, known: Mapping[str, Told]) -> Sequence[int]:
        """The days of what is to be done; none where any day will do."""
        service = known.get("service")
        named = service.say.split(" and ") if service else ()
        return next((self.days[one] for one in named if one in self.days), ())


def _in_part(time: Told, part: str) -> bool:
    """Whether a time is in the mornings or afternoons; eight to eleven is the morning, if nothing else is said."""
    if time.data < 0:
        return True
    hour = time.data % 1440 // 60
    if time.data < 1440:
        hour = hour % 12 if hour % 12 > 6 else hour % 12 + 12
        hour = 12 if hour in (0, 24) else hour
    early = hour < 12
    return early if part == "mornings" else not early and (part == "afternoons") == (hour < 18)


def draw_limits(desk: Desk, rng: random.Random) -> Limits:
    """Limits of a desk that books, written into its prompt; their questions join its facts."""
    limits = Limits()
    if not desk.noun:
        return limits
    known = {fact.name for fact in desk.facts}
    if "count" in desk.needs and not desk.sizes and rng.random() < 0.4:  # fmt: skip
        limits.most = rng.choice((4, 5, 6, 6, 8, 8, 8, 10))
        _tell(desk, _most(limits.most, rng), rng)
    if "age" in desk.needs:
        fact = next((one for one in desk.facts if one.name == "age"), None)
        if fact is None and rng.random() < 0.7:
            fact = ages(rng)
            _tell(desk, fact, rng)
        if fact:
            limits.youngest = _AGES.get(fact.asks[0][1].removesuffix(".").split()[-1], 0)
    open_days = [day for day in range(7) if day not in desk.hours.closed()]
    limited = "service" in desk.needs and not desk.people and desk.kind not in STAYS
    if limited and len(open_days) > 2 and rng.random() < 0.4:
        single = [one for one in desk.options if one[:2] in ("a ", "an") and " and " not in one]
        days = {
            one: sorted(rng.sample(open_days, rng.choice((1, 2, 2))))
            for one in single
            if one in desk.system or capitalise(one) in desk.system
        }
        limits.days = dict(list(days.items())[: rng.choice((1, 1, 2, 3))])
        for one, on in limits.days.items():
            if f"days of {one}" not in known:
                _tell(desk, _set_days(one, on, rng), rng)
    elif "service" in desk.needs and "time" in desk.needs and rng.random() < 0.4:
        single = [one for one in desk.options if one[:2] in ("a ", "an") and " and " not in one]
        for one in single[: rng.choice((1, 1, 2))]:
            part = rng.choice(("mornings", "mornings", "afternoons"))
            if _inside_some(desk, part):
                limits.parts = {**limits.parts, one: part}
                _tell(desk, _set_part(one, part, rng), rng)
    return limits


def _inside_some(desk: Desk, part: str) -> bool:
    """Whether every open day has hours in that part of the day."""
    minutes = range(540, 720, 30) if part == "mornings" else range(780, 960, 30)
    days = [day for day in range(7) if day not in desk.hours.closed()]
    return all(any(desk.hours.inside(day, minute) for minute in minutes) for day in days)


def _set_part(one: str, part: str, rng: random.Random) -> Fact:
    """``A newborn shoot only in the mornings.``"""
    bare = re.sub(r"^an? ", "", one)
    told = rng.choice((f"{capitalise(one)} is only in the {part}.", f"{capitalise(one)} only in the {part}.", f"{capitalise(bare)}: only in the {part}.", f"For {one} come in the {part}.", f"We do {one} in the {part} only.", f"{capitalise(one)} can be booked in the {part} only."))  # fmt: skip
    asks = f"[when [do you do|can i have|is there|can i come for] {one}|at what time of day is {one}|is {one} possible at any time|what times do you do {one}|can i have {one} in the evening|when in the day is the {bare}]"
    return Fact(f"time of {one}", told, [(asks, f"{capitalise(one)} is only in the {part}.")])


def _many(days: Sequence[int]) -> str:
    """``Tuesdays and Saturdays``."""
    return joined([f"{DAYS[day]}s" for day in days])


def _most(most: int, rng: random.Random) -> Fact:
    people = spoken_number(most)
    told = rng.choice((
        f"A booking is for up to {people} people.", f"Up to {people} people.", f"{people.capitalize()} people at most.", f"Max {people} people.", f"No more than {people} people.", f"Groups of at most {people}.", f"At most {people} people to a booking.", f"Bookings are for {people} people at most.", f"No groups of more than {people}.", f"We take groups up to {people}.", f"The biggest group is {people}.", f"We take at most {people}.", f"For up to {people}.",
    ))  # fmt: skip
    asks = "[how many people can come [at most|]|what's the biggest group [you take|]|how big a group do you take|is there a limit on people|what's the largest table|how many can we be|do you take big groups]"
    return Fact("groups", told, [(asks, f"A booking is for up to {people} people.")])


def _set_days(one: str, days: Sequence[int], rng: random.Random) -> Fact:
    bare = re.sub(r"^an? ", "", one)
    on = joined([DAYS[day] for day in days]) if rng.random() < 0.4 else _many(days)
    told = rng.choice((f"{capitalise(one)} is only on {on}.", f"{capitalise(one)} can be had on {on} only.", f"{capitalise(one)}: {on} only.", f"{capitalise(one)} only on {on}.", f"For {one} come on {on}."))  # fmt: skip
    asks = f"[[which|what] days [do you do|can i have|is there] {one}|when [can i have|do you do|is there] {one}|on which days is the {bare}|the {bare} which days is that|what days is the {bare} on]"
    return Fact(f"days of {one}", told, [(asks, f"{capitalise(one)} is only on {_many(days)}.")])


def _tell(desk: Desk, fact: Fact, rng: random.Random) -> None:
    """The fact joins the prompt, somewhere behind its first sentence, and what may be asked."""
    desk.sheet.parts.insert(rng.randint(0, len(desk.sheet.parts)), fact_part(fact))
    desk.facts = [*desk.facts, fact]
