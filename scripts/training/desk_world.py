"""Houses of any kind that are only asked: a prompt of free sentences, facts in any order."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from desk_fact_sets import draw_facts
from desk_facts import CLOSERS, OPENERS, Desk, fact_part, hours_part, named, prices_part
from desk_forms import FORMS, Part, Sheet
from desk_offers import free_ages
from desk_prices import admission, sold
from desk_told import opened
from desk_topics import draw_topics
from desk_wares import TICKETED, TRADES
from desk_week import draw_hours

_CHEAP: Final = frozenset(("library", "post", "copy", "bakery", "parking", "events", "travel"))
#: The subjects of :mod:`desk_topics` that fit a kind of house.
_LIKE: Final = {
    "hotel": "hotel",
    "camping": "hotel",
    "restaurant": "restaurant",
    "dentist": "practice",
    "vet": "vet",
    "hair": "hair",
    "school": "lessons",
    "sports": "court",
    "museum": "shown",
    "zoo": "shown",
    "cinema": "shown",
    "pool": "pool",
    "rooms": "rooms",
}
_MORE_OPENERS: Final = (
    "You [answer|speak|talk] for {n}.", "You take [calls|the phone] [for|at] {n}.", "You answer the phone [for|of|at] {n}.", "You are the [phone|voice|front|ticket|help|information] desk of {n}.", "You help callers of {n}.", "{n}.",
    "You are [Ada|Max|Robin|Kim], the assistant of {n}.", "You are the voice assistant of {n}.", "You work for {n}.", "Welcome desk of {n}.", "You're on the phone for {n}.", "You are answering calls at {n}.", "Act as the receptionist of {n}.", "This is {n}.",
)  # fmt: skip
#: Sentences that nothing follows from.
_IDLE: Final = (
    "[The house|It|The place] was founded in eighteen [ninety|sixty|eighty].", "The owner likes {o}.", "Many guests come from abroad.", "The team has {o} in its name.", "It is a family business.", "Callers are often in a hurry.", "The {o} next door is another house.", "People love the {o}.", "It is a small place.", "You have worked here for years.",
)  # fmt: skip


def draw_told_desk(rng: random.Random) -> Desk:
    """A house of any kind, with the system prompt that tells its facts."""
    kind = rng.choice(tuple(TRADES))
    trade = TRADES[kind]
    subject = "Reception" if kind in ("hotel", "camping") and rng.random() < 0.8 else ""
    sheet = Sheet(rng.choice(FORMS), "", "", rng.getrandbits(32))
    in_rows = not subject and sheet.form not in ("plain", "letter") and rng.random() < 0.75
    hours = draw_hours(trade.hours, rng, subject, in_rows)
    desk = Desk(f"told {kind}", named(trade.names, rng), hours, sheet)
    desk.hours_told = rng.random() < 0.86
    parts = [hours_part(desk.hours)] if desk.hours_told else []
    low, high = (
        (2, 12)
        if kind in _CHEAP
        else (8, 160)
        if kind in ("hotel", "photo", "garage", "tattoo", "phones")
        else (4, 70)
    )
    if kind in TICKETED and rng.random() < 0.55:
        desk.things = admission(rng)
        part = prices_part(desk, rng)
        if rng.random() < 0.35:
            desk.facts = [free_ages(rng)]
            if rng.random() < 0.4:
                free = desk.facts[0].told
                told = f"{part.told.removesuffix('.')}, {free[:1].lower()}{free[1:]}"
                part = part._replace(told=told, rows=())
                desk.facts = [desk.facts[0]._replace(told="")]
        parts.append(part)
    elif rng.random() < 0.85:
        desk.things = sold(trade.wares, low, high, rng)
        parts.append(prices_part(desk, rng))
    desk.topics = draw_topics(_LIKE.get(kind, ""), rng, rng.choice((0, 0, 1, 1)))
    parts += [Part(topic.name, topic.told, topic.asks) for topic in desk.topics if topic.told]
    known = ["", *(part.told for part in parts), *(fact.told for fact in desk.facts)]
    desk.facts += draw_facts(rng, rng.choice((1, 2, 2, 3, 3, 4, 5)), known)
    parts += [fact_part(fact) for fact in desk.facts if fact.told]
    if rng.random() < 0.2:
        parts.append(Part("idle", opened(rng.choice(_IDLE), rng)))
    if rng.random() < 0.55:
        rng.shuffle(parts)
    sheet.opener = rng.choice((*OPENERS, *_MORE_OPENERS, *_MORE_OPENERS))
    sheet.name, sheet.parts = desk.name, parts
    sheet.closer = rng.choice(CLOSERS) if rng.random() < 0.3 else ""
    return desk
