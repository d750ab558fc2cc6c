"""Opening hours drawn at random, and the many ways in which a system prompt writes them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from desk_hours import DAYS, Group, Hours, Span
from desk_sheet import hours_line, hours_rows
from dialogue_values import capitalise
from order_items import joined
from spoken_numbers import UNITS

_WEEK: Final = tuple(range(7))
#: How a week is parted: groups of days with the same hours; the other days are closed.
_PARTS: Final[Sequence[tuple[tuple[int, ...], ...]]] = (
    (_WEEK,),
    ((0, 1, 2, 3, 4),),
    ((0, 1, 2, 3, 4, 5),),
    ((1, 2, 3, 4, 5),),
    ((1, 2, 3, 4, 5),),
    ((1, 2, 3, 4, 5, 6),),
    ((1, 2, 3, 4, 5, 6),),
    ((2, 3, 4, 5, 6),),
    ((2, 3, 4, 5),),
    ((3, 4, 5, 6),),
    ((1, 3, 5),),
    ((0, 1, 2, 3, 4), (5,)),
    ((0, 1, 2, 3, 4), (5, 6)),
    ((0, 1, 2, 3), (4,)),
    ((0, 1, 2, 3), (4,)),
    ((0, 1, 3), (2, 4)),
    ((0, 1, 2, 4), (3,)),
    ((1, 2, 3, 4), (5,)),
    ((1, 2, 3, 4), (5, 6)),
    ((1, 2, 3, 4, 5), (6,)),
    ((0, 1, 2, 3), (4, 5)),
    ((1, 2, 3), (4, 5, 6)),
    ((0, 2, 4), (1, 3)),
    ((0, 1, 2, 3, 4, 5), (6,)),
    ((0, 1, 2), (3,), (4,)),
    ((0, 1, 2, 3), (4,), (5,)),
    ((1, 2, 3), (4, 5), (6,)),
    ((0, 1, 2, 3, 4), (5,), (6,)),
)
#: Clock times in figures: the assistant says ``five thirty`` to all of them.
_FIGURES: Final = ("figures", "am", "24")


def clock_words(minute: int, style: str) -> str:
    """A time as the assistant says it: ``half past six``, ``six in the evening``."""
    hour, rest = divmod(minute, 60)
    if rest == 0 and hour in (12, 24) and style not in _FIGURES:
        return "noon" if hour == 12 else "midnight"
    word = UNITS[(hour - 1) % 12 + 1]
    thirty = f"{word} thirty" if style == "thirty" or style in _FIGURES else f"half past {word}"
    said = thirty if rest else word
    if style != "parts":
        return said
    return f"{said} in the {'morning' if hour < 12 else 'afternoon' if hour < 18 else 'evening'}"


def _figures(minute: int, style: str, tight: bool) -> str:
    """``5:30``, ``5:30 pm``, ``17:30``."""
    hour, rest = divmod(minute, 60)
    if style == "24":
        return f"{hour % 24:02}:{rest:02}"
    figure = f"{(hour - 1) % 12 + 1}{f':{rest:02}' if rest else ''}"
    if style != "am":
        return figure
    return f"{figure}{'' if tight else ' '}{'am' if hour % 24 < 12 else 'pm'}"


def day_words(days: Sequence[int], rng: random.Random, alone: bool = True) -> str:
    """``Monday to Friday``, ``weekdays``, ``every day except Tuesday``."""
    if len(days) == 7:
        return rng.choice(("every day", "daily", "seven days a week", "Monday to Sunday"))
    missing = [day for day in _WEEK if day not in days]
    if alone and len(missing) == 1 and (missing[0] not in (0, 6) or rng.random() < 0.4):
        return f"every day except {DAYS[missing[0]]}"
    if tuple(days) == (0, 1, 2, 3, 4) and rng.random() < 0.25:
        return rng.choice(("weekdays", "on weekdays"))
    if tuple(days) == (5, 6) and rng.random() < 0.5:
        return rng.choice(("weekends", "at weekends", "at the weekend"))
    if len(days) > 2 and days[-1] - days[0] == len(days) - 1:
        return f"{DAYS[days[0]]} to {DAYS[days[-1]]}"
    return joined([DAYS[day] for day in days])


def _written(words: str, rng: random.Random) -> str:
    """Other spellings of the days in a prompt: ``daily except Wednesday``, ``Mon-Fri``."""
    if words.startswith("every day "):
        every = rng.choice(("every day", "every day", "daily", "all week", "seven days a week"))
        but = rng.choice(("except", "except", "but", "apart from"))
        return f"{every} {but} {words.rsplit(maxsplit=1)[-1]}{rng.choice(('', '', 's'))}"
    pick = rng.random()
    if pick < 0.12:
        words = re.sub(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*day\b", r"\1", words)
        return words.replace(" to ", rng.choice((" to ", "-", " - ", "-")))
    if pick < 0.2:
        return words.replace(" to ", rng.choice((" through ", " till ")))
    return f"from {words}" if pick < 0.24 and " to " in words else words


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
    if kind in ("day", "meals") and rng.random() < 0.14:
        pause = 60 * rng.choice((12, 13) if kind == "day" else (14, 15)) + rng.choice((0, 0, 30))
        again = 60 * rng.choice((15, 16) if kind == "day" else (17, 18))
        late, style = max(closes, again + 120), "bare" if style == "parts" else style
        return (_span(opens, pause, style), _span(again, late, style))
    return (_span(opens, closes, style),)


def _span_text(group: Group, style: str, rng: random.Random, bare: bool) -> str:
    parts, tight = [], rng.random() < 0.5
    to = rng.choice(("to", "to", "to", "until", "till"))
    for span in group.spans:
        start, end = span.open_said, span.close_said
        if style in _FIGURES:
            start, end = _figures(span.opens, style, tight), _figures(span.closes, style, tight)
        if bare and style in _FIGURES and tight:
            parts.append(f"{start}-{end}")
        else:
            parts.append(f"{start} {to} {end}" if bare else f"from {start} {to} {end}")
    return rng.choice((" and ", " and ", ", then ")).join(parts)


def draw_hours(kind: str, rng: random.Random, subject: str = "", sheet: bool = False) -> Hours:
    """Random opening hours of a kind of house; ``subject`` is what is open (``Reception``).

    What has such a subject is open every day. A ``sheet`` writes them in figures.
    """
    style = rng.choice(("bare",) * 5 + ("thirty", "parts", "parts", *_FIGURES, "am", "24", "24"))
    if sheet:
        style = rng.choice(("figures", "am", "am", "24", "24", "24"))
    parts: tuple[tuple[int, ...], ...] = rng.choice(_PARTS)
    if rng.random() < 0.2:
        shut = rng.randrange(7)
        parts = (tuple(day for day in _WEEK if day != shut),)
    if subject:
        parts = (_WEEK,)
    groups: list[Group] = []
    for index, days in enumerate(parts):
        spans = _spans(kind, style, rng, short=index > 0 and rng.random() < 0.5)
        if index and rng.random() < 0.4:  # as the days before, but shorter or longer
            first, closes = groups[0].spans[0], 60 * rng.choice((12, 13, 14, 15, 20, 21, 22))
            if closes > first.opens + 60:
                spans = (_span(first.opens, closes, style),)
        known = [[s.open_said + s.close_said for s in group.spans] for group in groups]
        if [s.open_said + s.close_said for s in spans] in known:
            spans = (_span(600 + 60 * index, 840 + 30 * index, style),)
        groups.append(Group(days, day_words(days, rng, len(parts) == 1), spans))
    if len(parts[0]) == 7:
        groups = [replace(groups[0], words="every day")] if rng.random() < 0.5 else groups
    hours = Hours(tuple(groups), "")
    if sheet:
        rows = hours_rows(hours, style, rng)
        return Hours(hours.groups, hours_line(rows, rng), tuple(rows))
    if len(groups) == 1 and len(hours.closed()) in (1, 2) and rng.random() < 0.3:
        return _but_closed(hours, style, rng)
    return Hours(hours.groups, _text(hours, style, subject, rng))


def _but_closed(hours: Hours, style: str, rng: random.Random) -> Hours:
    """Hours without days, and the days that are closed: ``It opens at nine and closes at six.``"""
    group = hours.groups[0]
    names = [DAYS[day] for day in hours.closed()]
    shut = joined(names)
    many = rng.choice((shut, joined([f"{name}s" for name in names])))
    span = _span_text(group, style, rng, rng.random() < 0.3)
    texts = [
        f"Open {span}; closed on {many}.",
        f"Open {span}, closed on {many}.",
        f"Open {span}, closed {many}.",
        f"We are open {span}. On {many} we are closed.",
        f"Closed on {many}, otherwise open {span}.",
        f"Open {span}, {shut} closed.",
        f"Open {span}. {_rest(names, rng)}",
    ]
    if len(group.spans) == 1 and style not in _FIGURES:
        opens, closes = group.spans[0].open_said, group.spans[0].close_said
        texts += 3 * [
            f"It opens at {opens} and closes at {closes}. On {many} it is closed.",
            f"You open at {opens} and close at {closes}, closed on {many}.",
        ]
    words = f"every day except {shut}"
    return Hours((replace(group, words=words),), rng.choice(texts))


def _rest(names: Sequence[str], rng: random.Random) -> str:
    """A sentence that names the days that are closed."""
    many = joined([f"{name}s" for name in names])
    says = [f"Closed on {many}.", f"Closed on {joined(names)}.", f"We are closed on {many}.",
            f"{many} closed.", f"Not open on {many}."]  # fmt: skip
    if list(names) == ["Saturday", "Sunday"]:
        says += 4 * [f"Closed {when}." for when in ("at weekends", "on weekends")]
    if len(names) == 1:
        says += [f"{names[0]} is the rest day.", f"There is nobody here on {many}."]
    return rng.choice(says)


def _listed(hours: Hours, style: str, rng: random.Random) -> list[str]:
    """Each group of days with its hours, all in the same way."""
    way, bare = rng.random(), rng.random() < 0.45
    listed: list[str] = []
    for index, group in enumerate(hours.groups):
        days, span = _written(group.words, rng), _span_text(group, style, rng, bare)
        first, this = hours.groups[0].spans[0], group.spans[0]
        if index and first.opens == this.opens and len(group.spans) == 1 and rng.random() < 0.6:
            end = _figures(this.closes, style, False) if style in _FIGURES else this.close_said
            only = "only " if this.closes < first.closes and rng.random() < 0.3 else ""
            listed.append(f"{days} {only}{rng.choice(('until', 'until', 'till', 'to'))} {end}")
        elif way < 0.15 and bare:
            listed.append(f"{days}, {span}" if len(hours.groups) == 1 else f"{days}: {span}")
        elif way < 0.25:
            on = "" if days.startswith(("every", "daily", "on ", "at ", "all ", "seven")) else "on "
            listed.append(f"{span} {on}{days}" if not days.startswith("from") else f"{span} {days}")
        else:
            listed.append(f"{days} {span}")
    return listed


def _text(hours: Hours, style: str, subject: str, rng: random.Random) -> str:
    listed = _listed(hours, style, rng)
    if len(hours.groups[0].days) == 7 and rng.random() < 0.4:
        listed = [_span_text(hours.groups[0], style, rng, False)]  # no days: every day
    body = rng.choice((", ", ", ", ", ", "; ", " and ")).join(listed)
    opening = (
        rng.choice((f"{subject} is open", f"{subject} is open", f"{subject} hours:"))
        if subject
        else rng.choice(
            (
                *("Open", "Open", "We are open", "It is open", "Opening hours:", "Hours:"),
                *("You are open", "The opening hours are", "Opening times:", "Open", ""),
            )
        )
    )
    text = capitalise(f"{opening} {body}".strip())
    shut = hours.closed()
    if not shut or rng.random() < 0.55:
        return f"{text}."
    names = [DAYS[day] for day in shut]
    if len(names) > 3:
        return f"{text}."
    many = joined([f"{name}s" for name in names])
    return text + rng.choice(
        (
            f"; closed {joined(names)}.",
            f", closed {joined(names)}.",
            f", closed on {many}.",
            f", closed {'at weekends' if names == ['Saturday', 'Sunday'] else joined(names)}.",
            f". {_rest(names, rng)}",
            f". {_rest(names, rng)}",
        )
    )
