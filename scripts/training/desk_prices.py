"""Prices of a desk: what has one, what callers call it, and how a prompt lists them."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from desk_wares import TRADES, Ware, parsed
from dialogue_values import capitalise, with_an
from open_words import open_word
from order_items import joined
from spoken_numbers import spoken_number


@dataclass(frozen=True)
class Thing:
    """What has a price: ``a haircut``, ``a ticket for children``."""

    said: str
    price: str
    euros: int  # 0 where the price isn't a whole number
    unit: str = ""  # `` a night``
    nouns: str = ""  # a caller's words for it: ``my hair cut|a trim``
    verbs: str = ""  # and what is done: ``get my hair cut``
    lasts: str = ""  # how long it takes: ``two days``

    def lasting(self) -> str:
        """``A haircut takes half an hour.``"""
        verb = "take" if self.answer().split(self.price)[0].endswith(" are ") else "takes"
        return f"{capitalise(self.said)} {verb} {self.lasts}."

    def answer(self) -> str:
        """``A haircut is twenty eight euros.``"""
        words = self.said.split()
        many = words[0] not in ("a", "an", "the") and words[-1].endswith("s")
        verb = "are" if many and not words[0].endswith("ing") and "aqua" not in words else "is"
        return f"{capitalise(self.said)} {verb} {self.price}{self.unit}."


_CENTS: Final = ("fifty", "fifty", "fifty", "twenty", "eighty", "ninety", "forty")
_TICKET: Final = "a ticket for "
_WHO: Final = (
    "adults",
    "children",
    "students",
    "seniors",
    "pensioners",
    "families",
    "members",
    "teenagers",
    "groups",
)


@functools.cache
def _wares() -> Mapping[str, Ware]:
    """All wares by the words of a prompt."""
    lines = (line for trade in TRADES.values() for line in trade.wares.split(";"))
    return {ware.said: ware for ware in map(parsed, lines) if "{" not in ware.said}


def thing_of(ware: Ware, low: int, high: int, coin: str, rng: random.Random) -> Thing:
    """A ware and its price in a coin."""
    whole = rng.randint(low, high)
    whole = 5 * max(1, whole // 5) if whole > 20 and rng.random() < 0.6 else whole
    price = f"{spoken_number(whole)} {coin}{'' if whole == 1 else 's'}"
    if ware.cents and rng.random() < 0.85:
        count = spoken_number(rng.choice((5, 10, 10, 15, 20, 20, 25, 30, 40, 50, 60, 80)))
        price, whole = f"{count} {'pence' if coin == 'pound' else 'cents'}", 0
    elif rng.random() < 0.2 and whole < 20:
        price, whole = f"{price} {rng.choice(_CENTS)}", 0
    unit = f" {ware.unit}" if ware.unit else ""
    return Thing(ware.said, price, whole, unit, ware.nouns, ware.verbs)


def priced(names: Sequence[str], low: int, high: int, rng: random.Random, unit: str) -> list[Thing]:
    """Prices for things that a booking may name; ``unit`` is what rooms are priced by."""
    coin = draw_coin(rng)
    things = []
    for name in names:
        open_kind = rng.random() < 0.3
        said = _opened(name, unit, rng) if open_kind else name
        nightly = said.split()[-1] in ("pitch", "cabin", "suite", "bed", "hut") or "room" in said
        per = unit.strip() if nightly else ""
        known = _wares().get(said)
        ware = Ware(said, known.nouns if known else "", known.verbs if known else "", per)
        things.append(thing_of(ware, low, high, coin, rng))
    return things


def draw_coin(rng: random.Random) -> str:
    """``euro``, mostly."""
    return rng.choice(("euro", "euro", "euro", "pound", "dollar"))


def _opened(said: str, unit: str, rng: random.Random) -> str:
    """``a haircut -> a velvet haircut``: of a kind that nobody has."""
    if " of " in said or unit or "ticket" in said or not said.startswith("a"):
        return said
    return with_an(f"a {open_word(rng)} {said.rsplit(maxsplit=1)[-1]}")


def sold(wares: str, low: int, high: int, rng: random.Random) -> list[Thing]:
    """One to four of a trade's wares with their prices, no two of the same."""
    lines, coin = wares.split(";"), draw_coin(rng)
    things: list[Thing] = []
    for line in rng.sample(lines, min(len(lines), rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6)))):
        text = line
        for key in ("{o} {o}", "{o}"):
            text = text.replace(key, " ".join(open_word(rng) for _ in key.split()))
        ware = parsed(text)
        ware = ware._replace(
            said=with_an(ware.said), nouns=with_an(ware.nouns), verbs=with_an(ware.verbs)
        )
        if not any(_alike(ware.said, thing.said) for thing in things):
            things.append(thing_of(ware, low, high, coin, rng))
    return things


def _alike(one: str, other: str) -> bool:
    """Whether two things have words in common."""
    stems = {word[:5] for word in one.split() if len(word) > 2}
    return any(word[:5] in stems for word in other.split())


def admission(rng: random.Random) -> list[Thing]:
    """What adults, children and others pay to come in."""
    coin, who = draw_coin(rng), ["adults", *rng.sample(_WHO[1:], rng.choice((1, 1, 2, 2, 3)))]
    if "seniors" in who and "pensioners" in who:
        who.remove("seniors")
    if rng.random() < 0.25:
        rng.shuffle(who)
    return [thing_of(Ware(_TICKET + name), 2, 28, coin, rng) for name in who]


def prices_text(things: Sequence[Thing], rng: random.Random) -> str:
    """How a prompt lists prices."""
    prices = _listed_prices(things, rng)
    if all(thing.said.startswith(_TICKET) for thing in things):
        return _tickets_text(things, prices, rng)
    saids = [thing.said for thing in things]
    if rng.random() < 0.25:
        saids = [re.sub(r"^(an?|the) ", "", said) for said in saids]
    style, verb = rng.random(), rng.choice(("is", "is", "costs"))
    glue = rng.choice((", ", ", ", "; ", " and "))
    glue = "; " if any(thing.lasts for thing in things) else glue
    if style < 0.2:
        head = rng.choice(("Prices: ", "Prices: ", "Price list: ", "We charge: "))
        return head + glue.join(f"{s} {p}" for s, p in zip(saids, prices, strict=True)) + "."
    if style < 0.3:
        return capitalise(glue.join(f"{s}: {p}" for s, p in zip(saids, prices, strict=True))) + "."
    if style < 0.4:
        parts = [f"{s} for {p}" for s, p in zip(saids, prices, strict=True)]
        return rng.choice(("You sell ", "You offer ", "We do ", "We have ")) + joined(parts) + "."
    if style < 0.5:
        return " ".join(f"{capitalise(s)} {verb} {p}." for s, p in zip(saids, prices, strict=True))
    first, again = ("" if rng.random() < 0.25 else f" {verb}"), rng.choice(("", "", f" {verb}"))
    parts = [
        f"{s}{first if i == 0 else again} {p}"
        for i, (s, p) in enumerate(zip(saids, prices, strict=True))
    ]
    return capitalise(joined(parts) if rng.random() < 0.5 else ", ".join(parts)) + "."


def _listed_prices(things: Sequence[Thing], rng: random.Random) -> list[str]:
    """The prices; after the first the coin may be left out: ``thirty two euros, sixty``."""
    short, prices = rng.random() < 0.4, []
    glue = rng.choice((" and takes {}", ", {}", " ({})", ", takes {}"))
    for index, thing in enumerate(things):
        plain = index and thing.euros > 1 and short and things[0].euros
        lasts = glue.format(thing.lasts) if thing.lasts else ""
        prices.append((spoken_number(thing.euros) if plain else thing.price) + thing.unit + lasts)
    return prices


def _tickets_text(things: Sequence[Thing], prices: Sequence[str], rng: random.Random) -> str:
    who = [thing.said.removeprefix(_TICKET) for thing in things]
    pairs = list(zip(who, prices, strict=True))
    style = rng.random()
    if style < 0.3:
        head = rng.choice(("Tickets: ", "Tickets: ", "Admission: ", "Entry: ", "Prices: "))
        return head + rng.choice((", ", "; ")).join(f"{w} {p}" for w, p in pairs) + "."
    if style < 0.6:
        parts = [
            f"{w}{' pay' if i == 0 or rng.random() < 0.2 else ''} {p}"
            for i, (w, p) in enumerate(pairs)
        ]
        return capitalise(joined(parts) if rng.random() < 0.4 else ", ".join(parts)) + "."
    if style < 0.75:
        return capitalise(", ".join(f"{w} {p}" for w, p in pairs)) + "."
    if style < 0.88:
        what = rng.choice(("A ticket", "Admission", "Entry"))
        return f"{what} is {', '.join(f'{p} for {w}' for w, p in pairs)}."
    return (
        capitalise(
            joined([f"{_TICKET}{w}{' is' if i == 0 else ''} {p}" for i, (w, p) in enumerate(pairs)])
        )
        + "."
    )
