"""What a caller told of one need: a choice, a count, a day, a time, a telephone number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from counts import read_count
from facts import stem
from house import Need
from texts import STREETS
from words import NUMBER, number_words, plain, read_day, read_time

BETWEEN: Final = "|"
"""Stands where something was read before."""

_ARTICLES: Final = frozenset("a an the of with and or for in at one".split())
_NOTHING: Final = re.compile(r"^(?:no|none|zero|nobody|nope)\b")
_ANSWERS: Final = frozenset("yes yeah yep please sure no nope without none".split())
#: What follows a number that is no time: "at 14 Weaver Street", "at two nights".
_NO_TIME: Final = re.compile(
    rf"(?: (?:the )?\w+){{0,2}} (?:{STREETS})\b| (?:of (?:us|them)|people|persons?|minutes?|mins"
    rf"|hours?|days?|nights?|weeks?|months?|years?|euros?|pounds?|quid|dollars?|miles?|more|times"
    rf"|percent|{NUMBER} {NUMBER})\b|'s\b"
)
#: "six on thursday", "thursday six".
_BESIDE_DAY: Final = re.compile(
    rf"(?:^|\s)(?<!for )(?<!of )(?<!are )(?<!re )({NUMBER}) \{BETWEEN}|\{BETWEEN} ({NUMBER})$"
)


@dataclass(frozen=True, slots=True)
class Hearing:
    """A need and how it is listened for."""

    need: Need
    asked: bool  # it was asked for just now, or is put right
    alone: bool  # no other need counts anything
    today: date
    before: date | None  # the day that was told before
    over: bool = False  # today's hours are over
    known: Any = None  # what it was
    again: bool = False  # there are more of them now, or fewer
    nouns: str = ""  # a pattern of all that is counted
    books: str = ""  # what is booked: "a cake"


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
    spans = [
        (match.start(), match.end(), stem(match[0])) for match in re.finditer(r"[\w'-]+", text)
    ]
    for choice, meaning in hearing.need.one_of.items():
        own = _own_words(choice, hearing.need.one_of, hearing.books)
        phrases = {word for word in meaning if hearing.asked or word not in _ANSWERS}
        hits = [hit for phrase in own | phrases for hit in _found(phrase, spans)]
        if hits:
            last = max(hits, key=lambda hit: hit[1])
            score = sum(1 + hit[2] for hit in hits), last[1], last[0], choice
            best = max(best, score) if best else score
    if best is None:
        return None
    _, end, begin, choice = best
    all_of_it = {stem(word) for word in plain(choice).split()}
    for first, until, word in spans:  # "standard" and the "service" behind it
        if first in (end, end + 1) and word in all_of_it:
            end = until
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


def _own_words(choice: str, choices: Mapping[str, Any], books: str) -> set[str]:
    """The words that no other choice has, and not all of them ("a cake"); all together, where each
    of them has another."""
    others = {word for other in choices if other != choice for word in plain(other).split()}
    others.update(plain(books).split())
    own = set(plain(choice).split()) - others - _ARTICLES
    whole = " ".join(word for word in plain(choice).split() if word not in _ARTICLES)
    return own or {whole or plain(choice)}


def _day(hearing: Hearing, text: str) -> Heard | None:
    found = read_day(text, hearing.today, hearing.before, hearing.over)
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
    need = hearing.need
    if need.least == 0 and hearing.asked and _NOTHING.search(text):
        return Heard("no", 0, 0, len(text))
    found = read_count(
        need.of,
        text,
        hearing.asked or (hearing.again and hearing.alone),
        hearing.alone,
        hearing.known,
    )
    return found and Heard(number_words(found.value), *found)


READERS: Final[Mapping[str, Callable[[Hearing, str], Heard | None]]] = {
    "day": _day,
    "time": _time,
    "count": _count,
    "choice": _choice,
}
"""Of the kinds that are read wherever they stand, the surest first: what is read is taken out."""
