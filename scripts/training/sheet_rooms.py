"""Rooms, boats and tables for so many people: which fits whom, in any wording of a prompt's list."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from desk_told import Fact
from dialogue_values import capitalise, draw_value
from domain import choose_branches
from open_words import open_word, with_drawn
from order_items import joined
from sheet_lines import Row, rows_text
from spoken_numbers import spoken_number

_NOUNS: Final = (
    "room",
    "boat",
    "hall",
    "table",
    "tent",
    "van",
    "game",
    "house",
    "cabin",
    "studio",
    "lane",
    "car",
    "tour",
    "raft",
)
_NAMES: Final = "the {o}|the {O}|the {O}|{O}|{O}|{N}'s {O}|the {O} {noun}|the {c} {noun}|the {o} {noun}|the {c} {noun}"
_COLOURS: Final = (
    "small",
    "large",
    "big",
    "red",
    "blue",
    "green",
    "white",
    "black",
    "golden",
    "old",
    "new",
    "upper",
    "lower",
    "medium",
)
_WHICH: Final = (
    "[we're {n} [people|] [which|what] {noun} [do we need|should we take|is right|would be good|fits]|which {noun} [for|is right for|fits|would you say for|do you recommend for] {n} [people|of us|players|]|there'll be {n} of us [so|] which [one|{noun}] [should we take|do we need|is it|would we need|is best]|"
    "there's {n} of us [so|] which [one|{noun}]|{n} of us which one [do we take|is best|fits]|what {noun} do you have for {n} [people|]|is there a {noun} for {n} [of us|people|]|do you have [a {noun}|something] for {n} [people|of us|]|i need [a {noun}|something] for {n} [people|] which one|"
    "for {n} people which would you [take|pick|suggest]|we'd be a group of {n} which {noun} would fit|we come with {n} people where do we fit in|which is [big|large] enough for {n}|{n} people what {noun} is that]"
)
_HOW_MANY: Final = "[how many [people|of us|players|] [fit in|can go in|can use|can do|can be in|does it take in|are for] {x}|for how many [people|] is {x}|how big is {x}|how many is {x} for|{x} is for how many|what's the most for {x}]"
_CAN: Final = "[can {n} of us [take|do|use|have] {x}|is {x} [okay|big enough|right|alright] for {n} [people|of us|]|we're {n} can we [take|have|do] {x}|would {n} [people|of us|] fit [in|] {x}|does {x} work for {n} [people|]|{x} with {n} people is that possible|we'd like {x} we're {n} is that okay]"


def sized(rng: random.Random) -> Fact:
    """Two to four of a kind, each for so many people."""
    noun = rng.choice(_NOUNS)
    names: list[str] = []
    for _ in range(rng.choice((2, 2, 2, 3, 3, 4))):
        draws = {
            "{o}": lambda: open_word(rng),
            "{O}": lambda: capitalise(open_word(rng)),
            "{N}": lambda: draw_value("name", rng, True).say,
            "{c}": lambda: rng.choice(_COLOURS),
        }
        name = with_drawn(rng.choice(_NAMES.split("|")).replace("{noun}", noun), draws)
        if name not in names:
            names.append(name)
    ranged, low, sizes = rng.random() < 0.5, 2, {}
    for name in names:
        high = low + rng.randint(1, 4)
        sizes[name] = (low if ranged else 1, high)
        low = (
            high - rng.randint(0, 1)
            if ranged and rng.random() < 0.5
            else high + (1 if ranged else 0)
        )
    if rng.random() < 0.3:
        names.reverse()
    who = rng.choice(("people", "people", "persons", "players", "guests", "seats", ""))
    written = rng.random() < 0.35
    rows = []
    for name in names:
        first, last = (spoken_number(n) if written else str(n) for n in sizes[name])
        span = (
            f"{first}{' to ' if written else rng.choice(('-', '-', ' to ', '–'))}{last}"
            if ranged
            else choose_branches(f"[up to {last}|{last}|max {last}|at most {last}]", rng)
        )
        label = name.removeprefix("the ") if rng.random() < 0.4 else name
        rows.append(Row(label, [("size", f"{span} {who}".strip())]))
    heading = rng.choice(
        (
            f"{capitalise(noun)}s:",
            f"Our {noun}s:",
            f"You have {spoken_number(len(names))} {noun}s:",
            f"{capitalise(noun)}s:",
            "",
        )
    )
    told = " ".join(rows_text(rows, heading, rng))

    def said(name: str) -> str:
        first, last = sizes[name]
        return f"{name} is for {f'{spoken_number(first)} to ' if ranged else 'up to '}{spoken_number(last)} people."

    asks: list[tuple[str, str]] = []
    most = max(high for _, high in sizes.values())
    for count in rng.sample(range(2, most + 3), 3 if most > 2 else 1):
        fitting = [name for name in sizes if sizes[name][0] <= count <= sizes[name][1]]
        if fitting:
            best = min(fitting, key=lambda name: sizes[name][1])
            answer = capitalise(said(best))
        elif count > most:
            answer = f"I'm sorry, {said(max(sizes, key=lambda name: sizes[name][1]))}"
        else:
            continue
        asks += [(_WHICH.replace("{n}", spoken_number(count)).replace("{noun}", noun), answer)] * 3
    for name in names:
        asks.append((_HOW_MANY.replace("{x}", name), capitalise(said(name))))
        count = max(1, sizes[name][1] + rng.choice((-1, 0, 0, 1, 1, 2, -2)))
        fits = sizes[name][0] <= count <= sizes[name][1]
        asks.append(
            (
                _CAN.replace("{x}", name).replace("{n}", spoken_number(count)),
                f"{'Yes' if fits else 'No'}, {said(name)}",
            )
        )
    what = f"[which {noun}s [are there|do you have|have you got]|what {noun}s [do you have|have you got|you got|are there]|which {noun}s you got|what {noun}s can we choose from|what are your {noun}s called]"
    asks.append((what, f"We have {joined(names)}."))
    more = [
        (f"[and {name}|what about {name}|how about {name}]", capitalise(said(name)))
        for name in names
    ]
    return Fact("groups", told, asks, more)
