"""What a till says in figures: prices in any currency and wording, and the numbers of orders."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from open_words import open_word
from spoken_numbers import UNITS, spoken_number

#: One, several, its hundredth part, its sign, and how many of it make a euro.
_CURRENCIES: Final = (
    *(("euro", "euros", "cents", "€", 1),) * 7,
    *(("pound", "pounds", "pence", "£", 1),) * 4,
    *(("pound", "pounds", "p", "£", 1),) * 2,
    *(("dollar", "dollars", "cents", "$", 1),) * 5,
    ("franc", "francs", "rappen", "CHF ", 1),
    ("krona", "kronor", "öre", "kr ", 10),
    ("krone", "kroner", "øre", "kr ", 8),
    ("crown", "crowns", "hellers", "Kč ", 20),
    ("zloty", "zloty", "groszy", "zł ", 4),
    ("rupee", "rupees", "paise", "₹", 40),
    ("yen", "yen", "sen", "¥", 100),
    ("peso", "pesos", "centavos", "$", 15),
)
#: How amounts are written; the first is what ``agents/coffee_bar`` says.
_WAYS: Final = (
    *("fifty",) * 12, *("bare",) * 4, *("and",) * 3, *("a",) * 3, "sign", "sign", "figures",
    "figures", "mixed", "plain",
)  # fmt: skip


@dataclass(frozen=True)
class Money:
    """One currency, and one way of writing amounts of it."""

    one: str
    many: str
    part: str
    sign: str
    times: int
    way: str
    hyphens: bool

    def words(self, cents: int) -> str:
        """An amount that is as much as so many cents of a euro: ``three pounds ninety``."""
        whole, rest = divmod(cents, 100)
        if self.times > 1:
            whole, rest = max(1, cents * self.times // 100), 0
        if self.way in ("sign", "figures", "plain", "mixed"):
            return self._figures(whole, rest)
        unit = self.one if whole == 1 else self.many
        number = "a" if self.way == "a" and whole == 1 else self._number(whole)
        if not rest:
            return f"{number} {unit}"
        if not whole:
            return f"{self._number(rest)} {self.part}"
        if self.way == "and":
            return f"{number} {unit} and {self._number(rest)} {self.part}"
        few = f"oh {UNITS[rest]}" if rest < 10 else self._number(rest)
        return f"{number} {few}" if self.way == "bare" else f"{number} {unit} {few}"

    def _figures(self, whole: int, rest: int) -> str:
        if self.way == "mixed":
            unit = self.one if whole == 1 else self.many
            return f"{whole} {unit} {rest:02d}" if rest else f"{whole} {unit}"
        figure = f"{whole}.{rest:02d}" if self.times == 1 else str(whole)
        if self.way == "plain":
            return figure
        return f"{self.sign}{figure}" if self.way == "sign" else f"{figure} {self.many}"

    def _number(self, number: int) -> str:
        words = spoken_number(number)
        return words.replace(" ", "-") if self.hyphens and 20 < number < 100 else words


def draw_money(rng: random.Random) -> Money:
    """The money of one conversation."""
    one, many, part, sign, times = rng.choice(_CURRENCIES)
    if rng.random() < 0.08:
        one, few = (open_word(rng).removesuffix("s") for _ in range(2))
        many, part, sign = f"{one}s", f"{few}s", f"{one[:2].upper()} "
    return Money(one, many, part, sign, times, rng.choice(_WAYS), rng.random() < 0.4)


def draw_cents(rng: random.Random, whole: int) -> int:
    """About so many euros, in cents, with any ending."""
    pick = rng.random()
    if pick < 0.2:
        rest = 0
    elif pick < 0.5:
        rest = 10 * rng.randint(1, 9)
    elif pick < 0.8:
        rest = 5 * rng.randint(1, 19)
    else:
        rest = rng.choice((95, 99, 49, rng.randint(1, 99), rng.randint(1, 99)))
    return 100 * whole + rest


def order_number(rng: random.Random, hyphens: bool) -> str | int:
    """The number of an order as a till gives it: ``forty-two``, ``one oh seven``, ``b twelve``."""
    pick = rng.random()
    number = rng.randint(1, 99)
    words = spoken_number(number)
    if hyphens and number > 20:
        words = words.replace(" ", "-")
    if pick < 0.62:
        return words
    if pick < 0.74:
        number = rng.randint(100, 999)
        words = spoken_number(number)
        one = words.replace("one hundred", rng.choice(("a hundred", "one hundred")))
        digits = " ".join(UNITS[int(digit)] for digit in str(number))
        return rng.choice((words, one, words.replace(" and", ""), digits))
    if pick < 0.86:
        figure = rng.choice((number, rng.randint(100, 999), rng.randint(1000, 9999)))
        return figure if rng.random() < 0.5 else str(figure)
    letter = rng.choice("abcdefghjklmnpqrstuvwxyz")
    if pick < 0.96:
        tag = rng.choice((letter, letter.upper()))
        return f"{tag}{rng.choice((' ', '-', ''))}{number}" if pick < 0.91 else f"{tag} {words}"
    return f"{open_word(rng)} {words}"
