"""Who works at a desk's house and on which days: doctors, stylists, teachers; and set times of tours."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from desk_hours import DAYS
from desk_names import name_parts
from desk_topics import Topic
from order_items import joined
from spoken_numbers import plain_time


@dataclass(frozen=True)
class Person:
    """Somebody, the days they are in, and those days in words (``Monday to Wednesday``)."""

    name: str
    days: tuple[int, ...]
    words: str

    def answer(self) -> str:
        """To "when is she in?"."""
        return f"{self.name} is in {self.words}."

    def on(self, day: int) -> str:
        """To "is she in on Friday?"."""
        if day in self.days:
            return f"Yes, {self.name} is in on {DAYS[day]}s."
        return f"No, {self.name} isn't in on {DAYS[day]}s."

    def away(self, day: int) -> str:
        """That they can't be booked on this day."""
        return f"I'm sorry, {self.name} isn't in on {DAYS[day]}s."


_BUT: Final = "every day but "


def _called(kind: str, rng: random.Random) -> str:
    name, last = name_parts(rng)
    if kind == "practice":
        return f"Doctor {last}"
    if kind == "lessons" and rng.random() < 0.5:
        return f"{rng.choice(('Mr', 'Mrs', 'Ms'))} {last}"
    return name.split()[-1] if name.startswith(("Mr", "Ms", "Miss", "Doctor")) else name.split()[0]


def _words(days: Sequence[int]) -> str:
    """``Monday to Wednesday``, ``Monday and Thursday``."""
    run = list(days) == list(range(days[0], days[-1] + 1))
    if run and len(days) > 2:
        return f"{DAYS[days[0]]} to {DAYS[days[-1]]}"
    return joined([DAYS[day] for day in days])


def _in_words(days: Sequence[int], open_days: Sequence[int], rng: random.Random) -> str:
    """``every day``, ``every day but Friday``, or the days."""
    off = [day for day in open_days if day not in days]
    if not off and rng.random() < 0.6:
        return "every day"
    if len(off) == 1 and len(days) > 2 and rng.random() < 0.6:
        return f"{_BUT}{DAYS[off[0]]}"
    return _words(days)


def draw_people(kind: str, open_days: Sequence[int], rng: random.Random) -> list[Person]:
    """Two or three people; on every open day somebody is in."""
    if len(open_days) < 2:
        return []
    names: list[str] = []
    while len(names) < rng.choice((2, 2, 3)):
        if (name := _called(kind, rng)) not in names:
            names.append(name)
    cut = rng.randint(1, len(open_days) - 1)
    parts = [list(open_days[:cut]), list(open_days[cut:])]
    if rng.random() < 0.4:
        parts = [list(open_days), [d for d in open_days if d != rng.choice(open_days)]]
    elif rng.random() < 0.4:
        parts = [list(open_days[::2]), list(open_days[1::2])]
    parts.append(sorted(rng.sample(list(open_days), rng.randint(1, len(open_days)))))
    rng.shuffle(parts)
    if len(names) == 2:
        covering = [p for p in parts if p]
        parts = covering[:2]
        missing = [d for d in open_days if d not in {*parts[0], *parts[1]}]
        parts[1] = sorted({*parts[1], *missing})
    people = []
    for name, days in zip(names, parts, strict=False):
        if days:
            people.append(Person(name, tuple(days), _in_words(days, open_days, rng)))
    return people


def people_text(people: Sequence[Person], rng: random.Random) -> str:
    """The sentence of the prompt that tells who is in when."""
    verb = rng.choice(("works", "works", "is in", "is there", "sees people", "takes appointments"))
    again = rng.choice((verb, verb, ""))
    told = []
    for at, person in enumerate(people):
        if person.words.startswith(_BUT) and rng.random() < 0.7:
            off = person.words.removeprefix(_BUT)
            told.append(f"{person.name} {rng.choice(('does not work', 'is off', 'is not in', 'does not work on'))} {off}s")  # fmt: skip
            again = verb  # "works" could not be left out behind it
            continue
        told.append(" ".join(f"{person.name} {verb if at == 0 else again} {person.words}".split()))
    return f"{', '.join(told)}."


def person_topics(people: Sequence[Person], told: str) -> list[Topic]:
    """The prompt's sentence on the first of them; what is asked of each, and its answer."""
    asks = "[when is {n} in|which days is {n} in|what days does {n} work|when does {n} work|on which days can i see {n}|when could i get {n}|which days has {n} got|when can i see {n}]"
    return [
        Topic(
            f"in {at}", told if at == 0 else "", asks.replace("{n}", person.name), person.answer()
        )
        for at, person in enumerate(people)
    ]


def draw_times(rng: random.Random) -> tuple[int, ...]:
    """The set times of a tour, in minutes of the day."""
    pool = [60 * hour + rest for hour in range(9, 18) for rest in (0, 0, 30, 15)]
    morning = rng.choice([m for m in pool if m < 720])
    afternoon = rng.choice([m for m in pool if m >= 780])
    if rng.random() < 0.3:
        return (morning, 720 + 60, afternoon) if afternoon > 840 else (morning, afternoon)
    return (morning, afternoon)


def time_words(minute: int) -> str:
    """``half past two``; a full hour without "o'clock"."""
    return plain_time(minute // 60, minute % 60).removesuffix(" o'clock")


def tour_topic(times: Sequence[int], rng: random.Random) -> Topic:
    """At which times the tours leave: the prompt's sentence, what is asked, what is answered."""
    words = joined([time_words(minute) for minute in times])
    told = rng.choice(("Tours leave daily at {w}.", "Guided tours are at {w}.", "Tours: {w}.", "There are tours at {w}.", "Guided tours start at {w} every day.", "The tours are at {w}."))  # fmt: skip
    asks = "[when do the tours [leave|start|go|depart]|what time are the tours|when are the tours|at what times do they [leave|start|go]|what times have you got|which tours are there|at which hours can we go|how many tours are there a day and when]"
    return Topic("tour", told.replace("{w}", words), asks, f"There are tours at {words}.")


#: What is asked of somebody who does one thing: who does it, what they do.
_WHO: Final = "[who [does|teaches|is doing|would do|would teach|is in charge of] {w}|who do i get for {w}|who would i see for {w}|who is it for {w}|for {w} who would that be|i'd like {w} who does that|[my son|my daughter|my wife] wants {w} who would that be|{w} with whom|who have you got for {w}|who'd be doing {w}|i want {w} who is that with]"
_DOES: Final = "[what does {n} do|what is {n} for|what can i see {n} for|{n} does what|what's {n} there for|what does {n} teach]"


def draw_doers(kind: str, options: Sequence[str], rng: random.Random) -> Mapping[str, str]:
    """Who does what of all that there is."""
    names: list[str] = []
    while len(names) < min(len(options), rng.choice((2, 2, 3))):
        if (name := _called(kind, rng)) not in names:
            names.append(name)
    return {one: names[at] if at < len(names) else rng.choice(names) for at, one in enumerate(options)}  # fmt: skip


def doer_topics(does: Mapping[str, str], rng: random.Random) -> list[Topic]:
    """The prompt's sentence on the first of them; who does what, and what each does."""
    by: dict[str, list[str]] = {}
    for one, name in does.items():
        by.setdefault(name, []).append(_bare(one))
    style = rng.choice(("{n} ({w})", "{n} {w}", "{n}: {w}", "{n} does {w}", "{n} for {w}", "{w}: {n}", "{w} with {n}", "{n} - {w}"))  # fmt: skip
    told = [style.replace("{n}", name).replace("{w}", joined(what)) for name, what in by.items()]
    head = rng.choice(("", "", "Team: ", "Who does what: ", "Our people: ", "Staff: "))
    text = head + rng.choice((", ", ", ", "; ")).join(told) + "."
    topics = [Topic("team", text[:1].upper() + text[1:], _WHO.replace("{w}", _bare(one)), f"That is {name}.") for one, name in does.items()]  # fmt: skip
    topics += [Topic("team", "", _DOES.replace("{n}", name), f"{name} is for {joined(what)}.") for name, what in by.items()]  # fmt: skip
    return [topics[0], *(replace(topic, told="") for topic in topics[1:])]


def _bare(option: str) -> str:
    """``a piano lesson -> piano``, ``a cut -> cut``."""
    bare = option.removeprefix("a ").removeprefix("an ")
    return bare.removesuffix(" lesson") or bare
