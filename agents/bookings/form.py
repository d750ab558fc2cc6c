"""One booking: what is known of it, what is missing, what can't be, and how it is said.

What it gives are the results of the agent's tools: ``booking`` in words and the question to ask
next; or why something was ``refused``; or that it is ``booked``, ``changed``, ``cancelled``; and
the ``fact`` that the caller asked for in the same breath.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final

from house import KINDS, House, Need, joined
from words import time_words

Words = dict[str, Any]

CONFIRM: Final = "Shall I book it?"
OTHER_DAY: Final = "For which other day?"
ONE: Final = {"people": "person", "years old": "year old"}
NOTHING: Final = {"error": "nothing is booked yet"}


@dataclass(frozen=True, slots=True)
class Told:
    """A value as it is said, and what it is worth."""

    said: str
    value: Any


def _said(need: Need, told: Told) -> str:
    """``from {}`` and "on the third of June": "from the third of June"; and one is no "nights"."""
    form = need.said
    if need.kind == "count" and told.value == 1:
        form = form.replace(need.of, ONE.get(need.of, need.of.removesuffix("s")))
    return form.format(told.said.removeprefix("on ") if "from {}" in form else told.said)


@dataclass
class Form:
    """A booking at a house. ``today``: what "tomorrow" leans on."""

    house: House
    today: date
    over: bool = False  # its hours are
    known: dict[str, Told] = field(default_factory=dict)
    asked: Need | None = None
    offered: bool = False  # read back, and nothing changed since
    asks_yes: bool = False  # just now
    changing: bool = False  # what is booked is to change, the caller has said
    booked: bool = False
    last_day: date | None = None  # that was told, refused or not
    last: Need | None = None  # that was told
    last_time: Told | None = None  # likewise: "the same time"
    greeted: bool = False  # the caller has spoken before
    spoken_of: str = ""  # the choice that a fact was about: "that one then"

    def __post_init__(self) -> None:
        first = self.house.needs[0]
        if first.kind == "name" and not self.known and not self.booked:
            self.asked = self.asked or first  # the greeting may have asked

    def copy(self) -> Form:
        """The same, to go back to."""
        return replace(self, known=dict(self.known))

    def take(self, need: Need, told: Told) -> None:
        """The caller has told this."""
        self.known[need.what], self.last = told, need
        self.last_day = self.day() or self.last_day
        self.last_time = told if need.kind == "time" else self.last_time

    def state(self) -> Words:
        """What is known, and what is asked next."""
        self.asked = self.missing()
        self.offered = self.asks_yes = self.asked is None
        return {"booking": self.words(), "ask": self.asked.question if self.asked else CONFIRM}

    def speaks_of(self, fact: str) -> None:
        """A fact was told; it may be about one of the choices."""
        choices = [one for need in self.house.needs for one in need.one_of]
        named = [one for one in choices if re.search(rf"\b{re.escape(one)}\b", fact, re.IGNORECASE)]
        self.spoken_of = named[0] if len(named) == 1 else self.spoken_of

    def missing(self) -> Need | None:
        """What is asked next."""
        return next((need for need in self.house.needs if need.what not in self.known), None)

    def read_back(self) -> Words:
        """What is booked or noted so far."""
        if not self.known:
            return dict(NOTHING)
        state = {} if self.booked else self.state()
        return state | {"read_back": self.words()}

    def confirm(self) -> Words:
        """Book it, if it was read back."""
        if not self.offered:
            return self.state()
        self.booked = True
        return {"booked": f"{self.words()} is booked"}

    def cancel(self) -> Words:
        """Forget all of it."""
        if not self.known:
            return dict(NOTHING)
        cancelled = {"cancelled": f"{self.words()} is cancelled"} if self.booked else {}
        self.known.clear()
        self.asked, self.offered, self.booked = None, False, False
        return cancelled or {"dropped": True}

    def words(self) -> str:
        """``a cut on Friday at ten for Ann Lee``."""
        known = [need for need in self.house.needs if need.what in self.known]
        heads = (self.known[need.what].said for need in known if not need.said)
        said = sorted(filter(lambda need: need.said, known), key=lambda n: KINDS.index(n.kind))
        return next(heads, self.house.books) + "".join(
            _said(need, self.known[need.what]) for need in said
        )

    def when(self) -> str:
        """``2026-11-27 10:00``, as far as it is known: "on Friday" tells a caller, and no diary."""
        times = (
            f"{self.known[need.what].value // 60:02}:{self.known[need.what].value % 60:02}"
            for need in self.house.needs
            if need.kind == "time" and need.what in self.known
        )
        return " ".join(filter(None, [str(self.day() or ""), *times]))

    def placed(self, need: Need, minutes: int) -> int:
        """A time in the half of the day in which the house is open, where none was told (< 0)."""
        if minutes >= 0:
            return minutes
        either = (-minutes, (720 - minutes) % 1440)
        likely = either[1] if -minutes < 7 * 60 else either[0]
        return next((one for one in either if self.open_at(need, one)), likely)

    def open_at(self, need: Need, minutes: int) -> bool:
        """Whether it can be then, on the day that is known."""
        if need.at:
            return minutes in need.at
        day = self.day()
        spans = self.house.hours
        here = [spans[day.weekday()]] if day and day.weekday() in spans else spans.values()
        return any(begins <= minutes < ends for begins, ends in here)

    def day(self) -> date | None:
        """The day that is known."""
        days = (told.value for told in self.known.values() if isinstance(told.value, date))
        return next(days, None)

    def refused(self, before: dict[str, Told]) -> Words | None:
        """What can't be is asked for anew; what was possible before, or was booked, stays."""
        for need in self.house.needs:
            told = self.known.get(need.what)
            why = self.why_not(need, told.value) if told else None
            if why is None:
                continue
            if self.booked:
                self.known = before
            elif need.what in before and self.why_not(need, before[need.what].value) is None:
                self.known[need.what] = before[need.what]
            else:
                del self.known[need.what]
            self.offered, self.asked = False, need
            return {"refused": why, "ask": OTHER_DAY if need.kind == "day" else need.question}
        return None

    def why_not(self, need: Need, value: Any) -> str | None:
        """Why it can't be so."""
        if need.kind == "count":
            return need.why_not(value)
        if need.kind == "day":
            return self.house.closed(value.weekday())
        if need.kind == "time" and not self.open_at(need, value):
            if need.at:
                return f"it is at {joined(list(map(time_words, need.at)), 'or')}"
            day = self.day()
            return self.house.opening(day.weekday()) if day else None
        return None
