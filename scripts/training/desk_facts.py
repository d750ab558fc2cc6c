"""Houses with a desk, drawn at random: hours, prices, rooms, extras, and the prompt that tells them."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from desk_fact_sets import draw_facts
from desk_forms import FORMS, Part, Sheet
from desk_hours import Hours
from desk_kinds import KINDS, STAYS, WEIGHTS
from desk_needs import needs_text
from desk_offers import some_time
from desk_options import drawn_things, hired, options
from desk_people import (
    Person,
    doer_topics,
    draw_doers,
    draw_people,
    draw_times,
    people_text,
    person_topics,
    tour_topic,
)
from desk_prices import Thing, priced, prices_text
from desk_sheet import price_rows
from desk_told import Fact
from desk_topics import Topic, draw_topics
from desk_week import draw_hours
from dialogue_values import capitalise, draw_value, proper
from domain import choose_branches
from open_words import open_word, with_drawn, with_open_words


@dataclass
class Desk:
    """A house, all that its prompt tells of it, and how it is booked."""

    kind: str
    name: str
    hours: Hours
    sheet: Sheet = field(default_factory=lambda: Sheet("plain", "", "", 0))
    things: list[Thing] = field(default_factory=list)
    topics: list[Topic] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    hours_told: bool = True
    noun: str = ""  # what is booked; nothing is where it is empty
    needs: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()  # what may be told as well, and isn't asked for
    options: tuple[str, ...] = ()  # the rooms, services or views there are
    sizes: Mapping[str, int] = field(default_factory=dict)  # for how many people a room is
    limit: int = 0  # the longest booking, in minutes
    people: Sequence[Person] = ()  # who can be booked, and when they are in
    does: Mapping[str, str] = field(default_factory=dict)  # who does which of the services
    times: Sequence[int] = ()  # the set times of tours
    notes: bool = False  # whether it only notes names and numbers

    @property
    def system(self) -> str:
        """The system prompt that tells all of it."""
        return self.sheet.text()


OPENERS: Final = (
    "You are the [voice|desk|front desk|assistant|desk assistant|telephone|receptionist|voice assistant|reception] of {n}.",
    "You are the [desk|assistant|receptionist] of {n}.",
    "You [work at the desk|answer the phone|sit at the desk|take the calls] of {n}.",
    "You answer calls for {n}.",
    "This is the desk of {n}.",
)
CLOSERS: Final = (
    "Be brief.", "Answer shortly.", "Answer in one short sentence.", "Keep answers short.", "Be polite.",
    "Answer in one to three short sentences.", "Speak plainly.", "Answer briefly and politely.", "Be kind and short.",
)  # fmt: skip
_READ_BACK: Final = (
    "Read it back and ask before you confirm it.", "Read it back and ask before you confirm it.", "Confirm before you book.", "Read a booking back and ask before you confirm it.",
    "Repeat everything and ask before you book.", "Read all of it back before you book it.", "Ask for a yes before you book.",
)  # fmt: skip


def named(text: str, rng: random.Random) -> str:
    """Names in place of ``{s}`` and the like, capitalised."""
    text = choose_branches(text, rng)
    draws: dict[str, Callable[[], str]] = {
        "{s}": lambda: draw_value("surname", rng, True).say,
        "{n}": lambda: draw_value("name", rng, True).say,
        "{c}": lambda: proper(draw_value("city", rng, False).text),
        "{o}": lambda: capitalise(open_word(rng)),
    }
    return with_drawn(text, draws)


def _staff(desk: Desk, rng: random.Random) -> list[Topic]:
    """Who is in when, or when tours leave, where a booking needs it."""
    if desk.kind in ("tours", "trips") and desk.noun and rng.random() < 0.7:
        desk.times = draw_times(rng)
        desk.topics = [topic for topic in desk.topics if topic.name != "tour"]
        return [tour_topic(desk.times, rng)]
    if "person" not in desk.needs:
        return []
    if "service" in desk.needs and len(desk.options) > 1 and rng.random() < 0.45:
        desk.needs = tuple(need for need in desk.needs if need != "person")
        desk.does = draw_doers(desk.kind, desk.options, rng)
        return doer_topics(desk.does, rng)
    days = [day for day in range(7) if day not in desk.hours.closed()]
    desk.people = draw_people(desk.kind, days, rng)
    if not desk.people:
        desk.needs = tuple(need for need in desk.needs if need != "person")
        return []
    return person_topics(desk.people, people_text(desk.people, rng))


def draw_desk(rng: random.Random) -> Desk:
    """A house drawn at random, with the system prompt that tells its facts."""
    name = rng.choices(tuple(WEIGHTS), tuple(WEIGHTS.values()))[0]
    kind = KINDS[name]
    sheet = Sheet(rng.choice(FORMS), "", rng.choice(OPENERS), rng.getrandbits(32))
    subject = "Reception" if name in STAYS else ""
    in_rows = not subject and sheet.form not in ("plain", "letter") and rng.random() < 0.75
    hours = draw_hours(kind.hours, rng, subject, in_rows)
    desk = Desk(name, named(kind.names, rng), hours, sheet)
    if kind.noun and rng.random() < 0.88:
        desk.noun = with_open_words(choose_branches(kind.noun, rng), rng)
        desk.needs = tuple(
            n.removesuffix("?") for n in kind.needs if not n.endswith("?") or rng.random() < 0.4
        )
        if name == "vet" and not {"name", "phone"} & set(desk.needs):
            desk.needs = (*desk.needs, "phone")
    if desk.noun and name in _UNLIST and rng.random() < 0.14:
        desk.extra = tuple(n for n in desk.needs if n not in ("day", "time", "name", "person"))
        desk.needs = ("day", "time", "name") if desk.extra else desk.needs
    if kind.things and rng.random() < (0.7 if desk.noun else 0.9):
        things = drawn_things(kind.things, rng.choice((1, 2, 2, 3, 3, 4)), rng)
        desk.things = priced(things, *kind.prices, rng, " a night" if name in STAYS else "")
    if name == "hire" and desk.noun and rng.random() < 0.5:
        hired(desk, rng)
    if name == "rooms" and desk.noun and rng.random() < 0.45:
        desk.needs = (
            *(n for n in desk.needs if n not in ("time", "length", "name")),
            "span",
            "name",
        )
    parts = [hours_part(desk.hours)]
    if desk.noun and (told := options(desk, kind, rng)):
        parts.append(Part("options", told))
        if name == "rooms" and len(desk.options) == 1:
            desk.needs = tuple(need for need in desk.needs if need != "room")
    if desk.things:
        parts.append(prices_part(desk, rng))
    desk.topics = draw_topics(
        name, rng, rng.choice((0, 0, 1, 1, 2, 3)) if desk.noun else rng.choice((0, 1, 1, 2))
    )
    desk.topics += _staff(desk, rng)
    parts += [Part(topic.name, topic.told, topic.asks) for topic in desk.topics if topic.told]
    if rng.random() < 0.85:
        known = [part.told for part in parts]
        desk.facts = draw_facts(rng, rng.choice((1, 2, 2, 3, 4)), known, desk.noun)
    parts += [fact_part(fact) for fact in desk.facts]
    if rng.random() < 0.5:
        rng.shuffle(parts)
    _finish(desk, parts, rng)
    return desk


def hours_part(hours: Hours) -> Part:
    """When it is open."""
    return Part("hours", hours.text, "", hours.rows)


def fact_part(fact: Fact) -> Part:
    """What a fact tells."""
    return Part(fact.name, fact.told, fact.asks[0][0] if fact.asks else "")


#: Where things with a price take time.
_TAKES_TIME: Final = frozenset(
    "groomer therapy driving studio repair courses hair beauty dentist eyes vet garage bikes cleaner tailor shoes school lessons photo phones tattoo town museum boats practice copy".split()
)


def prices_part(desk: Desk, rng: random.Random) -> Part:
    """What has a price; at some desks how long it takes as well."""
    if desk.kind.removeprefix("told ") in _TAKES_TIME and rng.random() < 0.45:
        desk.things = [
            replace(thing, lasts=some_time(rng))
            if not thing.unit and "ticket" not in thing.said and rng.random() < 0.75
            else thing
            for thing in desk.things
        ]
    return Part("prices", prices_text(desk.things, rng), "", price_rows(desk.things, rng))


def _finish(desk: Desk, parts: list[Part], rng: random.Random) -> None:
    """The prompt: what is told, what a booking needs, how to speak."""
    if desk.noun:
        needed = needs_text(desk.kind, desk.noun, desk.needs, rng)
        if desk.extra:
            needed = rng.choice(_UNLISTED)
        back = f" {rng.choice(_READ_BACK)}" if rng.random() < 0.7 else ""
        at = rng.randint(0, len(parts)) if rng.random() < 0.12 else len(parts)
        parts.insert(at, Part("needs", needed + back))
    elif desk.kind in ("practice", "vet", "garage", "shop") and rng.random() < 0.6:
        desk.notes = True
        parts.append(Part("notes", rng.choice(_NOTES)))
    if desk.kind == "bar" and rng.random() < 0.7:
        parts.append(Part("orders", rng.choice(_ORDERS)))
    closer = rng.choice(CLOSERS) if rng.random() < 0.35 else ""
    desk.sheet.name, desk.sheet.parts, desk.sheet.closer = desk.name, parts, closer


#: Without a list a booking needs a day, a time and a name.
_UNLISTED: Final = (
    "You book appointments.", "You make the appointments.", "Callers make appointments with you.", "You take the bookings.", "You also book appointments.", "Appointments are made through you.", "You give out appointments.",
)  # fmt: skip
_UNLIST: Final = frozenset(("practice", "hair", "groomer", "therapy", "garage", "vet", "driving", "lessons", "studio"))  # fmt: skip


_NOTES: Final = (
    "You note a caller's name and telephone number and read them back.",
    "You take down names and numbers and read them back.",
    "Note the caller's name and number.",
)
_ORDERS: Final = (
    "You take orders.",
    "Take the caller's order.",
    "You take orders in words and read them back.",
)
