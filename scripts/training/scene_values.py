"""What is drawn for one telling of a scene: ``{name1}``, ``{n1*p1+2}``, ``{time1:9-12#}``.

The same throughout a scene, and new in each telling. Names and words: ``{name1}`` (whole),
``{first1}``, ``{last1}``, ``{spelt1}`` (the last name, "m a r s h"; ``{SPELT1}``: "M A R S H"),
``{phone1}``, ``{odd1}`` (a word that does not exist, or hardly), ``{pick1:red/green/dark blue}``
(one of these). Numbers: ``{n1}`` (2 to 8), ``{p1}`` (6 to 60), ``{euros1}``, ``{pounds1}``,
``{dollars1}`` (an amount: "three euros ninety"), ``{time1}`` ("half past five"), ``{day1}`` (a
weekday), ``{date1}`` ("the fourth of May").

Bounds stand behind the first mention: ``{n1:12-90}``, ``{euros1:4-20}``, ``{time1:9-12}`` (hours).
Sums are worked out, products first: ``{n1*p1+p2}``, ``{p1-p2}``, ``{n1*euros1}``; of times in
minutes, of dates and weekdays in days: ``{time1+n1*60}``, ``{day1+1}``, ``{date1-2}``. All is said
in words; ``{p1#}`` is in figures ("3.90", "17:30", "Tue", "4 May"), ``{P1}`` is capitalised.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any, Final

from dialogue_values import capitalise, draw_value, invented_name, proper
from open_words import open_word
from order_money import Money
from spoken_numbers import MONTHS, WEEKDAYS, plain_time, spoken_number, spoken_ordinal

_VALUE: Final = re.compile(
    r"\{([A-Za-z]+)(\d)(?::(\d+-\d+|[^{}#:*+/]+(?:/[^{}#:*+/]+)+))?"
    r"((?:[*+-](?:[a-z]+\d|\d+))*)(#?)\}"
)
MONEY: Final = {
    f"{one}s": Money(one, f"{one}s", part, "", 1, "fifty", hyphens=False)
    for one, part in (("euro", "cents"), ("pound", "pence"), ("dollar", "cents"))
}
_FIRST_DAY: Final = date(2026, 1, 1)
#: Kinds of numbers, and their bounds where a scene sets none.
_BOUNDS: Final = {
    "n": (2, 8),
    "p": (6, 60),
    **dict.fromkeys(MONEY, (2, 40)),
    "time": (9, 20),
    "day": (0, 6),
    "date": (0, 364),
}


class SceneError(ValueError):
    """A scene that cannot be read; says where."""


class Values:
    """Of one telling."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._drawn: dict[tuple[str, str], Any] = {}
        self._bounds: dict[tuple[str, str], tuple[int, int]] = {}

    def fill(self, text: str) -> str:
        """The text with its values. Raises SceneError."""
        filled = _VALUE.sub(self._value, text)
        if left := re.search(r"\{(?:\d|[A-Za-z]+\d)[^}]*\}?", filled):
            raise SceneError(f"no value: {left[0]}")
        return filled

    def fill_json(self, found: Any) -> Any:
        """The same of all strings in it; one that is nothing but ``{n1*60#}`` becomes a number."""
        if isinstance(found, dict):
            return {name: self.fill_json(value) for name, value in found.items()}
        if isinstance(found, list):
            return [self.fill_json(value) for value in found]
        if not isinstance(found, str):
            return found
        filled, whole = self.fill(found), _VALUE.fullmatch(found)
        return int(filled) if whole and whole[5] and filled.isdigit() else filled

    def _value(self, match: re.Match[str]) -> str:
        word, number, choice, behind, figures = match.groups()
        kind = word.lower()
        if kind in _BOUNDS:
            if choice:
                least, most = map(int, choice.split("-"))
                self._bounds.setdefault((kind, number), (least, most))
            said = self._sum(kind + number + behind, bool(figures))
        elif behind or figures:
            raise SceneError(f"no such value: {match[0]}")
        else:
            said = self._words(kind, number, choice)
        if kind == "spelt":
            return said.upper() if word.isupper() else said
        return capitalise(said) if word[0].isupper() else said

    def _words(self, kind: str, number: str, choice: str | None) -> str:
        if kind in _OF_A_NAME:
            return _OF_A_NAME[kind](self._draw("name", number, _name))
        if kind == "pick":
            among = choice.split("/") if choice else []
            return str(self._draw(kind, number, lambda rng: rng.choice(among)))
        if kind in _DRAWN:
            return str(self._draw(kind, number, _DRAWN[kind]))
        raise SceneError(f"no such value: {{{kind}{number}}}")

    # -- numbers -----------------------------------------------------------------------------------

    def _sum(self, terms: str, figures: bool) -> str:
        """What ``n1*p1-2`` is, said as what is dearest in it: a time, an amount, a number."""
        kinds = re.findall(r"[a-z]+", terms)
        lead = next((kind for kind in kinds if kind not in ("n", "p")), "n")
        if any(kind not in ("n", "p", lead) for kind in kinds):
            raise SceneError(f"no such sum: {terms}")
        total = 0
        for sign, product in re.findall(r"([+-]?)([^+-]+)", terms):
            factors = product.split("*")
            value = math.prod(self._number(one) for one in factors)
            measured = sum(one.startswith(lead) for one in factors if lead != "n")
            if measured > 1 or (measured and lead not in MONEY and (sign or len(factors) > 1)):
                raise SceneError(f"no such sum: {terms}")
            if lead in MONEY and not measured:
                value *= 100
            total += -value if sign == "-" else value
        return _said(lead, total, figures)

    def _number(self, term: str) -> int:
        """``n1`` or ``12``; amounts in cents, times in minutes, weekdays and dates in days."""
        if term.isdigit():
            return int(term)
        kind, number = term[:-1], term[-1]
        if kind not in _BOUNDS:
            raise SceneError(f"no number: {term}")
        least, most = self._bounds.get((kind, number), _BOUNDS[kind])

        def draw(rng: random.Random) -> int:
            if kind in MONEY:
                return 10 * rng.randint(least * 10, most * 10)
            if kind == "time":
                return 60 * rng.randint(least, most) + rng.choice((0, 0, 15, 30, 30, 45))
            return rng.randint(least, most)

        return int(self._draw(kind, number, draw))

    def _draw(self, kind: str, number: str, draw: Callable[[random.Random], Any]) -> Any:
        """Two of a kind differ, but where bounds are too narrow for two."""
        for attempt in range(100):
            if (kind, number) in self._drawn:
                break
            try:
                value = draw(self._rng)
            except IndexError:
                raise SceneError(f"its first mention tells no choice: {kind}{number}") from None
            had = [drawn for (other, _), drawn in self._drawn.items() if other == kind]
            if value not in had or attempt == 99:
                self._drawn[kind, number] = value
        return self._drawn[kind, number]


def _said(kind: str, value: int, figures: bool) -> str:
    if kind in MONEY:
        return f"{value / 100:.2f}" if figures else MONEY[kind].words(value)
    if kind == "time":
        hour, minute = divmod(value % (24 * 60), 60)
        return f"{hour}:{minute:02}" if figures else plain_time(hour, minute)
    if kind == "day":
        day = capitalise(WEEKDAYS[value % 7])
        return day[:3] if figures else day
    if kind == "date":
        day_of = _FIRST_DAY + timedelta(value)
        month = capitalise(MONTHS[day_of.month - 1])
        return (
            f"{day_of.day} {month}" if figures else f"the {spoken_ordinal(day_of.day)} of {month}"
        )
    return str(value) if figures else spoken_number(value)


def _name(rng: random.Random) -> tuple[str, str]:
    first, last = (proper(draw_value(slot, rng, written=False).say) for slot in ("name", "surname"))
    if rng.random() < 0.15:
        last = proper(invented_name(rng))
    return first, last


def _phone(rng: random.Random) -> str:
    digits = [rng.choice((0, 0, 5))] + [rng.randint(0, 9) for _ in range(rng.randint(6, 10))]
    return " ".join(spoken_number(digit) for digit in digits)


_OF_A_NAME: Final[dict[str, Callable[[tuple[str, str]], str]]] = {
    "name": " ".join,
    "first": lambda name: name[0],
    "last": lambda name: name[1],
    "spelt": lambda name: " ".join(letter for letter in name[1].lower() if letter.isalpha()),
}
_DRAWN: Final[dict[str, Callable[[random.Random], str]]] = {
    "phone": _phone,
    "odd": lambda rng: open_word(rng) if rng.random() < 0.3 else invented_name(rng),
}
