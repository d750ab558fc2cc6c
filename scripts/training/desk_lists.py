"""What a house takes, teaches or mends, as a list: whether one thing is in it, and what all of it is."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final, NamedTuple

from desk_told import Fact
from dialogue_values import capitalise, invented_name
from open_words import open_word
from order_items import joined


class _List(NamedTuple):
    name: str
    verb: str  # ``teach``
    labels: str
    things: str
    asks: str  # whether {x}: what a caller says
    which: str  # all of it


_LISTS: Final = (
    _List("insurance", "take", "Insurance|Insurances|Insurers|Health insurance", "{N}|{N}|{N}|{N} Health|{N}care|{O}|{O}", "do you [take|accept] {x}|is {x} okay|i'm with {x} do you take that|my insurance is {x}|can i come with {x}|do you work with {x}|i've got {x} is that okay", "which insurance do you [take|accept]|what insurances do you take"),
    _List("teaching", "teach", "We teach|Instruments|Subjects|Taught here", "piano|violin|guitar|drums|flute|cello|singing|trumpet|harp|French|Spanish|maths|chess|painting|dancing|{o}", "do you teach {x}|can i learn {x} [there|]|my [son|daughter] wants to learn {x}|do you [do|offer|have] {x}|i'd like to learn {x} is that possible|is {x} something you teach", "what do you [guys|] teach|which instruments do you teach|what can i learn there|what do you have for my daughter to learn"),
    _List("repairs", "repair", "Repairs|We repair|We mend|We fix", "laptops|phones|tablets|printers|cameras|watches|bicycles|scooters|shoes|bags|radios|clocks|lamps|ovens|washing machines|{o}s|drones|consoles", "do you [repair|fix|mend] {x}|can you [repair|fix] {x}|what about {x}|are {x} something you repair|do you do {x}|could you look at {x}", "what do you [repair|fix|mend]|what can you repair"),
    _List("languages", "speak", "Languages|We speak|Spoken here", "English|French|German|Spanish|Italian|Polish|Turkish|Greek|Dutch|Arabic|Japanese", "do you speak {x}|does somebody speak {x}|is there a tour in {x}|can i speak {x} with you", "which languages do you speak|what languages are there"),
    _List("food", "serve", "We serve|Menu|On the menu|Dishes", "soup|salad|pizza|pasta|curry|burgers|fish|steak|risotto|tapas|pancakes|noodles|{o}|{o} cake|ice cream|sandwiches", "do you [have|serve|do] {x}|can i get {x} [there|]|is there {x}|i'd like {x} do you have that|have you got {x}", "what [do you serve|can we eat|is on the menu|have you got to eat]|what kind of food do you [do|have]"),
    _List("payments", "take", "Payment|We take|Accepted", "cash|cards|cheques|{N}pay|vouchers|{O}|gift cards|bank transfer", "do you take {x}|can i pay [with|by] {x}|is {x} okay|i only have {x} with me|do you accept {x}", "how can i pay|what payments do you take|which payments are okay"),
    _List("wares", "sell", "We sell|In stock|We have|Goods", "bread|milk|eggs|honey|flowers|newspapers|stamps|cards|candles|soap|cheese|wine|apples|plants|seeds|toys|books|{o}s|{o}|{o}", "do you [sell|have|stock] {x}|have you got {x}|can i [buy|get] {x} [there|]|i need {x} do you have that|is there {x} in your shop", "what do you sell|what can i buy there|what have you got in the shop"),
    _List("animals", "treat", "We treat|Animals|Patients", "dogs|cats|birds|rabbits|horses|hamsters|snakes|fish|cows|goats|tortoises|{o}s", "do you [treat|see|look after|take] {x}|can i come with {x}|are {x} okay|do you do {x}", "which animals do you [treat|see]|what animals do you take"),
)  # fmt: skip


def _draw(kind: _List, rng: random.Random) -> str:
    text = rng.choice(kind.things.split("|"))
    for key, value in (
        ("{o}", open_word(rng)),
        ("{O}", capitalise(open_word(rng))),
        ("{N}", capitalise(invented_name(rng))),
    ):
        text = text.replace(key, value)
    return text


def listed(rng: random.Random) -> Fact:
    """Two to five things of a kind; at times one that isn't done is named."""
    kind = rng.choice(_LISTS)
    things = list(dict.fromkeys(_draw(kind, rng) for _ in range(rng.choice((2, 2, 3, 3, 4, 5)))))
    others = [one for one in (_draw(kind, rng) for _ in range(6)) if one not in things]
    words = joined(things)
    label = rng.choice(kind.labels.split("|"))
    no = others[0] if others and rng.random() < 0.3 else ""
    tail = f", but no {no}" if no else rng.choice(("", "", " only", ", nothing else"))
    told = f"{label}{'' if label.startswith('We') else ':'} {words}{tail}."
    if rng.random() < 0.3:
        told = f"We {'only ' if not no and rng.random() < 0.3 else ''}{kind.verb} {words}{tail if no else ''}."
    asks: list[tuple[str, str]] = [(f"[{kind.which}]", f"We {kind.verb} {words}.")]
    for one in rng.sample(things, min(2, len(things))):
        asks.append((f"[{kind.asks}]".replace("{x}", one), f"Yes, we {kind.verb} {words}."))
    for one in ([no] if no else []) + others[1:3]:
        asks.append((f"[{kind.asks}]".replace("{x}", one), f"No, we only {kind.verb} {words}."))
    more = [
        (
            f"[and {one}|what about {one}|and {one} too]",
            f"{'Yes, we' if one in things else 'No, we only'} {kind.verb} {words}.",
        )
        for one in (*things, *others[:2])
    ]
    return Fact(kind.name, told, asks, more)
