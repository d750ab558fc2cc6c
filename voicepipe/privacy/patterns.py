"""Personal data taken out of texts, by patterns: it misses what has none. Pure.

Names are found where they are introduced ("my name is ..."), addresses by the word for a street and
its number; names in running text need a model (`presidio.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from voicepipe.privacy import digits

Kind = Literal["card", "iban", "email", "phone", "number", "name", "address"]

_DIGIT = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN = rf"\b(?:(?:double |triple )?{_DIGIT}[\s,-]+){{5,}}(?:double |triple )?{_DIGIT}\b"
"""Six digits or more, said one by one: nobody counts so far, and codes and numbers are said so."""

_NAME = r"[\w.+-]{1,64}(?: (?:dot|underscore) \w{1,64}){0,4}"
_SPOKEN_EMAIL = re.compile(rf"\b{_NAME} at \w{{1,63}}(?: dot \w{{2,24}}){{1,4}}\b", re.I)
_IBAN = re.compile(r"\b[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?\b")
_IBANS = re.compile(r"\b[A-Za-z]{2}\d{2}[A-Za-z0-9 ]+")
"""One, and all that is said behind it: words look like its groups."""

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


def redact(text: str, kinds: Collection[Kind]) -> str:
    """Each find becomes its kind in brackets: "my card is [card]"."""
    for kind, pattern, parts in _PATTERNS:
        if kind in kinds:
            text = pattern.sub(_replacing(kind, parts), text)
    return text


_Parts = Callable[[re.Match[str]], Sequence[digits.Span]]
"""What of a match goes: where it begins and ends within it, in order."""


def _replacing(kind: Kind, parts: _Parts) -> Callable[[re.Match[str]], str]:
    def replaced(found: re.Match[str]) -> str:
        text = found[0]
        for start, end in reversed(parts(found)):
            text = f"{text[:start]}[{kind}]{text[end:]}"
        return text

    return replaced


def _anything(found: re.Match[str]) -> Sequence[digits.Span]:
    """The pattern's group, where it has one, or all of it."""
    start, end = found.span(found.re.groups)
    return [(start - found.start(), end - found.start())]


def _in_digits(spans: Callable[[str], Sequence[digits.Span]]) -> _Parts:
    return lambda found: spans(found[0])


def _ibans(run: str) -> Sequence[digits.Span]:
    """Those whose check digits fit, with as many of the words behind as belong to them."""
    spans: list[digits.Span] = []
    start = 0
    while found := _IBAN.search(run, start):
        begin, start = found.start(), found.start() + 1
        ends = [word.end() for word in re.finditer(r"\w+", found[0])]
        for end in reversed(ends):
            if _is_iban(found[0][:end]):
                start = begin + end
                spans.append((begin, start))
                break
    return spans


def _is_iban(text: str) -> bool:
    """By its check digits (ISO 13616)."""
    plain = re.sub(r"\s", "", text).upper()
    number = "".join(str(int(c, 36)) for c in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(number) % 97 == 1


_PATTERNS: tuple[tuple[Kind, re.Pattern[str], _Parts], ...] = (
    ("email", re.compile(r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+\w{2,24}"), _anything),
    ("email", _SPOKEN_EMAIL, _anything),
    ("iban", _IBANS, _in_digits(_ibans)),
    ("card", digits.DIGITS, _in_digits(digits.cards)),
    ("phone", digits.PHONE, _in_digits(digits.phones)),
    ("number", digits.NUMBER, _in_digits(digits.numbers)),
    ("number", re.compile(_SPOKEN, re.I), _anything),
    ("name", _NAME_SAID, _anything),
    *(("address", re.compile(pattern, re.I), _anything) for pattern in _ADDRESSES),
)
"""In this order: what is more certain first."""
