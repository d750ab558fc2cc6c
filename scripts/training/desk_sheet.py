"""Opening hours and prices as a sheet writes them: ``Mon-Fri 8-19, Sat 9-13, Sun closed``."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from desk_hours import DAYS, Group, Hours
from desk_prices import Thing
from dialogue_values import capitalise
from order_items import joined


def _days(days: Sequence[int], short: bool, dash: str, rng: random.Random) -> str:
    names = [DAYS[day][:3] if short else DAYS[day] for day in days]
    if len(days) == 7:
        return rng.choice(("daily", "every day", f"{names[0]}{dash}{names[-1]}", "all week"))
    if tuple(days) == (0, 1, 2, 3, 4) and rng.random() < 0.15:
        return "weekdays"
    if tuple(days) == (5, 6) and rng.random() < 0.3:
        return "weekends"
    if len(days) > 2 and days[-1] - days[0] == len(days) - 1:
        return f"{names[0]}{dash}{names[-1]}"
    return ", ".join(names) if rng.random() < 0.5 else joined(names)


def _clock(minute: int, style: str, full: bool, tight: bool) -> str:
    hour, rest = divmod(minute, 60)
    if style == "24":
        figure = f"{hour:02}:{rest:02}" if full else f"{hour}{f':{rest:02}' if rest else ''}"
        return figure
    figure = f"{(hour - 1) % 12 + 1}{f':{rest:02}' if rest or full else ''}"
    if style != "am":
        return figure
    return f"{figure}{'' if tight else ' '}{'am' if hour % 24 < 12 else 'pm'}"


def hours_rows(hours: Hours, style: str, rng: random.Random) -> list[tuple[str, str]]:
    """Each group of days and its times; at times the closed days as well."""
    short, tight = rng.random() < 0.65, rng.random() < 0.5
    full = style == "24" and rng.random() < 0.6
    dash = rng.choice(("-", "-", " - ", " to ", " to ", " through "))
    to = rng.choice(("-", "-", " - ", " to ", " to ", " until ", " till "))

    def times(group: Group) -> str:
        spans = [
            f"{_clock(s.opens, style, full, tight)}{to}{_clock(s.closes, style, full, tight)}"
            for s in group.spans
        ]
        return rng.choice((" and ", ", ")).join(spans)

    rows = [(_days(group.days, short, dash, rng), times(group)) for group in hours.groups]
    shut = hours.closed()
    if shut and len(shut) < 4 and rng.random() < 0.55:
        names = [DAYS[day][:3] if short else DAYS[day] for day in shut]
        rows.append((", ".join(names), "closed"))
    return rows


def hours_line(rows: Sequence[tuple[str, str]], rng: random.Random) -> str:
    """The rows in one sentence."""
    pick = rng.random()
    shut = [days for days, times in rows if times == "closed"]
    texts = [f"{days} {times}" for days, times in rows if times != "closed"]
    if pick < 0.12:
        texts = [f"{times} {days}" for days, times in rows if times != "closed"]
    elif pick < 0.24:
        texts = [f"{days}: {times}" for days, times in rows if times != "closed"]
    text = rng.choice((", ", ", ", "; ", " and ", " | ")).join(texts)
    if shut:
        text += rng.choice((", {} closed", ", closed {}", "; closed {}", " (closed {})", ". {} closed")).format(shut[0])  # fmt: skip
    opening = rng.choice(("Open ", "Open ", "We are open ", "Hours: ", "Opening hours: ", "Open: "))
    return f"{opening}{text}."


def price_rows(things: Sequence[Thing], rng: random.Random) -> list[tuple[str, str]]:
    """What has a price, and its price with what else is told of it."""
    rows = []
    comma = rng.choice((", ", ", ", " - ", " / ")) if rng.random() < 0.8 else " and takes "
    for thing in things:
        head = re.sub(r"^(an?|the) ", "", thing.said.removeprefix("a ticket for "))
        value = f"{thing.price}{thing.unit}"
        if thing.lasts:
            value += f"{comma}{thing.lasts}"
        rows.append((capitalise(head), value))
    return rows
