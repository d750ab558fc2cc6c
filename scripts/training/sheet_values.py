"""Values of a prompt's sheet of facts: how it writes a price, a length, a time, and how they are said."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final, NamedTuple

from desk_hours import DAYS
from desk_week import clock_words
from spoken_numbers import spoken_number

_SIGNS: Final = {"euro": "€", "pound": "£", "dollar": "$"}
_CODES: Final = {"euro": "EUR", "pound": "GBP", "dollar": "USD"}
#: How a whole sheet writes its prices; ``bare`` leaves the coin to the heading or the last one.
PRICE_STYLES: Final = (
    *("words", "words", "hyphens", "figures", "figures", "figures", "figures"),
    *("sign", "sign", "behind", "code", "bare", "bare"),
)
CLOCK_STYLES: Final = ("figures", "am", "am", "24", "24", "bare", "thirty", "dot")


class Pair(NamedTuple):
    """A value as the prompt writes it and as the assistant says it."""

    told: str
    said: str


class Money(NamedTuple):
    """An amount of a coin; no coin where the prompt tells none."""

    cents: int
    coin: str

    def said(self) -> str:
        """``four euros twenty``."""
        whole, rest = divmod(self.cents, 100)
        name = f" {self.coin}{'' if whole == 1 else 's'}" if self.coin else ""
        if not whole and self.coin:
            return f"{spoken_number(rest)} {'pence' if self.coin == 'pound' else 'cents'}"
        return f"{spoken_number(whole)}{name}{f' {spoken_number(rest)}' if rest else ''}"

    def told(self, style: str) -> str:
        """As a prompt writes it: ``4.20 euros``, ``€4.20``, ``4 EUR``."""
        whole, rest = divmod(self.cents, 100)
        number = f"{whole}.{rest:02}" if rest else str(whole)
        if style in ("words", "hyphens"):
            said = self.said()
            return _hyphens(said) if style == "hyphens" else said
        if not self.coin or style == "bare":
            return number
        if not whole and style == "figures":
            return f"{rest} {'pence' if self.coin == 'pound' else 'cents'}"
        if style == "sign":
            return f"{_SIGNS[self.coin]}{number}"
        if style == "behind":
            return f"{number} {_SIGNS[self.coin]}" if self.coin == "euro" else f"{number}{_SIGNS[self.coin]}"  # fmt: skip
        if style == "code":
            return f"{number} {_CODES[self.coin]}"
        return f"{number} {self.coin}{'' if self.cents == 100 else 's'}"


def _hyphens(words: str) -> str:
    """``forty five -> forty-five``."""
    parts = words.split()
    for at in range(len(parts) - 1, 0, -1):
        if parts[at - 1].endswith("ty") and spoken_unit(parts[at]):
            parts[at - 1 : at + 1] = [f"{parts[at - 1]}-{parts[at]}"]
    return " ".join(parts)


def spoken_unit(word: str) -> bool:
    """Whether a word is a number from one to nine."""
    return word in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def draw_money(rng: random.Random, coin: str, low: int, high: int) -> Money:
    """A price between two, in whole coins mostly; dear ones are round."""
    whole = rng.randint(low, high)
    if whole > 100:
        whole = 10 * (whole // 10)
    elif whole > 20 and rng.random() < 0.5:
        whole = 5 * (whole // 5)
    rest = rng.choice((50, 50, 20, 80, 90, 10, 40, 75)) if whole < 20 and rng.random() < 0.28 else 0
    return Money(100 * whole + rest, coin)


def length(rng: random.Random) -> Pair:
    """``30 min`` that is said ``thirty minutes``."""
    pick = rng.random()
    if pick < 0.55:
        number = rng.choice((5, 10, 15, 20, 20, 25, 30, 30, 35, 40, 45, 45, 50, 60, 75, 90))
        said = f"{spoken_number(number)} minutes"
        return Pair(rng.choice((f"{number} minutes", f"{number} minutes", f"{number} min", f"{number} mins", said, said)), said)  # fmt: skip
    if pick < 0.62:
        return Pair("half an hour", "half an hour")
    if pick < 0.7:
        return Pair(rng.choice(("one hour", "an hour", "1 hour", "1 h", "1 hour")), "one hour")
    unit = rng.choice(("hour", "hour", "day", "day", "week"))
    number = rng.randint(2, 9)
    said = f"{spoken_number(number)} {unit}s"
    short = {"hour": f"{number} h", "day": f"{number} days", "week": f"{number} wks"}[unit]
    return Pair(rng.choice((f"{number} {unit}s", f"{number} {unit}s", said, said, short)), said)


def clock_at(minute: int, style: str) -> Pair:
    """A time of day: ``18:30`` that is said ``six thirty``."""
    said = clock_words(minute, "bare" if style == "bare" else "thirty")
    hour, rest = divmod(minute, 60)
    if rest not in (0, 30):
        word = spoken_number((hour - 1) % 12 + 1)
        said = f"{word} {'oh ' if rest < 10 else ''}{spoken_number(rest)}"
    twelve = (hour - 1) % 12 + 1
    if style == "24":
        return Pair(f"{hour % 24}:{rest:02}", said)
    if style == "dot":
        return Pair(f"{hour % 24}.{rest:02}", said)
    if style == "am":
        return Pair(f"{twelve}{f':{rest:02}' if rest else ''} {'am' if hour < 12 else 'pm'}", said)
    if style == "figures":
        return Pair(f"{twelve}:{rest:02}" if rest else f"{twelve}", said)
    return Pair(said, said)


def day_told(day: int, rng: random.Random) -> str:
    """``Mon``, ``Mondays``, ``MON``, ``every Monday``."""
    name = DAYS[day]
    return rng.choice((name, name, f"{name}s", name[:3], f"every {name}", name.upper()))
