"""One fact of a system prompt, whatever it is about, and the values that facts are made of."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from chatter import figures
from desk_hours import DAYS
from dialogue_values import capitalise, draw_value, invented_name, with_an
from domain import choose_branches
from open_words import open_word, with_drawn
from order_items import joined
from spoken_numbers import spoken_number


class Fact(NamedTuple):
    """What a prompt tells of one subject, what is asked of it, and the one answer to each."""

    name: str  # of the subject: what is told isn't asked as unknown
    told: str
    asks: Sequence[tuple[str, str]]
    more: Sequence[tuple[str, str]] = ()  # what may follow one of these: ``and Doctor Wen``


_SMALL: Final = (5, 10, 15, 20, 25, 30, 40, 45, 50, 60, 70, 80, 90)
_SIGNS: Final = {"euro": "€", "pound": "£", "dollar": "$"}


def drawn_price(rng: random.Random, coin: str = "") -> str:
    """``four euros``, ``two pounds fifty``, ``twenty cents``."""
    coin = coin or rng.choice(("euro", "euro", "euro", "pound", "dollar"))
    pick = rng.random()
    if pick < 0.12:
        cents = rng.choice((*_SMALL, 12, 35, 55, 75))
        return f"{spoken_number(cents)} {'pence' if coin == 'pound' else 'cents'}"
    whole = rng.randint(2, 20) if pick < 0.75 else rng.choice(_SMALL)
    price = f"{spoken_number(whole)} {coin}s"
    return f"{price} {rng.choice(('fifty', 'fifty', 'twenty'))}" if pick < 0.2 else price


def person(rng: random.Random, doctor: bool = False) -> str:
    """Somebody who works there: ``Doctor Patel``, ``Orla``, ``Mrs Wen``."""
    name = draw_value("surname", rng, True).say
    if rng.random() < 0.3:
        name = capitalise(invented_name(rng))
    if doctor or rng.random() < 0.3:
        return f"{rng.choice(('Doctor', 'Doctor', 'Dr'))} {name}"
    if rng.random() < 0.3:
        return f"{rng.choice(('Mrs', 'Mr', 'Miss'))} {name}"
    return draw_value("name", rng, True).say if rng.random() < 0.7 else capitalise(open_word(rng))


def clock(rng: random.Random) -> str:
    """A time of day as a prompt and the assistant write it."""
    number, pick = rng.randint(1, 12), rng.random()
    hour = spoken_number(number)
    if pick < 0.55:
        return hour
    if pick < 0.7:
        return f"half past {hour}"
    if pick < 0.8:
        return f"{hour} {rng.choice(('thirty', 'fifteen', 'forty five'))}"
    part = "morning" if number > 8 else "afternoon" if number < 6 else "evening"
    return rng.choice(("noon", f"{hour} in the {part}")) if number < 12 else "noon"


def some_days(rng: random.Random) -> list[int]:
    """One to three days of the week, not all beside each other."""
    return sorted(rng.sample(range(7), rng.choice((1, 1, 2, 2, 3))))


def days_said(days: Sequence[int], many: bool = False) -> str:
    """``Monday to Wednesday``, ``Monday and Thursday``, ``Mondays``."""
    if len(days) == 7:
        return "every day"
    if len(days) == 6:
        return f"every day except {DAYS[next(day for day in range(7) if day not in days)]}"
    if len(days) > 2 and days[-1] - days[0] == len(days) - 1:
        return f"{DAYS[days[0]]} to {DAYS[days[-1]]}"
    return joined([f"{DAYS[day]}{'s' if many else ''}" for day in days])


def and_on(day: int) -> str:
    """``and on Sundays``: the question before, of another day."""
    name = DAYS[day]
    return f"[and on {name}s|and {name}|what about {name}s|and on {name}|how about {name}|and on a {name}|okay and {name}s]"


def opened(text: str, rng: random.Random) -> str:
    """Branches chosen, and any words in place of ``{o}``, a place in place of ``{w}``."""
    text = choose_branches(text, rng)
    return with_an(with_drawn(text, {"{w}": lambda: place(rng), "{o}": lambda: open_word(rng)}))


def place(rng: random.Random) -> str:
    """``behind the house``, ``on the second floor``."""
    where = (
        "[behind|in front of|beside|opposite|next to] the [house|building|station|church|desk|entrance|lift|{o}|{o} shop]"
        "|in the [yard|basement|garden|{o} street|{o} room|main hall|cellar]"
        "|on the [ground|first|second|third|fourth] floor|[across|down|up] the road|at the [back|front|{o} gate]|in {o} street"
    )  # fmt: skip
    return with_drawn(choose_branches(f"[{where}]", rng), {"{o}": lambda: open_word(rng)})


def in_figures(text: str, rng: random.Random) -> str:
    """``four euros fifty -> 4 euros 50, €4.50, 4.50 EUR``."""
    text = figures(text)
    style = rng.random()
    if style < 0.35:
        return re.sub(r"(\d+) (euro|pound|dollar)s? (\d\d)\b", r"\1.\3 \2s", text)
    for coin, sign in _SIGNS.items():
        text = re.sub(rf"(\d+) {coin}s? (\d\d)\b", rf"{sign}\1.\2", text)
        text = re.sub(rf"(\d+) {coin}s?\b", rf"{sign}\1", text)
    if style < 0.5:
        text = re.sub(r"€(\d+(?:\.\d\d)?)", r"\1 €", text)
    return text
