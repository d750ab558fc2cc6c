"""Personal data taken out of texts, by patterns: it misses what has none. Pure.

Names are found where they are introduced ("my name is ..."), addresses by the word for a street and
its number; names in running text need a model (`presidio.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Literal

Kind = Literal["card", "iban", "email", "phone", "number", "name", "address"]

_DIGIT = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN = rf"\b(?:(?:double |triple )?{_DIGIT}[\s,-]+){{5,}}(?:double |triple )?{_DIGIT}\b"
"""Six digits or more, said one by one: nobody counts so far, and codes and numbers are said so."""

_NAME = r"[\w.+-]{1,64}(?: (?:dot|underscore) \w{1,64}){0,4}"
_SPOKEN_EMAIL = re.compile(rf"\b{_NAME} at \w{{1,63}}(?: dot \w{{2,24}}){{1,4}}\b", re.I)
_IBAN = re.compile(r"\b[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?\b")

_WORD = r"[^\W\d_][\w'’-]{0,29}"
_INTRODUCED = (
    r"(?:my (?:full |first |last |middle )?name(?: is|'s|’s)|my surname is|i am called|"
    r"(?:i'm|i’m) called|this is(?= \w+(?: \w+)? (?:speaking|calling|here)\b)|"
    r"ich hei(?:ß|ss)e|mein name ist|je m['’]appelle|mon nom est|me llamo|mi nombre es)"
)
_NO_NAME = (
    r"(?!(?:and|but|or|so|not|i|i'm|it|it's|the|a|an|on|in|at|to|for|from|with|of|my|your|you|we|"
    r"speaking|calling|here|is|are|was|can|could|would|will|please|und|aber|ich|nicht|et|mais|je|"
    r"y|pero|quiero)\b)"
)
_NAME_SAID = re.compile(
    rf"\b{_INTRODUCED}\s+({_NO_NAME}{_WORD}(?:\s{_NO_NAME}{_WORD})?"
    rf"(?:\s(?-i:[A-ZÀ-Þ])[\w'’-]{{0,29}})?)",
    re.I,
)
"""One or two words, a third where it has a capital: recognizers mostly write none."""

_COUNT = (
    rf"(?:{_DIGIT}|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|"
    r"twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)"
)
_NO_STREET = (
    r"(?!(?:the|a|an|on|in|to|of|at|for|and|or|from|my|your|this|that|down|up|per|miles?|minutes?|"
    r"hours?|days?|people|times?|percent|more|other)\b)"
)
_STREET = r"(?:street|road|avenue|lane|boulevard|square|terrace|crescent)"
_SHORT = r"(?:st|rd|ave|ln|blvd|drive|dr|court|ct|highway|hwy|close|way)"
_NAMES = rf"(?: {_NO_STREET}{_WORD}){{1,3}}"
_ADDRESSES = (
    rf"\b\d{{1,5}}[a-z]?{_NAMES} (?:{_STREET}|{_SHORT})\b",
    rf"\b{_COUNT}(?:[ -]{_COUNT}){{0,3}}{_NAMES} {_STREET}\b",
    r"\b[^\W\d_]{2,30}(?:stra(?:ß|ss)e|str\.|gasse|allee|platz|weg|ufer) ?\d{1,4} ?[a-z]?\b",
    r"\b\d{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|chemin|allée|impasse|quai)"
    rf"(?: (?:de|du|des|la|le|les)){{0,2}}(?: (?:l|d)['’])?(?: ?{_WORD}){{1,2}}",
    r"\b(?:calle|avenida|plaza|paseo)(?: (?:de|del|la|las|los|el)){0,2}"
    rf"(?: {_WORD}){{1,2}},? (?:número )?\d{{1,4}}\b",
)

_MAX_CARD, _MIN_CARD = 19, 13


def redact(text: str, kinds: Collection[Kind]) -> str:
    """Each find becomes its kind in brackets: "my card is [card]"."""
    for kind, pattern, is_one in _PATTERNS:
        if kind in kinds:
            text = pattern.sub(_replacing(kind, is_one), text)
    return text


def _replacing(kind: Kind, is_one: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
    """Of a match its group, where the pattern has one, or all of it."""

    def replaced(found: re.Match[str]) -> str:
        if not is_one(found[0]):
            return found[0]
        start, end = found.span(found.re.groups)
        text, begin = found[0], found.start()
        return f"{text[: start - begin]}[{kind}]{text[end - begin :]}"

    return replaced


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
    ("email", _SPOKEN_EMAIL, _anything),
    ("iban", _IBAN, _is_iban),
    ("card", re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)"), _is_card),
    ("phone", re.compile(r"(?<![\d\w])\+?\(?\d(?:[ ().-]{0,2}\d){6,14}(?!\d)"), _has_digits(7)),
    ("number", re.compile(r"(?:\b[A-Za-z]{1,2}|(?<!\d))\d(?:[ -]?\d){5,29}(?!\d)"), _has_digits(6)),
    ("number", re.compile(_SPOKEN, re.I), _anything),
    ("name", _NAME_SAID, _anything),
    *(("address", re.compile(pattern, re.I), _anything) for pattern in _ADDRESSES),
)
"""In this order: what is more certain first."""
