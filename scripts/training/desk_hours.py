"""Opening hours as a system prompt gives them, and what is answered from them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from dialogue_values import capitalise
from order_items import joined
from spoken_numbers import UNITS, WEEKDAYS

DAYS: Final = tuple(capitalise(day) for day in WEEKDAYS)
_WEEK: Final = tuple(range(7))
#: How a week is parted: groups of days with the same hours; the other days are closed.
_PARTS: Final[Sequence[tuple[tuple[int, ...], ...]]] = (
    (_WEEK,),
    ((0, 1, 2, 3, 4),),
    ((0, 1, 2, 3, 4, 5),),
    ((1, 2, 3, 4, 5),),
    ((1, 2, 3, 4, 5, 6),),
    ((2, 3, 4, 5, 6),),
    ((2, 3, 4, 5),),
    ((3, 4, 5, 6),),
    ((0, 1, 2, 3, 4), (5,)),
    ((0, 1, 2, 3, 4), (5, 6)),
    ((0, 1, 2, 3), (4,)),
    ((0, 1, 3), (2, 4)),
    ((1, 2, 3, 4), (5,)),
    ((1, 2, 3, 4), (5, 6)),
    ((0, 1, 2, 3), (4, 5)),
    ((1, 2, 3), (4, 5, 6)),
    ((0, 2, 4), (1, 3)),
    ((0, 1, 2, 3, 4, 5), (6,)),
)


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
        return f"we're open {' and '.join(f'{g.words} {g.said()}' for g in self.groups)}"

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


def clock_words(minute: int, style: str) -> str:
    """A time as a prompt has it: ``half past six``, ``six thirty``, ``six in the evening``."""
    hour, rest = divmod(minute, 60)
    if rest == 0 and hour in (12, 24) and style != "figures":
        return "noon" if hour == 12 else "midnight"
    word = UNITS[(hour - 1) % 12 + 1]
    thirty = f"{word} thirty" if style in ("thirty", "figures") else f"half past {word}"
    said = thirty if rest else word
    if style != "parts":
        return said
    return f"{said} in the {'morning' if hour < 12 else 'afternoon' if hour < 18 else 'evening'}"


def _figures(minute: int) -> str:
    hour, rest = divmod(minute, 60)
    return f"{(hour - 1) % 12 + 1}{':30' if rest else ''}"


def day_words(days: Sequence[int], rng: random.Random, alone: bool = True) -> str:
    """``Monday to Friday``, ``weekdays``, ``every day except Tuesday``."""
    if len(days) == 7:
        return rng.choice(("every day", "daily", "seven days a week", "Monday to Sunday"))
    missing = [day for day in _WEEK if day not in days]
    if alone and len(missing) == 1 and (missing[0] not in (0, 6) or rng.random() < 0.4):
        return f"every day {rng.choice(('except', 'but'))} {DAYS[missing[0]]}"
    if tuple(days) == (0, 1, 2, 3, 4) and rng.random() < 0.25:
        return rng.choice(("weekdays", "on weekdays"))
    if tuple(days) == (5, 6) and rng.random() < 0.5:
        return rng.choice(("weekends", "at weekends", "at the weekend"))
    if len(days) > 2 and days[-1] - days[0] == len(days) - 1:
        return f"{DAYS[days[0]]} to {DAYS[days[-1]]}"
    return joined([DAYS[day] for day in days])


#: Kinds of hours: when a house opens and closes, in hours of the day.
_OPENS: Final = {"day": (7, 10), "meals": (10, 12), "evening": (16, 18), "early": (6, 9)}
_CLOSES: Final = {"day": (16, 20), "meals": (21, 23), "evening": (21, 24), "early": (17, 22)}


def _span(opens: int, closes: int, style: str) -> Span:
    start, end = clock_words(opens, style), clock_words(closes, style)
    part = end.partition(" in the ")[2]
    if part and opens % 60 == 0 and start.endswith(part):
        start = start.partition(" in the ")[0]  # "from five to eleven in the evening"
    return Span(opens, closes, start, end)


def _spans(kind: str, style: str, rng: random.Random, short: bool) -> tuple[Span, ...]:
    opens = 60 * rng.randint(*_OPENS[kind]) + rng.choice((0, 0, 0, 0, 30))
    closes = min(60 * rng.randint(*_CLOSES[kind]) + rng.choice((0, 0, 0, 0, 30)), 1440)
    if short and kind in ("day", "early"):
        return (_span(opens, 60 * rng.randint(12, 15), style),)
    if kind in ("day", "meals") and rng.random() < 0.18:
        pause = 60 * rng.choice((12, 13) if kind == "day" else (14, 15)) + rng.choice((0, 0, 30))
        again = 60 * rng.choice((15, 16) if kind == "day" else (17, 18))
        late, style = max(closes, again + 120), "bare" if style == "parts" else style
        return (_span(opens, pause, style), _span(again, late, style))
    return (_span(opens, closes, style),)


def _span_text(group: Group, style: str, rng: random.Random, bare: bool) -> str:
    parts = []
    for span in group.spans:
        start, end = span.open_said, span.close_said
        if style == "figures":
            start, end = _figures(span.opens), _figures(span.closes)
        parts.append(f"{start} to {end}" if bare else f"from {start} to {end}")
    return rng.choice((" and ", " and ", ", then ")).join(parts)


def draw_hours(kind: str, rng: random.Random, subject: str = "") -> Hours:
    """Random opening hours of a kind of house; ``subject`` is what is open (``Reception``).

    What has such a subject is open every day.
    """
    style = rng.choice(("bare", "bare", "bare", "thirty", "parts", "parts", "figures"))
    parts: tuple[tuple[int, ...], ...] = rng.choice(_PARTS)
    if rng.random() < 0.2:
        shut = rng.randrange(7)
        parts = (tuple(day for day in _WEEK if day != shut),)
    if subject:
        parts = (_WEEK,)
    groups: list[Group] = []
    for index, days in enumerate(parts):
        spans = _spans(kind, style, rng, short=index > 0 and rng.random() < 0.5)
        if groups and [s.open_said + s.close_said for s in groups[0].spans] == [
            s.open_said + s.close_said for s in spans
        ]:
            spans = (_span(600, 840, style),)
        groups.append(Group(days, day_words(days, rng, len(parts) == 1), spans))
    if len(parts[0]) == 7:
        groups = [replace(groups[0], words="every day")] if rng.random() < 0.5 else groups
    hours = Hours(tuple(groups), "")
    if len(groups) == 1 and len(hours.closed()) in (1, 2) and rng.random() < 0.25:
        return _but_closed(hours, style, rng)
    return Hours(hours.groups, _text(hours, style, subject, rng))


def _but_closed(hours: Hours, style: str, rng: random.Random) -> Hours:
    """Hours without days, and the days that are closed: ``It opens at nine and closes at six.``"""
    group = hours.groups[0]
    shut = [DAYS[day] for day in hours.closed()]
    many = joined([f"{name}s" for name in shut])
    span = _span_text(group, style, rng, False)
    texts = [
        f"Open {span}; closed on {many}.",
        f"We are open {span}. On {many} we are closed.",
        f"Closed on {many}, otherwise open {span}.",
        f"Open {span}, {joined(shut)} closed.",
    ]
    if len(group.spans) == 1:
        opens, closes = group.spans[0].open_said, group.spans[0].close_said
        texts += 3 * [
            f"It opens at {opens} and closes at {closes}. On {many} it is closed.",
            f"You open at {opens} and close at {closes}, closed on {many}.",
        ]
    words = f"every day except {joined(shut)}"
    return Hours((replace(group, words=words),), rng.choice(texts))


def _text(hours: Hours, style: str, subject: str, rng: random.Random) -> str:
    bare = rng.random() < 0.35
    listed = [f"{g.words} {_span_text(g, style, rng, bare)}" for g in hours.groups]
    if len(hours.groups[0].days) == 7 and rng.random() < 0.4:
        listed = [_span_text(hours.groups[0], style, rng, False)]  # no days: every day
    elif len(listed) == 1 and rng.random() < 0.2:
        listed = [f"{_span_text(hours.groups[0], style, rng, False)} {hours.groups[0].words}"]
    body = rng.choice((", ", ", ", "; ", " and ")).join(listed)
    opening = (
        rng.choice((f"{subject} is open", f"{subject} is open", f"{subject} hours:"))
        if subject
        else rng.choice(
            (
                *("Open", "Open", "We are open", "It is open", "Opening hours:", "Hours:"),
                *("You are open", "The opening hours are", "Opening times:"),
            )
        )
    )
    text = f"{opening} {body}"
    shut = hours.closed()
    if not shut or rng.random() < 0.5:
        return f"{text}."
    names = [DAYS[day] for day in shut]
    if len(names) > 3:
        return f"{text}."
    many = joined([f"{name}s" for name in names])
    return text + rng.choice(
        (
            f"; closed {joined(names)}.",
            f", closed on {many}.",
            f". Closed on {many}.",
            f". On {many} we are closed." if not subject else f". Closed on {many}.",
            f". {joined(names)} closed.",
        )
    )
