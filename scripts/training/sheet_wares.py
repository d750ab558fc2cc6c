"""What stands in a price list: wares, sizes of a thing, lengths of it, packs, and who pays."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Final

from desk_wares import TRADES, parsed
from dialogue_values import with_an
from open_words import open_word, with_open_words
from spoken_numbers import spoken_number


@dataclass
class Entry:
    """A row of a price list, and the words for it."""

    label: str  # in the list
    said: str  # as the assistant says it
    nouns: str = ""
    verbs: str = ""
    unit: str = ""
    dear: int = 1  # how many times the price of the first


def bare_of(said: str) -> str:
    """Without its article."""
    return re.sub(r"^(an?|the) ", "", said)


def _wares(kind: str, rng: random.Random) -> list[Entry]:
    """Two to five of a trade's wares, no two alike."""
    lines = TRADES[kind].wares.split(";")
    entries: list[Entry] = []
    stems: set[str] = set()
    for line in rng.sample(lines, min(len(lines), rng.choice((2, 3, 3, 4, 5)))):
        text = line
        for key in ("{o} {o}", "{o}"):
            text = text.replace(key, " ".join(open_word(rng) for _ in key.split()))
        ware = parsed(text)
        said = with_an(ware.said)
        if rng.random() < 0.15 and said.startswith("a") and " of " not in said:
            said = with_an(f"a {open_word(rng)} {bare_of(said).split()[-1]}")
        new = {word[:5] for word in said.split() if len(word) > 2}
        if stems & new:
            continue
        stems |= new
        own = said == with_an(ware.said)
        entries.append(
            Entry(
                bare_of(said),
                said,
                with_an(ware.nouns) if own else "",
                ware.verbs if own else "",
                ware.unit,
            )
        )
    return entries


_SIZED: Final = "dog|pizza|locker|box|van|boat|cake|bouquet|parcel|tent|bag|hall|room|salad|car|suit|poster|tattoo|bike|lesson|kayak|pitch|course|wash|massage|cut|service|pass|{o}|{o}"
_SIZES: Final = ("small", "medium", "large", "mini", "extra large", "double", "single", "king size")
_SORTS: Final = ("city", "cargo", "mountain", "electric", "manual", "automatic", "evening", "intensive", "beginners'", "private", "group", "basic", "full", "express", "deluxe", "normal", "big", "first", "short", "long", "weekend", "two-seater", "classic", "{o}", "{o}", "{o}", "{o}")  # fmt: skip


def _sizes(rng: random.Random) -> list[Entry]:
    """``Small dog 35, medium 45, large 60 euros``; ``city bike 12, cargo bike 40``."""
    base = with_open_words(rng.choice(_SIZED.split("|")), rng)
    pick = rng.random()
    if pick < 0.3:
        some = ["small", "medium", "large"]
    elif pick < 0.5:
        some = rng.sample(_SIZES, rng.choice((2, 3)))
    else:
        drawn = rng.sample(_SORTS, rng.choice((2, 3, 3, 4)))
        some = list(dict.fromkeys(with_open_words(sort, rng) for sort in drawn))
    short = rng.random() < 0.4
    return [
        Entry(
            size if short and index else f"{size} {base}",
            with_an(f"a {size} {base}"),
            f"a {base} that's {size}|the {size} {base}|the {size} one|{with_an(f'a {size} one')}|{size}",
            dear=1 + index if pick < 0.5 else 1,
        )
        for index, size in enumerate(some)
    ]


_WHOSE: Final = {
    "men's": "a {b} for [a man|men|my husband|me i'm a man|a gentleman]|for a man|a normal {b} for men|the men's one", "ladies'": "a {b} for [a woman|my wife|ladies|women|me i'm a woman]|for a woman|the ladies' one",
    "children's": "a {b} for [my son|my daughter|a child|kids|my little boy]|for my [son|daughter] [he is seven|she's six|]|for a kid|a kid's {b}|one for my child", "women's": "a {b} for [a woman|my wife|women]|for a woman", "baby": "a {b} for [the baby|my baby]|one for the baby", "student": "a {b} for [students|a student]|for a student|as a student", "senior": "a {b} for [seniors|my grandma|pensioners]|for my granddad",
}  # fmt: skip


def _whose(rng: random.Random) -> list[Entry]:
    """``A ladies' cut is 48 euros, a men's cut 29, a children's cut 18.``"""
    base = with_open_words(
        rng.choice(
            (
                "cut",
                "cut",
                "bike",
                "lesson",
                "pass",
                "course",
                "ticket",
                "seat",
                "shirt",
                "menu",
                "haircut",
                "{o}",
            )
        ),
        rng,
    )
    some = rng.sample(tuple(_WHOSE), rng.choice((2, 3, 3)))
    if {"ladies'", "women's"} <= set(some):
        some.remove("women's")
    return [
        Entry(f"{who} {base}", with_an(f"a {who} {base}"), _WHOSE[who].replace("{b}", base))
        for who in some
    ]


_TIMED: Final = "massage|lesson|court|boat|bike|room|sauna|session|tour|lane|kayak|ride|studio|parking space|babysitter|{o}|{o}|{o} lesson"
_FOR: Final = (
    "half an hour",
    "one hour",
    "two hours",
    "three hours",
    "half a day",
    "a day",
    "a weekend",
    "a week",
    "a month",
)


def _hours(rng: random.Random) -> list[Entry]:
    """``One-hour massage 80 euros, two hours 140.``"""
    base = with_open_words(rng.choice(_TIMED.split("|")), rng)
    start = rng.randint(0, 6)
    entries = []
    for index, time in enumerate(_FOR[start : start + rng.choice((2, 2, 3))]):
        short = {"one hour": "1 hour", "two hours": "2 hours", "three hours": "3 hours"}.get(
            time, time
        )
        by = {
            "one hour": "one hour",
            "two hours": "two hour",
            "three hours": "three hour",
            "half an hour": "half hour",
        }.get(time, time.removeprefix("a "))
        labels = (
            f"{base} {short}",
            f"{base} {time}",
            f"{by.replace(' hour', '-hour')} {base}",
            f"{base} for {time}",
            f"{base}, {short}",
        )
        label = rng.choice(labels) if index == 0 else rng.choice((time, short, *labels))
        entries.append(
            Entry(
                label,
                with_an(f"a {base} for {time}"),
                f"the {by} {base}|{time} of {base}|a {base} of {time}|{base} for {time}|the {base} if i take {time}|a {by} {base}",
                f"have the {base} for {time}|take a {base} for {time}",
                dear=1 + index,
            )
        )
    return entries


_PACKED: Final = "lesson|class|visit|swim|session|ride|game|coffee|wash|{o}|training|ticket"


def _packs(rng: random.Random) -> list[Entry]:
    """``Single lesson 48 euros; pack of ten 440 euros.``"""
    base = with_open_words(rng.choice(_PACKED.split("|")), rng)
    count = rng.choice((5, 6, 8, 10, 10, 10, 12, 20))
    many = f"{base}es" if base.endswith(("ss", "sh")) else f"{base}s"
    number = spoken_number(count)
    label = rng.choice(
        (
            f"pack of {number}",
            f"{count} {many}",
            f"{number} {many}",
            f"card for {number}",
            f"{number} {many} together",
            f"block of {number}",
            f"{number} {base} pass",
            f"pack of {count}",
        )
    )
    single = rng.choice(("single", "single", "drop-in", "trial", "one"))
    return [
        Entry(f"{single} {base}", f"a {single} {base}" if single != "one" else f"a {base}", f"one {base}|just one {base}|a {base}|one {base} on its own"),
        Entry(label, f"a pack of {number}", f"{number} {many}|a {number} {base} [card|pass]|{number} of them|a block of {number}|the pack of {number}|{number} {many} in one go", f"buy {number} {many}|take {number} at once|get {number} {many}", dear=rng.choice((4, 6, 8))),
    ]  # fmt: skip


def _tickets(rng: random.Random) -> list[Entry]:
    others = rng.sample(
        ("children", "students", "families", "seniors", "members", "groups", "teenagers"),
        rng.choice((1, 2, 2, 3)),
    )
    return [Entry(who, f"a ticket for {who}") for who in ("adults", *others)]


def draw_entries(kind: str, rng: random.Random, ticketed: bool) -> list[Entry]:
    """The rows of one list."""
    pick = rng.random()
    if pick < 0.16:
        return _sizes(rng)
    if pick < 0.22:
        return _whose(rng)
    if pick < 0.32:
        return _hours(rng)
    if pick < 0.39:
        return _packs(rng)
    return _tickets(rng) if ticketed and pick < 0.7 else _wares(kind, rng)
