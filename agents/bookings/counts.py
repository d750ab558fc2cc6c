"""Numbers of what is counted: "six of us", "just me", "a couple of nights", "one more"."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from names import left
from texts import STREETS
from words import NUMBER, number

_UNITS: Final = (
    r"(?! (?:minutes?|hours?|days?|nights?|weeks?|months?|years?|euros?|pounds?|quid)\b)"
)
_NO_COUNT: Final = (
    r"(?! (?:o'clock|minutes|hours|days|nights|weeks|thirty|fifteen|am|pm|past|in the|at the"
    r"|years?|to (?!do|go|come)\w+)\b)"
)
_NO_HOUSE: Final = rf"(?! (?:\w+ ){{1,2}}(?:{STREETS})\b)"
_NO_CLOCK: Final = r"(?<!at )(?<!till )(?<!until )(?<!around )(?<!past )"
#: "Two of them won't come" counts others.
_NOT_ALL: Final = (
    r"(?! (?:won't|can't|can|could|mightn't|will|would|wouldn't|are|aren't|is|might|may|don't|get"
    r"|want|has|have)\b)"
)
_TOGETHER: Final = (
    r" (?:altogether|in total|all told|in all|all together|total|(?:of us|of them)" + _NOT_ALL + ")"
)
_PEOPLE: Final = (
    "|people|persons?|of ye|guests?|adults?|heads?|seats?|places?|lads|folks|women|men|kids"
    "|children|(?:of them|of us)" + _NOT_ALL
)
_SURELY: Final = (
    "for|party of|group of|we're|we are|we'd be|we'll be|there's|there are|there'll be"
    "|there will be"
)
_PERHAPS: Final = (
    f"{_SURELY}|only|all|just(?: the)?|the|make it|make that|say|so|call it|that's|that makes"
    f"|i've got|we've got"
    "|that'd be|it's|it'll be|be|to|have|got|want|need|take|i've|we've"
)
_AFTER: Final = (
    r"(?=$| \|| (?:then|please|now|of|and|with|if|though|thanks|instead|for|because|actually|not"
    r"|so|in|counting|including|plus|to do|to go)\b)"
)
_TWO: Final = (
    r"(?:me|myself|my \w+|i) and (?!then|so|it|that)(?:me|my \w+|a friend|\w+)"
    r"|my \w+ and (?:i|me|myself)|the two of us|both of us|us two"
)
_ALONE: Final = (
    r"just (?:me|myself|us one)|only me(?! again)|by myself|on my own|just the one(?! \w)|for one"
    r"|just one|only one"
    r"|one of me"
)
_ONE: Final = r"just the one|only one|just one"
#: Amounts that have names of their own.
_NAMED: Final = (
    (r"(?:a )?couple(?: of)?|pair of|both", 2),
    ("half a dozen", 6),
    ("(?:a )?dozen", 12),
)
_MORE: Final = (
    rf"\b(?P<n>{NUMBER}|an?)(?: \w+)? (?:more|extra)\b"
    r"(?! (?:thing|question|time|minute|second|change))"
)
_WEEKS: Final = {"a week": 7, "one week": 7, "a fortnight": 14, "two weeks": 14, "the weekend": 2}
MOST: Final = 100_000
"""That is counted."""


class Count(NamedTuple):
    """A number, and from where to where it stood."""

    value: int
    begin: int
    end: int


def nouns_of(of: str, people: bool = False) -> str:
    """A pattern of what is counted, one or many; ``people``: they may be called so."""
    nouns = "|".join(rf"{re.escape(word.removesuffix('s'))}(?:s|es)?" for word in of.split())
    return nouns + _PEOPLE if people else nouns


def read_count(of: str, text: str, asked: bool, alone: bool, known: Any = None) -> Count | None:
    """How many ``of`` there are in it. ``asked``: a number alone is one; ``alone``: nothing else is
    counted; ``known``: how many there were, to which there may be one more."""
    nouns = nouns_of(of, people=of == "people" or alone)
    if found := _amount(of, text, nouns, known if asked or alone else None, asked):
        return found
    for pattern in _patterns(text, nouns, asked, alone, known is not None):
        for match in reversed(list(re.finditer(rf"\b{pattern}", text))):
            if 0 < number(match["n"]) < MOST:
                return Count(number(match["n"]), *match.span())
    return _in_words(of, text, asked or alone)


def _patterns(text: str, nouns: str, asked: bool, alone: bool, known: bool) -> list[str]:
    """The surest first."""
    several = rf"(?!one\b){NUMBER}"  # "there's one in the bedroom", "the one on friday"
    some = rf"(?!one of\b){NUMBER}"
    patterns = [rf"(?P<n>{some})(?: (?!{NUMBER}\b)\w+)?? (?:{nouns})\b"]
    if asked or alone:
        told = _PERHAPS if asked or not known else _SURELY
        end = _NO_COUNT + _UNITS
        patterns += [
            rf"(?P<n>{some}){_TOGETHER}",
            r"so (?:it's|that's|that makes|we're|we are|there's|make (?:it|that))"
            rf" (?P<n>{NUMBER})\b{end}",
            rf"(?:{told}) (?:about |around |roughly |maybe )?(?P<n>{several})(?:'s)?{_AFTER}{end}",
            rf"^(?P<n>{several}) (?:for|with|now)\b",
        ]
    words = left(text)
    if asked or (alone and len(words) == 1):  # "three then please" puts a number right
        any_number = NUMBER if asked and words == ["one"] else several
        patterns.append(rf"{_NO_CLOCK}(?P<n>{any_number}){_UNITS}{_NO_HOUSE}")
    return patterns


def _amount(of: str, text: str, nouns: str, known: Any, asked: bool) -> Count | None:
    """Amounts without a number: "a couple", "a week", "one more"."""
    if of in ("nights", "days"):
        for told, value in _WEEKS.items():
            if match := re.search(rf"\b(?:for )?{told}\b(?! (?:on|ago|today))", text):
                return Count(value, *match.span())
    if isinstance(known, int) and (match := re.search(rf"{_MORE}(?: (?:{nouns})\b)?", text)):
        more = 1 if match["n"] in ("a", "an") else number(match["n"])
        return Count(known + more, *match.span())
    for told, value in _NAMED:
        end = "$" if asked else "(?!)"
        if match := re.search(rf"\b(?:{told})(?: (?:\w+ )?(?:{nouns})\b|{end})", text):
            return Count(value, *match.span())
    return None


def _in_words(of: str, text: str, loose: bool) -> Count | None:
    """``a horse``, ``just me``, ``me and my wife``."""
    single = "|".join(re.escape(word.removesuffix("s")) for word in of.split())
    told = [(rf"an? (?:{single})", 1)]
    if of == "people":
        told += [(_TWO, 2), (_ALONE, 1)]
    elif loose:
        told.append((_ONE, 1))
    for pattern, value in told:
        if match := re.search(rf"\b(?:{pattern})\b", text):
            return Count(value, *match.span())
    return None
