"""Which form a noun takes beside a number: the rules of CLDR, for the languages of the tables.

A rule gives the index of the form in the table. `whole`: the number's integer part; `broken`: it
has decimals.
"""

from __future__ import annotations

from collections.abc import Callable

Plural = Callable[[int, bool], int]


def only(whole: int, broken: bool) -> int:
    """One form: Chinese, Turkish (behind a number), Indonesian ..."""
    return 0


def one_and_other(whole: int, broken: bool) -> int:
    """1 dollar, 2 dollars, 1.5 dollars: English, German, Italian, Spanish ..."""
    return 0 if whole == 1 and not broken else 1


def below_two(whole: int, broken: bool) -> int:
    """1,5 euro: French and Portuguese, and in CLDR Hindi and Bengali up to 1."""
    return 0 if whole < 2 else 1


def up_to_one(whole: int, broken: bool) -> int:
    """0 and 1, and what lies between: Hindi, Bengali."""
    return 0 if whole == 0 or (whole == 1 and not broken) else 1


def polish(whole: int, broken: bool) -> int:
    """1 dolar, 2 dolary, 5 dolarów, 1,5 dolara."""
    if broken:
        return 3
    if whole == 1:
        return 0
    return 1 if _ends_in_two_to_four(whole) else 2


def east_slavic(whole: int, broken: bool) -> int:
    """1 рубль, 2 рубля, 5 рублей, 1,5 рубля; 21 is like 1."""
    if broken:
        return 3
    if whole % 10 == 1 and whole % 100 != 11:
        return 0
    return 1 if _ends_in_two_to_four(whole) else 2


def _ends_in_two_to_four(number: int) -> bool:
    return 2 <= number % 10 <= 4 and not 12 <= number % 100 <= 14


def arabic(whole: int, broken: bool) -> int:
    """Zero, one, two, few (3 to 10), many (11 to 99), other (hundreds, decimals)."""
    if broken:
        return 5
    if whole <= 2:
        return whole
    rest = whole % 100
    if 3 <= rest <= 10:
        return 3
    return 4 if rest >= 11 else 5


def hebrew(whole: int, broken: bool) -> int:
    """One, two, other; below one too is one."""
    if broken:
        return 0 if whole == 0 else 2
    return {1: 0, 2: 1}.get(whole, 2)
