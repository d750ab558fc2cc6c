"""What a caller told of one need: a choice, a number, a day, a time, a telephone number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from facts import stem
from house import Need
from names import left
from texts import STREETS
from words import NUMBER, number, number_words, plain, read_day, read_digits, read_time

BETWEEN: Final = "|"
"""Stands where something was read before."""

_ARTICLES: Final = frozenset("a an the of with and or for in at one".split())
_ANSWERS: Final = frozenset("yes yeah yep please sure no nope without none".split())
#: What follows a number that is no time: "at 14 Weaver Street", "at two nights".
_NO_TIME: Final = re.compile(
    rf"(?: (?:the )?\w+){{0,2}} (?:{STREETS})\b"
    rf"| (?:of (?:us|them)|people|persons?|minutes?|mins|hours?|days?|nights?|weeks?|months?|years?"
    rf"|euros?|pounds?|quid|dollars?|miles?|more|times|percent|{NUMBER} {NUMBER})\b|'s\b"
)
#: "six on thursday", "thursday six".
_BESIDE_DAY: Final = re.compile(rf"(?:^|\s)({NUMBER}) \{BETWEEN}|\{BETWEEN} ({NUMBER})$")
_UNITS: Final = r"(?! (?:minutes?|hours?|days?|nights?|weeks?|months?|years?|euros?|pounds?|quid)\b)"
_COUNTED_SURELY: Final = (
    "for|party of|group of|we're|we are|we'd be|we'll be|there's|there are|there'll be"
    "|there will be|i've got|we've got"
)
_COUNTED: Final = (
    f"{_COUNTED_SURELY}|only|all|just(?: the)?|the|make it|make that|say|so|call it|that's|that makes|that'd be"
    "|it's|it'll be|be|to|have|got|want|need|take|i've|we've"
)
_NO_COUNT: Final = (
    r"(?! (?:o'clock|minutes|hours|days|nights|weeks|thirty|fifteen|am|pm|past|to (?!do|go|come)\w+|in the|at the"
    r"|years?|year)\b)"
)
_TOGETHER: Final = r"(?: (?:altogether|in total|all told|in all|all together|total|of them(?! (?:won't|can't|are|aren't|is|might|may|don't|get|want|has|have)\b)|of us))"
_PEOPLE: Final = (
    r"|people|persons?|of us|of them(?! (?:won't|can't|are|aren't|is|might|may|don't|get|want|has|have)\b)|of ye|guests?|adults?|heads?|seats?|places?|lads|folks|women|men"
)
_TWO: Final = (
    r"(?:me|myself|my \w+|i) and (?:me|my \w+|a friend|\w+)|my \w+ and (?:i|me|myself)"
    r"|the two of us|both of us|us two"
)
_ALONE: Final = (
    r"just (?:me|myself|us one)|only me|by myself|on my own|just the one|for one|just one|only one|one of me"
)
#: Amounts that have names of their own.
_NAMED: Final = (
    (r"(?:a )?couple(?: of)?|pair of|both", 2), (r"half a dozen", 6), (r"(?:a )?dozen", 12),
    (r"a few", None),
)  # fmt: skip
_WEEKS: Final = {"a week": 7, "one week": 7, "a fortnight": 14, "two weeks": 14, "the weekend": 2}
MOST: Final = 100_000
"""That is counted."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """A need and how it is listened for."""

    need: Need
    asked: bool  # it was asked for just now, or is put right
    alone: bool  # no other need counts anything
    today: date
    before: date | None  # the day that was told before
    known: Any = None  # what it was
    nouns: str = ""  # a pattern of all that is counted


class Heard(NamedTuple):
    """A value, as it is said and what it is worth, and where it stood."""

    said: str
    value: Any
    begin: int
    end: int


def heard(hearing: Hearing, text: str) -> Heard | None:
    """What ``text`` (:func:`words.plain`) tells of it; None: nothing."""
    return READERS[hearing.need.kind](hearing, text)


def _choice(hearing: Hearing, text: str) -> Heard | None:
    """The choice with most of its own words in the text."""
    best: tuple[int, int, int, str] | None = None
    spans = [(match.start(), match.end(), stem(match[0])) for match in re.finditer(r"[\w'-]+", text)]
    for choice, meaning in hearing.need.one_of.items():
        own = _own_words(choice, hearing.need.one_of)
        phrases = {word for word in meaning if hearing.asked or word not in _ANSWERS}
        hits = [hit for phrase in own | phrases for hit in _found(phrase, spans)]
        if hits:
            last = max(hits, key=lambda hit: hit[1])
            score = sum(1 + hit[2] for hit in hits), last[1], last[0], choice
            best = max(best, score) if best else score
    if best is None:
        return None
    _, end, begin, choice = best
    own = {stem(word) for word in plain(choice).split()}
    for first, last, word in spans:  # "standard" and the "service" behind it
        if first in (end, end + 1) and word in own:
            end = last
    return Heard(choice, choice, begin, end)


def _found(phrase: str, spans: list[tuple[int, int, str]]) -> list[tuple[int, int, int]]:
    """Where the words of a phrase stand one after another, endings apart: begin, end, words."""
    wanted = [stem(word) for word in phrase.split()]
    many = len(wanted)
    return [
        (spans[at][0], spans[at + many - 1][1], many)
        for at in range(len(spans) - many + 1)
        if [one[2] for one in spans[at : at + many]] == wanted
    ]


def _own_words(choice: str, choices: Mapping[str, Any]) -> set[str]:
    """The words that no other choice has; all together, where each of them has another."""
    others = {word for other in choices if other != choice for word in plain(other).split()}
    return (set(plain(choice).split()) - others - _ARTICLES) or {plain(choice)}


def _day(hearing: Hearing, text: str) -> Heard | None:
    found = read_day(text, hearing.today, hearing.before)
    return found and Heard(found[1].said, found[0], found[1].begin, found[1].end)


def _time(hearing: Hearing, text: str) -> Heard | None:
    found = read_time(text, bare=hearing.asked)
    if found and re.search(rf"{NUMBER}$", text[found.begin : found.end]):
        told = text[found.begin : found.end]
        counted = hearing.nouns and re.match(rf" (?:{hearing.nouns})\b", text[found.end :])
        loose = not re.search(r"\b(?:past|to|half|quarter) ", told)
        if counted or (loose and _NO_TIME.match(text, found.end)):
            found = None
    if found is None and (beside := _BESIDE_DAY.search(text)):
        begin, end = beside.span(beside.lastindex or 0)
        found = None if _NO_TIME.match(text, end) else read_time(f"at {text[begin:end]}")
        return found and Heard("", found.value, begin, end)
    return found and Heard("", found.value, found.begin, found.end)


def _count(hearing: Hearing, text: str) -> Heard | None:
    of = hearing.need.of
    nouns = "|".join(rf"{re.escape(word.removesuffix('s'))}(?:s|es)?" for word in of.split())
    nouns += _PEOPLE if of == "people" or hearing.alone else ""
    if found := _amount(hearing, text, nouns):
        return found
    patterns = [rf"(?P<n>(?!one of\b){NUMBER})(?: (?!{NUMBER}\b)\w+)?? (?:{nouns})\b"]
    loose = hearing.asked or hearing.alone
    if loose:
        one = "" if hearing.asked else r"(?!one\b)"  # "there's one in the bedroom"
        told = _COUNTED if hearing.asked or hearing.known is None else _COUNTED_SURELY
        patterns += [
            rf"(?P<n>(?!one of\b){NUMBER}){_TOGETHER}",
            rf"so (?:it's|that's|that makes|we're|there's|make it|make that) (?P<n>{NUMBER})\b{_NO_COUNT}{_UNITS}",
            rf"(?:{told}) (?P<n>{one}{NUMBER})(?:'s)?(?=$| \{BETWEEN}| (?:then|please|now|of|and|with"
            rf"|if|though|thanks|instead|for|because|actually|not|so|in|counting|including|plus|to do|to go)\b)"
            rf"{_NO_COUNT}{_UNITS}",
            rf"^(?P<n>{one}{NUMBER}) (?:for|with|now)\b",
        ]
    nothing_else = len(left(text)) == 1  # "three then please" puts a number right
    if hearing.asked or (hearing.alone and nothing_else):
        short = len(text.split()) < 4 and hearing.asked  # "if there is one", "the one on friday"
        patterns.append((rf"(?P<n>{NUMBER})" if short else rf"(?P<n>(?!one\b){NUMBER})") + _UNITS)
    for pattern in patterns:
        for match in reversed(list(re.finditer(rf"\b{pattern}", text))):
            if value := _so_many(hearing, match):
                return Heard(number_words(value), value, *match.span())
    single = "|".join(re.escape(word.removesuffix("s")) for word in of.split())
    if match := re.search(rf"\ban? (?:{single})\b", text):
        return Heard("one", 1, *match.span())
    if of == "people":
        for pattern, value in ((_TWO, 2), (_ALONE, 1)):
            if found := re.search(rf"\b(?:{pattern})\b", text):
                return Heard(number_words(value), value, *found.span())
    elif loose and (found := re.search(r"\bjust the one\b|\bonly one\b|\bjust one\b", text)):
        return Heard("one", 1, *found.span())
    return None


def _so_many(hearing: Hearing, match: re.Match[str]) -> int | None:
    """The number, or so many more than before."""
    value = number(match["n"])
    return value if value < MOST else None


def _amount(hearing: Hearing, text: str, nouns: str) -> Heard | None:
    """Amounts without a number: "a couple", "a week", "one more"."""
    if hearing.need.of in ("nights", "days"):
        for told, value in _WEEKS.items():
            if match := re.search(rf"\b(?:for )?{told}\b(?! (?:on|ago|today))", text):
                return Heard(number_words(value), value, *match.span())
    more = re.search(rf"\b(?P<n>{NUMBER}|an?)(?: \w+)? (?:more|extra)\b(?! (?:thing|question|time|minute|second|change))", text)
    if more and isinstance(hearing.known, int) and (hearing.alone or hearing.asked):
        value = hearing.known + (1 if more["n"] in ("a", "an") else number(more["n"]))
        return Heard(number_words(value), value, *more.span())
    for told, value in _NAMED:
        end = r"$" if hearing.asked else r"(?!)"
        match = re.search(rf"\b(?:{told})(?: (?:\w+ )?(?:{nouns})\b|{end})", text)
        if match and value:
            return Heard(number_words(value), value, *match.span())
    return None


def _phone(hearing: Hearing, text: str) -> Heard | None:
    found = read_digits(text)
    return found and Heard(found[1].said, found[0], found[1].begin, found[1].end)


READERS: Final[Mapping[str, Callable[[Hearing, str], Heard | None]]] = {
    "phone": _phone,
    "day": _day,
    "time": _time,
    "count": _count,
    "choice": _choice,
}
"""Of the kinds that are read wherever they stand, the surest first: what is read is taken out."""
