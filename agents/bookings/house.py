"""A place that takes bookings: its hours, what a booking needs, and its facts (house.toml)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, Literal

from facts import Fact, fact_about, read_facts
from pydantic import BaseModel, ConfigDict, Field, ValidationError
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

    def over(self, now: datetime) -> bool:
        """Whether nothing can be booked for that day any more."""
        begins_ends = self.hours.get(now.weekday())
        return begins_ends is None or now.hour * 60 + now.minute >= begins_ends[1]

    def opening(self, weekday: int) -> str:
        """``on Tuesday we're open from nine until six``."""
        begins, ends = map(time_words, self.hours[weekday])
        return f"on {_name(weekday)} we're open from {begins} until {ends}"

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
        return read_house(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise HouseError(f"{path.name}: {error}") from error


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Fact(_Written):
    say: str
    about: str = ""


class _Need(_Written):
    what: str = Field(min_length=1)
    kind: Literal[KINDS] | None = None  # type: ignore[valid-type]
    question: str = ""
    said: str | None = None
    one_of: dict[str, str] | list[str] = []
    of: str = "people"
    least: int = Field(1, ge=0)
    most: int = Field(99, ge=1)
    at: list[str] = []


class _File(_Written):
    """As house.toml is written."""

    name: str
    books: str = "a booking"
    hours: dict[Literal[DAYS], str] = Field(min_length=1)  # type: ignore[valid-type]
    needs: list[_Need] = Field(min_length=1)
    facts: list[str | _Fact] = []


def read_house(told: Mapping[str, Any]) -> House:
    """Of the file's tables. Raises HouseError."""
    try:
        file = _File.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise HouseError(f"{where}: {first['msg']}") from None
    hours = {DAYS.index(day): _span(span, f"hours.{day}") for day, span in file.hours.items()}
    needs = tuple(_need(need, first=at == 0) for at, need in enumerate(file.needs))
    if len({need.what for need in needs}) < len(needs):
        raise HouseError("needs: two are called the same")
    written = [{"say": one} if isinstance(one, str) else one.model_dump() for one in file.facts]
    facts = read_facts([*written, _told_hours(hours), *_told_needs(needs)])
    return House(file.name, file.books, hours, needs, facts)


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


def _need(need: _Need, first: bool) -> Need:
    where, kind = f"needs ({need.what})", need.kind or _guessed(need)
    if kind == "choice" and not need.one_of:
        raise HouseError(f"{where}: one_of says what there is to choose from")
    if need.least > need.most:
        raise HouseError(f"{where}: least is more than most")
    said = SAID[kind].replace("OF", need.of).replace("WHAT", need.what)
    if kind == "choice" and first:
        said = ""
    said = said if need.said is None else need.said
    if said and (said.count("{}") != 1 or re.search(r"[{}]", said.replace("{}", ""))):
        raise HouseError(f"{where}.said: {said!r} has no {{}} for the value, or more than that")
    return Need(
        need.what,
        kind,
        need.question or QUESTIONS[kind].format(of=need.of, what=need.what),
        said,
        _choices(need.one_of),
        need.of,
        need.least,
        need.most,
        tuple(_clock(at, f"{where}.at") for at in need.at),
    )


def _guessed(need: _Need) -> str:
    """The kind, where the file does not say."""
    if need.what in KINDS:
        return need.what
    return "choice" if need.one_of else "count" if "of" in need.model_fields_set else "text"


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
    told = [f"{_days(row)} from {' until '.join(map(time_words, hours[row[0]]))}" for row in rows]
    return {
        "say": f"We're open {joined(told)}.",
        "about": "open, opening, hours, when can i come, what days, which days, when are you,"
        " close, closed, weekend, how late",
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
    times = [
        {
            "say": f"It is at {joined(list(map(time_words, need.at)), 'or')}.",
            "about": "what time, what times, which times, when does, times do you",
        }
        for need in needs
        if need.at
    ]
    choices = [
        {
            "say": f"There is {joined(list(need.one_of))}.",
            "about": "which, what do you do, what is there, what have you got, what kind, choice",
        }
        for need in needs
        if need.kind == "choice" and not need.said
    ]
    return [*limits, *times, *choices]


def joined(words: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))
