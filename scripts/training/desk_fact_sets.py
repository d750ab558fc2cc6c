"""Which facts a prompt tells together, and which questions it leaves unanswered."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

from desk_customs import CUSTOMS
from desk_manners import MANNERS
from desk_offers import OFFERS
from desk_rules import RULES
from desk_terms import TERMS
from desk_told import Fact
from desk_uses import USES
from sheet_people import who_does
from sheet_rooms import sized
from sheet_times import classes, departures, films
from spoken_numbers import MONTHS

#: Facts that are lists: of people, rooms, classes, times.
_LISTS: Final = ((who_does, 5.0), (sized, 3.0), (classes, 3.0), (departures, 1.5), (films, 1.0))
_ALL: Final = (*RULES, *OFFERS, *USES, *TERMS, *CUSTOMS, *MANNERS, *_LISTS)
_DRAWS: Final = tuple(draw for draw, _ in _ALL)
_OFTEN: Final = tuple(weight for _, weight in _ALL)
#: Words of a prompt that may answer a question about a subject, beside its own.
_KIN: Final = {
    "last entry": ("open", "close", "last"),
    "free ages": ("child", "ticket", "famil", "pay"),
    "age": ("child", "under", "older"),
    "appointment": ("appointment", "booking", "walk-in", "drop"),
    "people": (
        "doctor",
        "works",
        "dr ",
        " is in ",
        "team",
        "teacher",
        "staff",
        "stylist",
        "vets",
        "coach",
        "trainer",
        "instructor",
        "mr ",
        "mrs ",
        "miss ",
        " does ",
        " is for ",
        "handles",
        "contact",
    ),
    "may": ("guests", "not "),
    "groups": (
        "people",
        "seats",
        "group",
        "table",
        "player",
        "person",
        "guest",
        "up to",
        "max",
        "at most",
        "fits",
    ),
    "times": ("depart", "leave", "tour", "boat", "goes at", "start", "show"),
    "classes": ("class", "course", "lesson", "timetable", "schedule", "teach"),
    "films": ("screen", "film", "show", "stage"),
    "ahead": ("ahead", "advance", "before", "book"),
    "minimum": ("minimum", "from", "deliver"),
    "waiting": ("ready", "days", "express", "takes", "week"),
    "season": (*MONTHS, "summer", "winter"),
    "insurance": ("insur",),
    "teaching": ("teach", "lesson", "learn", "class", "course"),
    "food": ("menu", "serve", "dish", "food", "soup", "pizza", "kitchen"),
    "payments": ("pay", "cash", "card"),
    "wares": ("sell", "stock", "shop", "goods"),
    "early": ("early", "before", "arrive"),
    "weather": ("weather", "wind", "rain", "storm", "snow", "fog"),
    "while you wait": ("wait", "leave", "stay"),
    "lessons": ("teach", "lesson", "class"),
    "repairs": ("repair", "fix"),
    "languages": ("speak", "language", " in english"),
    "animals": ("treat", "animal", "pet"),
    "goods": ("sell", "shop", "stock"),
    "deliveries": ("deliver",),
    "parents": ("parent", "under", "age"),
    "carrier": ("cat", "pet"),
    "lead": ("dog", "pet"),
    "helmet": ("wear",),
    "coming early": ("early", "arrive", "before"),
    "first time": ("new", "first", "early"),
    "waiting there": ("wait", "leave", "stay"),
    "pick-up": ("pick", "fetch"),
    "in writing": ("refund", "complain", "back"),
    "early bookers": ("ahead", "book"),
    "paying": ("pay", "cash", "card"),
    "bill": ("bill", "extra", "pay"),
    "cleaning": ("clean",),
    "talking": ("phone", "call"),
    "holidays": ("holiday", "christmas"),
    "joining": ("member", "join", "card", "pass"),
    "payment": ("cash", "card", "pay"),
    "delivery": ("deliver",),
    "discount": ("percent", "student", "senior", "children", "famil"),
    "photos": ("photo", "camera"),
    "your own food": ("food", "kitchen", "eat"),
    "your own drinks": ("drink", "wine", "corkage", "bottle"),
    "pets": ("dog", "cat", "pet", "animal"),
    "dogs": ("dog", "pet", "animal"),
    "cats": ("cat", "pet", "animal"),
    "return": ("back",),
    "wear": ("wear", "shoes", "helmet"),
    "emergency": ("emergenc",),
    "entrance": ("entrance", "door"),
    "bus": ("bus", "tram"),
}
#: What a house that books tells in its own way.
_OF_A_BOOKING: Final = frozenset(("appointment", "groups", "deposit", "people", "ahead", "times"))
_EMPTY: Final = frozenset(("the", "of", "and", "your", "own", "length", "room", "a", "an"))


def mentioned(name: str, text: str) -> bool:
    """Whether a text has something to do with a subject."""
    text = text.lower()
    words = [word for word in re.split(r"[\s'-]+", name.lower()) if word not in _EMPTY]
    stems = [word.removesuffix("s")[:6] for word in words if len(word) > 2]
    return any(stem in text for stem in (*stems, *_KIN.get(name, ())))


def draw_facts(
    rng: random.Random,
    count: int,
    sentences: Sequence[str],
    booked: str = "",
    *,
    lines: bool = False,
) -> list[Fact]:
    """Facts about different subjects, none of which the sentences tell of.

    A list among them stands in lines of its own only where ``lines`` can be written.
    """
    facts: list[Fact] = []
    for draw in rng.choices(_DRAWS, _OFTEN, k=count):
        fact = draw(rng)
        known = " ".join((*sentences[1:], *(one.told for one in facts)))
        if booked and fact.name in _OF_A_BOOKING:
            continue
        names = [other.name for other in facts]
        if fact.name in names or _own_words(fact.name, known):
            continue
        facts.append(fact if lines else fact._replace(told=_in_a_row(fact.told)))
    return facts


def _in_a_row(told: str) -> str:
    """The lines of a list behind one another."""
    return re.sub(r"([:.;?!,]?)\n[-*•]? ?", lambda end: f"{end[1] or ';'} ", told)


def _own_words(name: str, text: str) -> bool:
    words = [word.removesuffix("s")[:6] for word in name.lower().split() if word not in _EMPTY]
    return any(len(word) > 2 and word in text.lower() for word in words)


def missing_fact(system: str, booked: str, rng: random.Random) -> str:
    """A question about a subject of which the prompt says nothing; empty where none is found."""
    for draw in rng.choices(_DRAWS, _OFTEN, k=4):
        fact = draw(rng)
        if booked and fact.name in _OF_A_BOOKING:
            continue
        if not mentioned(fact.name, system):
            return rng.choice(fact.asks)[0]
    return ""
