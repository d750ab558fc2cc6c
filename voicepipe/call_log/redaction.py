"""Personal data taken out of what is written down, by patterns: it misses what has none. Pure.

Names and street addresses are not found: that needs a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Literal

Kind = Literal["card", "iban", "email", "phone", "number"]

_DIGIT = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN = rf"\b(?:(?:double |triple )?{_DIGIT}[\s,-]+){{5,}}(?:double |triple )?{_DIGIT}\b"
"""Six digits or more, said one by one: nobody counts so far, and codes and numbers are said so."""

_NAME = r"[\w.+-]{1,64}(?: (?:dot|underscore) \w{1,64}){0,4}"
_SPOKEN_EMAIL = re.compile(rf"\b{_NAME} at \w{{1,63}}(?: dot \w{{2,24}}){{1,4}}\b", re.I)
_IBAN = re.compile(r"\b[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?\b")

_MAX_CARD, _MIN_CARD = 19, 13


def redact(text: str, kinds: Collection[Kind]) -> str:
    """Each find becomes its kind in brackets: "my card is [card]"."""
    for kind, pattern, is_one in _PATTERNS:
        if kind in kinds:
            text = pattern.sub(_replacing(kind, is_one), text)
    return text


def _replacing(kind: Kind, is_one: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
    return lambda found: f"[{kind}]" if is_one(found[0]) else found[0]


def _is_card(text: str) -> bool:
    """By its length and its check digit (Luhn)."""
    digits = [int(c) for c in text if c.isdigit()]
    doubled = [d * 2 - 9 * (d > 4) for d in digits[-2::-2]]
    right = (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
    return _MIN_CARD <= len(digits) <= _MAX_CARD and right


def _is_iban(text: str) -> bool:
    """By its check digits (ISO 13616)."""
    plain = re.sub(r"\s", "", text).upper()
    number = "".join(str(int(c, 36)) for c in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(number) % 97 == 1


def _has_digits(least: int) -> Callable[[str], bool]:
    return lambda text: sum(c.isdigit() for c in text) >= least


def _anything(text: str) -> bool:
    return True


_PATTERNS: tuple[tuple[Kind, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("email", re.compile(r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+\w{2,24}"), _anything),
    (
        "email",
        _SPOKEN_EMAIL,
        _anything,
    ),
    ("iban", _IBAN, _is_iban),
    ("card", re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)"), _is_card),
    ("phone", re.compile(r"(?<![\d\w])\+?\(?\d(?:[ ().-]{0,2}\d){6,14}(?!\d)"), _has_digits(7)),
    ("number", re.compile(r"(?<!\d)\d(?:[ -]?\d){5,29}(?!\d)"), _has_digits(6)),
    ("number", re.compile(_SPOKEN, re.I), _anything),
)
"""In this order: what is more certain first."""
