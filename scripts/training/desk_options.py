"""What there is to choose from at a desk that books: rooms, services, pitches, kinds of what is hired."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from desk_kinds import STAYS, Kind
from desk_prices import priced
from dialogue_values import capitalise, with_an
from open_words import open_word, with_open_words
from order_items import joined
from slots import phrases
from spoken_numbers import spoken_number

if TYPE_CHECKING:
    from desk_facts import Desk


def drawn_things(text: str, count: int, rng: random.Random) -> list[str]:
    """Some of a list, with any word where it is open."""
    return [
        with_an(with_open_words(thing, rng))
        for thing in rng.sample(phrases(text), min(count, len(phrases(text))))
    ]


def _sized_rooms(desk: Desk, rng: random.Random) -> str:
    """Rooms with names or numbers, at times with their sizes and a limit; the sentence that tells them."""
    count = rng.choice((1, 2, 2, 2, 3))
    if rng.random() < 0.25:
        kind = rng.choice(("study room", "room", "meeting room", "studio", "booth"))
        names = [f"{kind} {spoken_number(n)}" for n in range(1, max(2, count) + 1)]
    else:
        kind = rng.choice(("room", "room", "room", "hall", "studio"))
        pool = phrases(
            "Oak, Maple, Delta, Alpha, Beta, Lake, River, Garden, North, South, Blue, Green, Red, Sun, Moon, Elm, Birch, Rose, Newton, Paris"
        )
        called = (
            rng.sample(pool, count)
            if rng.random() < 0.5
            else [capitalise(open_word(rng)) for _ in range(count)]
        )
        names = [f"the {word} {kind}" for word in called]
        if rng.random() < 0.3:
            names = list(called)
        elif rng.random() < 0.15:
            names = [f"the conference room {word}" for word in called]
    desk.options = tuple(names)
    text = f"There {'is' if len(names) == 1 else 'are'} {joined(names)}."
    if rng.random() < 0.6:
        sizes = rng.sample((2, 3, 4, 5, 6, 8, 10, 12, 14, 15, 16, 20, 24, 30), len(names))
        desk.sizes = dict(zip(names, sizes, strict=True))
        told = joined(
            [
                f"{name} for {spoken_number(size)} people"
                if i == 0 or rng.random() < 0.8
                else f"{name} for {spoken_number(size)}"
                for i, (name, size) in enumerate(desk.sizes.items())
            ]
        )
        text = rng.choice((f"There is {told}.", f"You book {told}.", f"You have {told}."))
    if rng.random() < 0.4:
        desk.limit = 60 * rng.choice((1, 2, 3, 4))
        hours = f"{spoken_number(desk.limit // 60)} hour{'' if desk.limit == 60 else 's'}"
        text += rng.choice(
            (
                f" A booking is for up to {hours}.",
                f" They can be booked for up to {hours}.",
                f" {capitalise(hours)} is the limit.",
            )
        )
    return text


def options(desk: Desk, kind: Kind, rng: random.Random) -> str:
    """What there is to choose from, and the sentence that tells it (at times none)."""
    if desk.kind == "rooms":
        return _sized_rooms(desk, rng)
    if not kind.options:
        return ""
    if desk.kind in STAYS and rng.random() < 0.8:
        nightly = [thing.said.split(" ", 1)[1] for thing in desk.things if thing.unit]
        offered = [one for one in nightly if one != "extra bed"]
        if len(offered) > 1:  # the prices tell what there is
            desk.options = tuple(offered)
            return ""
    listed = kind.options.replace("{k}", desk.noun)
    names = drawn_things(listed, rng.choice((2, 2, 3)), rng)
    desk.options = tuple(names)
    if kind.field == "kind":
        return f"{rng.choice(('There is', 'There is', 'You have'))} {joined([with_an(f'a {name}') for name in names])}."
    if desk.kind == "hotel":
        listed = joined(
            [name.replace("room", "rooms", 1).replace("suite", "suites") for name in names]
        )
        return rng.choice((f"There are {listed}.", f"There are {listed}.", f"We have {listed}."))
    if desk.things:
        desk.options = tuple(thing.said for thing in desk.things)
        return ""
    return rng.choice((f"You offer {joined(names)}.", f"There is {joined(names)}.", ""))


#: Kinds of what is hired; any word where it is open.
_HIRED: Final[Mapping[str, str]] = {
    "bike": "city bike, e-bike, cargo bike, tandem, child's bike, mountain bike, {o} bike", "bicycle": "city bike, e-bike, cargo bike, tandem, racing bike, {o} bike", "boat": "rowing boat, pedal boat, sailing boat, motor boat, {o} boat",
    "kayak": "single kayak, double kayak, sea kayak, {o} kayak", "canoe": "small canoe, big canoe, {o} canoe", "scooter": "small scooter, big scooter, e-scooter, {o} scooter", "tent": "small tent, family tent, {o} tent",
    "car": "small car, family car, electric car, {o} car", "van": "small van, big van, {o} van", "sledge": "single sledge, double sledge, {o} sledge", "surfboard": "short board, long board, {o} board",
}  # fmt: skip


def hired(desk: Desk, rng: random.Random) -> None:
    """Two or three kinds of what is hired, with the price of a day."""
    listed = _HIRED.get(desk.noun, f"{{o}} {desk.noun}, small {desk.noun}, big {desk.noun}")
    names = drawn_things(listed, rng.choice((2, 2, 3)), rng)
    desk.options = tuple(dict.fromkeys(names))
    said = [with_an(f"a {name}") for name in desk.options]
    desk.things = [replace(thing, unit=" a day") for thing in priced(said, 6, 60, rng, " ")]
