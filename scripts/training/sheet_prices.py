"""A price list as prompts write it: wares with their lengths, sizes, hours, packs; and who pays what."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from desk_prices import Thing, draw_coin
from desk_told import Fact, opened
from dialogue_values import capitalise
from sheet_lines import Row, rows_text
from sheet_values import PRICE_STYLES, Money, draw_money, length
from sheet_wares import Entry, bare_of, draw_entries

_DEAR: Final = frozenset(("hotel", "photo", "garage", "tattoo", "phones", "school", "dentist"))


@dataclass
class PriceList:
    """What is sold, the prompt's lines, and what else is asked of them."""

    things: list[Thing] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)


def _priced(
    entry: Entry, money: Money, style: str, plain: bool, rng: random.Random
) -> tuple[Thing, str, str]:
    """A thing with its price, what its column is, and how the prompt writes it."""
    pick, told, said = rng.random(), money.told(style), money.said()
    kind = "pays" if entry.said.startswith("a ticket for ") else "price"
    unit = f" {entry.unit}" if entry.unit else ""
    whole = money.cents // 100 if money.coin and not money.cents % 100 else 0
    if plain and pick < 0.06:
        told, said = (
            rng.choice((f"from {told}", f"from {told}", f"starting at {told}")),
            f"from {said}",
        )
        whole, kind = 0, "is"
    elif plain and pick < 0.1:
        told, said, whole, kind = "free", "free", 0, "is"
    elif plain and pick < 0.16:
        unit = rng.choice(
            (" a person", " a person", " a head", " an hour", " a day", " a session", " a month")
        )
    if unit and said != "free":
        per = unit.replace(" a ", " per ").replace(" an ", " per ")
        told += rng.choice((unit, unit, per.replace(" per ", "/"), per))
    return Thing(entry.said, said, whole, unit, entry.nouns, entry.verbs), kind, told


def _label(
    entry: Entry, columns: list[tuple[str, str]], rng: random.Random
) -> tuple[str, list[tuple[str, str]], str]:
    """What stands before the columns: ``cut``, ``roses`` (each), with its article in a sentence."""
    bare, article = bare_of(entry.said), entry.said.split()[0]
    alone = (
        entry.label == bare
        and len(bare.split()) == 1
        and not bare.endswith(("s", "y", "ing", "h", "x"))
    )
    if (
        alone
        and article in ("a", "an")
        and columns[0][0] == "price"
        and len(columns) == 1
        and rng.random() < 0.12
    ):
        told = columns[0][1]
        if "/" not in told and " a " not in told and " per " not in told and "from" not in told:
            return f"{bare}s", [("many", f"{told} each")], ""
    label = entry.label
    if entry.said.startswith("a ticket for ") and rng.random() < 0.1:
        label = capitalise(label)
    return label, columns, f"{article} " if label == bare and article in ("a", "an", "the") else ""


def draw_prices(kind: str, rng: random.Random, ticketed: bool) -> PriceList:
    """A list of prices in any writing, with what may be asked of it beside the price."""
    entries = draw_entries(kind, rng, ticketed)
    found, coin, style = PriceList(), draw_coin(rng), rng.choice(PRICE_STYLES)
    where = rng.choice(("last", "last", "head", "none")) if style == "bare" else ""
    low, high = rng.choice(
        ((2, 12), (4, 30), (10, 60), (20, 99), (50, 400) if kind in _DEAR else (8, 50))
    )
    lengths = rng.random() < 0.35 and entries[-1].dear == 1 and not ticketed
    extra: Fact | None = None
    rows, base = [], draw_money(rng, coin, low, high).cents
    for index, entry in enumerate(entries):
        last = where == "last" and index == len(entries) - 1
        money = draw_money(rng, "" if where == "none" else coin, low, high)
        if not index:
            money = Money(base, money.coin)
        elif entry.dear > 1:
            dearer = base * entry.dear * rng.choice((8, 9, 10)) // 1000 * 100
            money = Money(min(90000, dearer or 300), money.coin)
        plain = not where and not entry.unit and entry.dear == 1
        thing, kind, told = _priced(entry, money, "figures" if last else style, plain, rng)
        columns = [(kind, told)]
        if (
            not extra and kind == "price" and rng.random() < 0.08
        ):  # ``18:00, 35 euros, clay included``
            extra = inside(rng)
            columns.append(("extra", extra.told))
        if lengths and rng.random() < 0.8:
            time = length(rng)
            thing = replace(thing, lasts=time.said)
            columns.append(("length", time.told))
            if rng.random() < 0.25:
                columns.reverse()
        rows.append(Row(*_label(entry, columns, rng)))
        found.things.append(thing)
    heading = rng.choice(
        (
            "Prices:",
            "Price list:",
            "Prices",
            "What it costs:",
            "We charge:",
            "FEES",
            "PRICES",
            "Rates:",
            "",
            "",
            "",
            "",
        )
    )
    if where == "head":
        heading = rng.choice(
            (f"Prices in {coin}s:", f"Prices ({coin}s):", f"All prices in {coin}s:", f"In {coin}s:")
        )
        listed = [f"{row.label} {', '.join(value for _, value in row.columns)}" for row in rows]
        found.lines = [f"{heading} {'; '.join(listed)}."]
    else:
        found.lines = rows_text(rows, heading, rng)
    found.facts = [*_both(found.things), *_compared(found.things, rng)]
    if extra:
        found.facts.append(extra._replace(told=""))
    return found


def inside(rng: random.Random) -> Fact:
    """What comes with something: ``clay included``."""
    many = rng.random() < 0.4
    what = opened(
        "[towels|helmets|drinks|the books|paddles|life jackets|snacks|{o}s|tools|shoes]"
        if many
        else "[clay|paint|breakfast|lunch|coffee|insurance|a drink|material|cleaning|delivery|cake|a towel|a helmet|tax|oil|{o}|a {o}|service]",
        rng,
    )
    be = "are" if many else "is"
    told = rng.choice(
        (
            f"{what} included",
            f"{what} included",
            f"with {what}",
            f"incl. {what}",
            f"including {what}",
        )
    )
    bare = re.sub(r"^(an?|the) ", "", what)
    asks = f"[{be} {what} included|do [i|we] [have|need] to pay [extra|on top|] for the {bare} [on top|too|]|do [i|we] pay extra for {what}|{be} {what} extra|does it come with {what}|do [i|we] get {what} with [it|that]|{be} {what} in the price|what about {what}|do i have to buy {what} as well|is there anything to pay for the {bare}]"
    return Fact(bare, told, [(asks, f"{capitalise(what)} {be} included.")])


def _both(things: Sequence[Thing]) -> list[Fact]:
    """The price of something and how long it takes, asked at once."""
    facts = []
    for thing in things:
        if not thing.lasts:
            continue
        names = f"[{'|'.join((thing.said, thing.said, thing.nouns or thing.said))}]"
        asks = f"[how much is {names} and how long does it take|what does {names} cost and how long is it|i need {names} how much and how long|{names} how much and how long|price and time for {names} please|{names} what's that and how long does it take|i'd like {names} what would that cost and how long would it take|tell me the price of {names} and how long it takes]"
        verb = "take" if " take " in thing.lasting() else "takes"
        answer = f"{thing.answer().removesuffix('.')} and {verb} {thing.lasts}."
        facts.append(Fact(f"length of {thing.said}", "", [(asks, answer)]))
    return facts


def _head(thing: Thing) -> str:
    """``New lenses are``, ``A cut is``."""
    return thing.answer().split(f" {thing.price}")[0]


def _compared(things: Sequence[Thing], rng: random.Random) -> list[Fact]:
    """Which of two is cheaper, which of all the cheapest."""
    if (
        len({thing.price for thing in things}) < len(things)
        or len(things) < 2
        or any(not thing.euros for thing in things)
    ):
        return []
    one, two = rng.sample(list(things), 2)
    cheap, dear = (one, two) if one.euros < two.euros else (two, one)
    least, most = min(things, key=lambda t: t.euros), max(things, key=lambda t: t.euros)
    return [Fact("cheaper", "", [
        (f"[what's cheaper {one.said} or {two.said}|which is cheaper {one.said} or {two.said}|is {one.said} or {two.said} cheaper|{one.said} or {two.said} which costs less|which costs less {one.said} or {two.said}]", f"{_head(cheap)} cheaper, {cheap.price}{cheap.unit}."),
        (f"[what's more expensive {one.said} or {two.said}|which is dearer {one.said} or {two.said}|{one.said} or {two.said} which costs more]", f"{_head(dear)} more expensive, {dear.price}{dear.unit}."),
        ("[what's the cheapest [thing|one|you have|you do|]|which is the cheapest|what's your cheapest [price|thing|one]|what costs the least|i don't have much money what's the cheapest]", f"{_head(least)} the cheapest, {least.price}{least.unit}."),
        ("[what's the most expensive [thing|one|]|which is the dearest|what costs the most|what's your most expensive one]", f"{_head(most)} the most expensive, {most.price}{most.unit}."),
    ])]  # fmt: skip
