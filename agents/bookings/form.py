"""One booking: what is known of it, what is missing, what can't be, and how it is said.

What it gives are the results of the agent's tools: ``booking`` in words and the question to ask
next; or why something was ``refused``; or that it is ``booked``, ``changed``, ``cancelled``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from hearing import BETWEEN, READ_IN, Heard, Hearing, heard
from house import KINDS, House, Need, joined
from words import NUMBER, number, plain, time_words

Words = dict[str, Any]

CONFIRM: Final = "Shall I book it?"
OTHER_DAY: Final = "For which other day?"
ONE: Final = {"people": "person", "years old": "year old"}
NOTHING: Final = {"error": "nothing is booked yet"}
_NOT_THAT: Final = re.compile(
    r"(?<!why )\bnot (?:on |at |for )?(?:the |a )?\w+(?= (?:but|it's|on|at|for|\w+day)\b)"
    rf"|\bnot (?:at |for )?{NUMBER}\b|\bnot (?:on |at |for )?(?:the |a )?\S+$"
    r"|\b(?:instead of|rather than) (?:the |a |at )?\w+"
)
_INSTEAD: Final = re.compile(rf"\b(?:not|instead of|rather than) (?:at |for )?({NUMBER})\b")


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
    known: dict[str, Told] = field(default_factory=dict)
    asked: Need | None = None
    offered: bool = False  # read back, and nothing changed since
    booked: bool = False
    last_day: date | None = None  # that was told, refused or not

    def __post_init__(self) -> None:
        first = self.house.needs[0]
        self.asked = first if first.kind == "name" else None  # the greeting may have asked

    def note(self, details: str) -> Words:
        """Take what the caller told; says what is known and asks on, or why something can't be."""
        before = dict(self.known)
        text = plain(details)
        if instead := _INSTEAD.search(text):
            self.asked = self._need_of(number(instead[1])) or self.asked
        text = " ".join(_NOT_THAT.sub(" ", text).split())
        for need in sorted(self.house.needs, key=lambda need: READ_IN.index(need.kind)):
            text = self._take(need, text)
        if refused := self._refused(before):
            return refused
        if self.booked:
            return self.told() if self.known == before else {"changed": f"{self.words()} is booked"}
        return self.state()

    def state(self) -> Words:
        """What is known, and what is asked next."""
        missing = next((need for need in self.house.needs if need.what not in self.known), None)
        self.asked, self.offered = missing, missing is None
        return {"booking": self.words(), "ask": missing.question if missing else CONFIRM}

    def told(self) -> Words:
        """What is booked or noted so far."""
        if not self.known:
            return dict(NOTHING)
        return {"booking": self.words()} if self.booked else self.state()

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

    def _take(self, need: Need, text: str) -> str:
        """Take one value out of the text; gives what is left of it."""
        counts = [one for one in self.house.needs if one.kind == "count"]
        asked = self.asked is need
        if need.kind == "time" and self.asked is None and self.offered and not counts:
            asked = True  # "make it eight"
        hearing = Hearing(need, asked, counts == [need], self.today, self.last_day)
        found = heard(hearing, text)
        if found is None:
            return text
        self.known[need.what] = self._placed(need, found)
        self.last_day = self._day() or self.last_day
        return f"{text[: found.begin]} {BETWEEN} {text[found.end :]}"

    def _need_of(self, value: int) -> Need | None:
        """Which need is so much now: "twelve rather than eleven" is about that one."""
        for need in self.house.needs:
            told = self.known.get(need.what)
            if told and need.kind == "time" and told.value // 60 % 12 == value % 12:
                return need
            if told and need.kind == "count" and told.value == value:
                return need
        return None

    def _placed(self, need: Need, found: Heard) -> Told:
        """A time is placed in the half of the day in which the house is open."""
        if need.kind != "time":
            return Told(found.said, found.value)
        minutes = found.value
        if minutes < 0:
            either = (-minutes, (720 - minutes) % 1440)
            likely = either[1] if -minutes < 7 * 60 else either[0]
            minutes = next((one for one in either if self._open_at(need, one)), likely)
        return Told(time_words(minutes), minutes)

    def _open_at(self, need: Need, minutes: int) -> bool:
        if need.at:
            return minutes in need.at
        day = self._day()
        spans = self.house.hours
        here = [spans[day.weekday()]] if day and day.weekday() in spans else spans.values()
        return any(begins <= minutes < ends for begins, ends in here)

    def _day(self) -> date | None:
        """The day that is known."""
        days = (told.value for told in self.known.values() if isinstance(told.value, date))
        return next(days, None)

    def _refused(self, before: dict[str, Told]) -> Words | None:
        """What can't be is forgotten and asked for anew; what was booked stays as it was."""
        for need in self.house.needs:
            told = self.known.get(need.what)
            why = self._why_not(need, told.value) if told else None
            if why is None:
                continue
            if self.booked:
                self.known = before
            else:
                del self.known[need.what]
                self.offered = False
            self.asked = need
            return {"refused": why, "ask": OTHER_DAY if need.kind == "day" else need.question}
        return None

    def _why_not(self, need: Need, value: Any) -> str | None:
        if need.kind == "count":
            return need.why_not(value)
        if need.kind == "day":
            return self.house.closed(value.weekday())
        if need.kind == "time" and not self._open_at(need, value):
            if need.at:
                return f"it is at {joined(list(map(time_words, need.at)), 'or')}"
            day = self._day()
            return self.house.opening(day.weekday()) if day else None
        return None
