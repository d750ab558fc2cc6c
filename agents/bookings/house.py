"""A place that takes bookings: its hours, what a booking needs, and its facts (house.toml)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from facts import Fact, fact_about, read_facts
from words import DAYS, number_words, plain, read_day, time_words

KINDS: Final = ("choice", "count", "day", "time", "name", "text", "phone")
"""Of needs, in the order in which they are said."""

QUESTIONS: Final = {
    "day": "For which day?",
    "time": "For what time?",
    "name": "Whose name shall I put it under?",
    "phone": "What is your telephone number?",
    "count": "For how many {of}?",
    "text": "What is the {what}?",
    "choice": "Which {what} would you like?",
}
SAID: Final = {
    "day": " {}",
    "time": " at {}",
    "name": " for {}",
    "phone": ", number {}",
    "count": " for {} OF",
    "text": ", WHAT {}",
    "choice": ", {}",
}
_OPTIONS: Final = ("what", "kind", "question", "said", "one_of", "of", "least", "most", "at")
_OPEN: Final = re.compile(
    r"\b(open|opens|opening|close|closes|closed|closing|shut|hours|till|until|how late)\b"
)


class HouseError(ValueError):
    """The file is wrong; says where."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a booking needs."""

    what: str
    kind: str
    question: str
    said: str  # how it is said in the booking; "": it stands for what is booked ("a cut")
    one_of: Mapping[str, Sequence[str]]  # choices, and the words that mean each beside its own
    of: str  # what is counted
    least: int
    most: int
    at: tuple[int, ...]  # the only times, in minutes; empty: any

    def why_not(self, count: int) -> str | None:
        """Why it can't be so many."""
        if self.least <= count <= self.most:
            return None
        if count > self.most:
            return f"it is {number_words(self.most)} {self.of} at most"
        return f"it is {number_words(self.least)} {self.of} at least"


@dataclass(frozen=True, slots=True)
class House:
    """All of it. `hours`: of a weekday, in minutes; a day that is not there is closed."""

    name: str
    books: str
    hours: Mapping[int, tuple[int, int]]
    needs: tuple[Need, ...]
    facts: tuple[Fact, ...]

    def closed(self, weekday: int) -> str | None:
        """Why nothing can be booked that day."""
        return None if weekday in self.hours else f"we're closed on {_name(weekday)}s"

    def opening(self, weekday: int) -> str:
        """``on Tuesday we're open from nine to six``."""
        begins, ends = map(time_words, self.hours[weekday])
        return f"on {_name(weekday)} we're open from {begins} to {ends}"

    def answer(self, asked: str, today: date, booking: str = "") -> str | None:
        """What the house says to a question, by one who books this; None where it does not know."""
        text = plain(asked)
        day = read_day(text, today)
        if day and _OPEN.search(text):
            weekday = day[0].weekday()
            told = self.closed(weekday) or self.opening(weekday)
            return f"{told[0].upper()}{told[1:]}."
        return fact_about(self.facts, text, plain(booking))


def load_house(path: Path) -> House:
    """Raises HouseError, or OSError."""
    try:
        return read_house(tomllib.loads(path.read_text()))
    except tomllib.TOMLDecodeError as error:
        raise HouseError(f"{path.name}: {error}") from error


def read_house(told: Mapping[str, Any]) -> House:
    """Of the file's tables. Raises HouseError."""
    if "name" not in told:
        raise HouseError("name: a house has one")
    hours = {
        DAYS.index(_one_of(day, DAYS, "hours")): _span(span, f"hours.{day}")
        for day, span in told.get("hours", {}).items()
    }
    if not hours:
        raise HouseError("hours: a house that is never open takes no bookings")
    needs = tuple(_need(need, first=at == 0) for at, need in enumerate(told.get("needs", ())))
    if not needs:
        raise HouseError("needs: a booking needs something, a day at least")
    facts = (*told.get("facts", ()), _told_hours(hours), *_told_needs(needs))
    return House(
        str(told["name"]), str(told.get("books", "a booking")), hours, needs, read_facts(facts)
    )


def _one_of(word: str, words: Sequence[str], where: str) -> str:
    if word not in words:
        raise HouseError(f"{where}: {word!r} is none of {', '.join(words)}")
    return word


def _span(text: str, where: str) -> tuple[int, int]:
    """``9:00-18:30`` in minutes."""
    begins, _, ends = text.partition("-")
    span = _clock(begins, where), _clock(ends, where)
    if span[0] >= span[1]:
        raise HouseError(f"{where}: {text!r} ends before it begins")
    return span


def _clock(text: str, where: str) -> int:
    match = re.fullmatch(r"(\d\d?)(?::(\d\d))?", text.strip())
    minutes = int(match[1]) * 60 + int(match[2] or 0) if match else -1
    if not 0 <= minutes <= 24 * 60:
        raise HouseError(f"{where}: {text!r} is no time like 9:00")
    return minutes


def _need(told: Mapping[str, Any], first: bool) -> Need:
    what = str(told.get("what", ""))
    where = f"needs ({what})"
    for option in told:
        _one_of(option, _OPTIONS, where)
    kind = _one_of(str(told.get("kind") or _guessed(what, told)), KINDS, f"{where}.kind")
    of = str(told.get("of", "people"))
    said = SAID[kind].replace("OF", of).replace("WHAT", what)
    if kind == "choice" and first:
        said = ""
    return Need(
        what,
        kind,
        str(told.get("question") or QUESTIONS[kind].format(of=of, what=what)),
        str(told.get("said", said)),
        _choices(told.get("one_of", ())),
        of,
        int(told.get("least", 1)),
        int(told.get("most", 99)),
        tuple(_clock(str(at), f"{where}.at") for at in told.get("at", ())),
    )


def _guessed(what: str, told: Mapping[str, Any]) -> str:
    """The kind, where the file does not say."""
    if what in KINDS:
        return what
    return "choice" if "one_of" in told else "count" if "of" in told else "text"


def _choices(told: Mapping[str, str] | Sequence[str]) -> dict[str, list[str]]:
    """Each choice with the words and phrases that mean it."""
    if not isinstance(told, Mapping):
        return {choice: [] for choice in told}
    return {
        choice: list(filter(None, map(plain, meaning.split(","))))
        for choice, meaning in told.items()
    }


def _told_hours(hours: Mapping[int, tuple[int, int]]) -> Mapping[str, str]:
    """The hours as a fact: days in a row that are alike are told together."""
    rows: list[list[int]] = []
    for day in sorted(hours):
        if rows and rows[-1][-1] == day - 1 and hours[rows[-1][0]] == hours[day]:
            rows[-1].append(day)
        else:
            rows.append([day])
    told = [f"{_days(row)} from {' to '.join(map(time_words, hours[row[0]]))}" for row in rows]
    return {
        "say": f"We're open {joined(told)}.",
        "about": "open, opening, hours, when can i come, close, closed, weekend, how late",
    }


def _days(row: Sequence[int]) -> str:
    """``Monday``, ``Monday and Tuesday``, ``Monday to Friday``."""
    if len(row) == 1:
        return _name(row[0])
    return f"{_name(row[0])} {'and' if len(row) == 2 else 'to'} {_name(row[-1])}"


def _name(weekday: int) -> str:
    return DAYS[weekday].capitalize()


def _told_needs(needs: Sequence[Need]) -> list[Mapping[str, str]]:
    """What is counted has a limit, what is chosen is one of some."""
    limits = [
        {"say": f"It is {number_words(need.most)} {need.of} at most.", "about": "at most, how many"}
        for need in needs
        if need.kind == "count" and need.most < 99
    ]
    choices = [
        {
            "say": f"There is {joined(list(need.one_of))}.",
            "about": "which, what do you do, what is there, what have you got, what kind, choice",
        }
        for need in needs
        if need.kind == "choice" and not need.said
    ]
    return [*limits, *choices]


def joined(words: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))
