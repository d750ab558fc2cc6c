"""Opening hours of a week, and what is answered from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dialogue_values import capitalise
from order_items import joined
from spoken_numbers import WEEKDAYS

DAYS: Final = tuple(capitalise(day) for day in WEEKDAYS)
_WEEK: Final = tuple(range(7))


@dataclass(frozen=True)
class Span:
    """From when to when, in minutes of the day and as the assistant says both."""

    opens: int
    closes: int
    open_said: str
    close_said: str


@dataclass(frozen=True)
class Group:
    """Days with the same hours, and what the prompt calls them."""

    days: tuple[int, ...]
    words: str
    spans: tuple[Span, ...]

    def said(self) -> str:
        """``from nine to one and from three to six``."""
        return " and ".join(f"from {s.open_said} to {s.close_said}" for s in self.spans)


@dataclass(frozen=True)
class Hours:
    """The opening hours of a week, and the sentence of the prompt that gives them."""

    groups: tuple[Group, ...]
    text: str
    rows: tuple[tuple[str, str], ...] = ()  # the same as lines of a table

    def group(self, day: int) -> Group | None:
        """The hours of a day, if it isn't closed."""
        return next((group for group in self.groups if day in group.days), None)

    def closed(self) -> list[int]:
        """The days that are closed."""
        return [day for day in _WEEK if self.group(day) is None]

    def split(self) -> bool:
        """Whether there is a break in the day."""
        return any(len(group.spans) > 1 for group in self.groups)

    def inside(self, day: int, minute: int) -> bool:
        """Whether somebody can come then."""
        group = self.group(day)
        return group is not None and any(s.opens <= minute < s.closes for s in group.spans)

    def about(self, day: int) -> str:
        """``on Tuesday we're open from nine to six`` or that it is closed."""
        group = self.group(day)
        if group is None:
            return f"we're closed on {DAYS[day]}s"
        return f"on {DAYS[day]} we're open {group.said()}"

    def answer(self, day: int) -> str:
        """To "are you open on Tuesday?"."""
        return f"{'No' if self.group(day) is None else 'Yes'}, {self.about(day)}."

    def opening(self, day: int) -> str:
        """To "when do you open on Tuesday?"."""
        group = self.group(day)
        if group is None:
            return f"{capitalise(self.about(day))}."
        return f"On {DAYS[day]} we open at {group.spans[0].open_said}."

    def closing(self, day: int) -> str:
        """To "until when are you there on Tuesday?"."""
        group = self.group(day)
        if group is None:
            return f"{capitalise(self.about(day))}."
        return f"On {DAYS[day]} we close at {group.spans[-1].close_said}."

    def general(self) -> str:
        """``we're open Monday to Thursday from eight to five and Friday from eight to noon``."""
        return f"we're open {joined([f'{g.words} {g.said()}' for g in self.groups])}"

    def open_days(self) -> str:
        """``We're open Tuesday to Sunday.``"""
        return f"We're open {', '.join(group.words for group in self.groups)}."

    def closed_days(self) -> str:
        """``We're closed on Sundays and Mondays.``"""
        names = [f"{DAYS[day]}s" for day in self.closed()]
        return f"We're closed on {joined(names)}." if names else "We're open every day."

    def weekend(self) -> str:
        """To "are you open at the weekend?"."""
        saturday, sunday = self.group(5), self.group(6)
        if saturday is None and sunday is None:
            return "No, we're closed on Saturdays and Sundays."
        if saturday is sunday and saturday is not None:
            return f"Yes, on Saturday and Sunday we're open {saturday.said()}."
        return f"{capitalise(self.about(5))} and {self.about(6)}."
