"""Numbers that stand in a text in digits: cards, telephone numbers, any others. Pure.

People and recognizers write them in groups, "4242, 4242 - 4242. 4242". So a whole run of digits is
looked at, with up to three separators between two of them, and then which of its groups are one.
"""

from __future__ import annotations

import re
from itertools import accumulate

Span = tuple[int, int]

_DASH = r"\u2010-\u2015\u2212-"
_BETWEEN = rf"[\s,./{_DASH}]{{0,3}}"

DIGITS = re.compile(rf"\d(?:{_BETWEEN}\d)*")
NUMBER = re.compile(rf"(?:\b[A-Za-z]{{1,2}})?{DIGITS.pattern}")
PHONE = re.compile(rf"(?<!\w)\+?\(?\d(?:[\s(),./{_DASH}]{{0,3}}\d)*")

_MIN_CARD, _MAX_CARD = 13, 19
_MIN_PHONE, _MAX_PHONE = 7, 15
_MIN_NUMBER = 6

_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:19|20)\d\d"
_HOUR = r"(?:[01]?\d|2[0-4])"
_TO = rf"\s?[{_DASH}]\s?"
_DATE = (
    rf"(?:(?:{_DAY}([./-]){_MONTH}|{_MONTH}([./-]){_DAY})(?:\1|\2){_YEAR}"
    rf"|(?:{_DAY}([./]){_MONTH}|{_MONTH}([./]){_DAY})(?:\3|\4)\d\d"
    rf"|{_YEAR}([./-]){_MONTH}\5{_DAY})"
)
_AMOUNT = r"(?:[1-9]\d{0,2}(?:(?:,\d{3})+(?:\.\d{2})?|\.\d{3}(?:,\d{2})?)|\d{1,4}[.,]\d{2})"
_PLAIN = re.compile(rf"(?<!\S)(?:{_DATE}|{_AMOUNT}(?:{_TO}{_AMOUNT})?)(?=[,.]?(?:\s|\Z))")
_ALL_PLAIN = re.compile(
    rf"{_YEAR}(?:{_TO}|/|,\s){_YEAR}|{_HOUR}{_TO}{_HOUR}(?:,\s?{_HOUR}{_TO}{_HOUR})*"
)
"""Dates, times, prices and years: nobody's number."""


def cards(run: str) -> list[Span]:
    """Groups that are a card by their length and their check digit (Luhn)."""
    digits, groups, counts = _groups(run)
    found, first = [], 0
    while first < len(groups):
        last = first
        while last < len(groups) and counts[last + 1] - counts[first] <= _MAX_CARD:
            last += 1
        while last > first and counts[last] - counts[first] >= _MIN_CARD:
            if _checks(digits[counts[first] : counts[last]]):
                found.append((groups[first][0], groups[last - 1][1]))
                first = last - 1
                break
            last -= 1
        first += 1
    return found


def phones(run: str) -> list[Span]:
    """Groups that are as long as telephone numbers; what is too little for one more goes with the
    last."""
    _, groups, counts = _groups(run)
    if _odd(run) < _MIN_PHONE:
        return []
    found, first = [], 0
    while first < len(groups):
        last = first
        while last < len(groups) and counts[last + 1] - counts[first] <= _MAX_PHONE:
            last += 1
        if counts[last] - counts[first] < _MIN_PHONE:
            first += 1
            continue
        if counts[-1] - counts[last] < _MIN_PHONE:
            last = len(groups)
        found.append((groups[first][0] if first else 0, groups[last - 1][1]))
        first = last
    return found


def numbers(run: str) -> list[Span]:
    """All of it, where it is long enough."""
    return [(0, len(run))] if _odd(run) >= _MIN_NUMBER else []


def _groups(run: str) -> tuple[list[int], list[Span], list[int]]:
    """Its digits, where those without a gap stand, and how many come before each such group and in
    all."""
    groups = [found.span() for found in re.finditer(r"\d+", run)]
    counts = list(accumulate((end - start for start, end in groups), initial=0))
    return [int(c) for c in run if c.isdecimal()], groups, counts


def _odd(run: str) -> int:
    """How many digits belong to no date and no price."""
    if _ALL_PLAIN.fullmatch(run):
        return 0
    return sum(c.isdecimal() for c in _PLAIN.sub("", run))


def _checks(digits: list[int]) -> bool:
    doubled = [d * 2 - 9 * (d > 4) for d in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
