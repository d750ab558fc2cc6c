"""Houses of any kind that are only asked: a prompt of free sentences, facts in any order."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from desk_fact_sets import draw_facts
from desk_facts import CLOSERS, OPENERS, Desk, named
from desk_offers import free_ages, some_time
from desk_prices import admission, prices_text, sold
from desk_told import Fact, in_figures, opened
from desk_topics import draw_topics
from desk_wares import TICKETED, TRADES
from desk_week import draw_hours
from dialogue_values import capitalise
from domain import choose_branches

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
    desk = Desk(f"told {kind}", named(trade.names, rng), draw_hours(trade.hours, rng, subject))
    desk.hours_told = rng.random() < 0.86
    sentences = [desk.hours.text] if desk.hours_told else []
    low, high = (
        (2, 12)
        if kind in _CHEAP
        else (8, 120)
        if kind in ("hotel", "photo", "garage", "tattoo", "phones")
        else (4, 60)
    )
    if kind in TICKETED and rng.random() < 0.55:
        desk.things = admission(rng)
        told = prices_text(desk.things, rng)
        if rng.random() < 0.35:
            desk.facts = [free_ages(rng)]
            if rng.random() < 0.4:
                free = desk.facts[0].told
                told = f"{told.removesuffix('.')}, {free[:1].lower()}{free[1:]}"
                desk.facts = [desk.facts[0]._replace(told="")]
        sentences.append(told)
    elif rng.random() < 0.8:
        desk.things = sold(trade.wares, low, high, rng)
        if rng.random() < 0.15:
            sentences += _lasting_first(desk, rng)
        else:
            sentences.append(prices_text(desk.things, rng))
    desk.topics = draw_topics(_LIKE.get(kind, ""), rng, rng.choice((0, 0, 1, 1)))
    sentences += [topic.told for topic in desk.topics]
    desk.facts += draw_facts(
        rng, rng.choice((1, 2, 2, 3, 3, 4, 5)), ["", *sentences, *(f.told for f in desk.facts)]
    )
    sentences += [fact.told for fact in desk.facts if fact.told]
    if rng.random() < 0.2:
        sentences.append(opened(rng.choice(_IDLE), rng))
    if rng.random() < 0.55:
        rng.shuffle(sentences)
    if rng.random() < 0.2:
        sentences = [in_figures(sentence, rng) for sentence in sentences]
    if rng.random() < 0.15:
        sentences = _together(sentences)
    opener = rng.choice((*OPENERS, *_MORE_OPENERS, *_MORE_OPENERS))
    parts = [opener, *sentences, *([rng.choice(CLOSERS)] if rng.random() < 0.3 else [])]
    desk.system = " ".join(choose_branches(part, rng) for part in parts).replace("{n}", desk.name)
    desk.system = desk.system[:1].upper() + desk.system[1:]
    return desk


def _lasting_first(desk: Desk, rng: random.Random) -> list[str]:
    """Price and length in a sentence: ``A service costs fifty euros and takes two days.``"""
    first, time = desk.things[0], some_time(rng)
    head = capitalise(first.said)
    told = rng.choice((
        f"{head} costs {first.price}{first.unit} and takes {time}.", f"{head} takes {time} and costs {first.price}{first.unit}.",
        f"{head}: {first.price}{first.unit}, {time}.", f"{head} is {first.price}{first.unit} and takes {time}.",
    ))  # fmt: skip
    asks = f"[how long does {first.said} take|how long is {first.said}|how long would {first.said} take|how much time do [i need|you need] for {first.said}|when is it done if i bring it|how long will i have to wait for {first.said}|{first.said} how long is that]"
    desk.facts = [Fact(f"length of {first.said}", "", [(asks, f"{head} takes {time}.")])]
    rest = [prices_text(desk.things[1:], rng)] if desk.things[1:] else []
    return [told, *rest]


def _together(sentences: list[str]) -> list[str]:
    """The last two short sentences as one: ``Dogs are allowed, parking is free.``"""
    if len(sentences) < 3 or len(sentences[-1]) > 45 or len(sentences[-2]) > 45:
        return sentences
    last = sentences[-1]
    name = last.split()[0].endswith("s") or last.split()[0] in ("The", "There", "No", "Parking")
    if not name:
        return sentences
    return [*sentences[:-2], f"{sentences[-2].removesuffix('.')}, {last[0].lower()}{last[1:]}"]
