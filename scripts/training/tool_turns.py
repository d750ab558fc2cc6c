"""Turns that need a tool: the clock and the timers."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value, duration_words
from form_turns import follow_up
from spoken_numbers import MONTHS, UNITS, WEEKDAYS, plain_time, spoken_number, spoken_ordinal
from timer_words import draw_left
from user_requests import Request


def clock_answer(intent: str, result: Mapping[str, Any]) -> str:
    """Say a ``get_time`` result: the time, the date or the weekday, by intent."""
    if intent == "time":
        hour, minute = (int(part) for part in result["time"].split(":")[:2])
        return f"It's {plain_time(hour, minute)}."
    weekday = result["weekday"]
    if intent == "weekday":
        return f"Today is {weekday}."
    _, month, day = (int(part) for part in result["date"].split("-"))
    month_name = capitalise(MONTHS[month - 1])
    return f"Today is {weekday}, the {spoken_ordinal(day)} of {month_name}."


def draw_clock(rng: random.Random) -> tuple[int, int]:
    """Any time of the day: all minutes, and more often those that have a wording of their own."""
    pick, hour = rng.random(), rng.randrange(24)
    if pick < 0.5:
        return hour, rng.randrange(60)
    if pick < 0.65:
        return hour, rng.randrange(1, 10)  # "oh five" and its like
    return hour, rng.choice((0, 15, 30, 45, 45))


def timer_set_answer(seconds: int, label: str | None) -> str:
    """Say that a timer was set."""
    words, thing = duration_words(seconds), f"{label} timer" if label else "timer"
    if " and " in words:
        return f"Your {thing} for {words} is set."
    return f"Your {words.removesuffix('s')} {thing} is set."


def time_left_words(seconds: int) -> str:
    """Seconds left, as roughly as people say it: to the second only near the end."""
    if seconds < 120:
        return duration_words(max(seconds, 1))
    half = 30 if seconds < 600 and seconds % 60 == 30 else 0
    return f"about {duration_words(seconds // 60 * 60 + half)}"


def timers_answer(timers: Sequence[Mapping[str, Any]], asked: str | None) -> str:
    """Say a ``list_timers`` result; ``asked`` is the label in the question, if any."""
    if asked is not None:
        timers = [timer for timer in timers if timer.get("label") == asked]
        if not timers:
            return f"There is no {asked} timer running."
    if not timers:
        return "There are no timers running."
    parts = [
        f"{timer['label']} timer has {time_left_words(timer['seconds_left'])} left"
        if timer.get("label")
        else f"timer has {time_left_words(timer['seconds_left'])} left"
        for timer in timers
    ]
    if len(parts) == 1:
        return f"Your {parts[0]}."
    count = spoken_number(len(parts))
    return f"You have {count} timers. " + " ".join(f"The {part}." for part in parts)


def cancelled_answer(cancelled: int, label: str | None) -> str:
    """Say a ``cancel_timer`` result."""
    if label:
        if cancelled:
            return f"Your {label} timer is cancelled."
        return f"There is no {label} timer running."
    if not cancelled:
        return "There are no timers running."
    if cancelled == 1:
        return "Your timer is cancelled."
    return f"Your {spoken_number(cancelled)} timers are cancelled."


NAME_OF_INTENT_TOOL: Final = {
    "time": "get_time",
    "date": "get_time",
    "weekday": "get_time",
    "set_timer": "set_timer",
    "set_timer_open": "set_timer",
    "cancel_timer": "cancel_timer",
    "list_timers": "list_timers",
}
_NO_TOOL: Final = {
    "get_time": "I'm sorry, I can't see a clock here.",
    "set_timer": "I'm sorry, I can't set timers here.",
    "cancel_timer": "I'm sorry, I can't see any timers here.",
    "list_timers": "I'm sorry, I can't see any timers here.",
}


def _clock(talk: Conversation, req: Request) -> str:
    rng = talk.rng
    day = dt.date(2024, 1, 1) + dt.timedelta(days=rng.randrange(3300))
    hour, minute = draw_clock(rng)
    asked = _named_hour(req.values["time"].say) if "time" in req.values else None
    if asked is not None:
        hour = asked + rng.choice((1, -2))
    result = {
        "time": f"{hour:02d}:{minute:02d}",
        "date": day.isoformat(),
        "weekday": capitalise(WEEKDAYS[day.weekday()]),
    }
    talk.call("get_time", {}, result)
    if asked is not None:
        return f"{'Yes' if hour > asked else 'No'}, it's {plain_time(hour, minute)}."
    return clock_answer(req.intent, result)


def _named_hour(time: str) -> int:
    """The hour of the day that is meant by ``half past six`` and the like."""
    found = re.search(r"(?:past|to) (\w+)", time)
    word = found.group(1) if found else time.split(maxsplit=1)[0]
    hour = UNITS.index(word) if word in UNITS else 12
    return hour + 12 if hour < 10 else hour


def _set_timer(talk: Conversation, seconds: int, label: str | None) -> str:
    arguments: dict[str, Any] = {"seconds": seconds} | ({"label": label} if label else {})
    if talk.rng.random() < 0.03:
        talk.call("set_timer", arguments, {"error": "timer service unavailable"})
        return "I'm sorry, that didn't work."
    talk.timers.append({"label": label, "seconds_left": seconds})
    result: dict[str, Any] = {"id": len(talk.timers), "seconds": seconds}
    if label or talk.rng.random() < 0.5:
        result["label"] = label
    talk.call("set_timer", arguments, result)
    return timer_set_answer(seconds, label)


def _label(req: Request) -> str | None:
    return req.values["label"].say if "label" in req.values else None


def _timer_set(talk: Conversation, req: Request) -> str:
    label = _label(req)
    if "length" in req.values:
        req.values["duration"] = req.values["length"]
    if "duration" not in req.values:
        talk.assistant("For how long?")
        req = follow_up(talk, "duration")
    return _set_timer(talk, int(req.values["duration"].data or 0), label)


def correct_timer(talk: Conversation, req: Request) -> None:
    """The user wants another length after all."""
    duration = draw_value("duration", talk.rng, talk.rng.random() < 0.3)
    opening = talk.rng.choice(("no", "sorry", "actually", "wait", "oh no", "no wait", "", "please"))
    verb = talk.rng.choice(("make it", "make that", "i meant", "i said", "better"))
    talk.user(f"{opening} {verb} {duration.text}".strip())
    talk.assistant(_set_timer(talk, int(duration.data or 0), _label(req)))


def _some_timers(talk: Conversation, label: str | None) -> list[dict[str, Any]]:
    """Timers that a ``list_timers`` may report: those set before, else invented ones."""
    rng = talk.rng
    if talk.timers:
        return [
            {"label": t["label"], "seconds_left": draw_left(rng, max(1, t["seconds_left"]))}
            for t in talk.timers
        ]
    count = rng.choice((0, 1, 1, 1, 2, 2, 3))
    labels: list[str | None] = [draw_value("label", rng, False).say for _ in range(count)]
    if label and labels and rng.random() < 0.75:
        labels[rng.randrange(count)] = label
    if not label and count == 1 and rng.random() < 0.5:
        labels = [None]
    unique = list(dict.fromkeys(labels))
    return [{"label": name, "seconds_left": draw_left(rng)} for name in unique]


def _timers_listed(talk: Conversation, req: Request) -> str:
    label = _label(req)
    timers = _some_timers(talk, label)
    shown = [dict(timer) for timer in timers]
    if talk.rng.random() < 0.4:
        shown = [{k: v for k, v in timer.items() if v is not None} for timer in shown]
    if talk.rng.random() < 0.3:
        shown = [{"id": i + 1, **timer} for i, timer in enumerate(shown)]
    talk.call("list_timers", {}, {"timers": shown})
    return timers_answer(timers, label)


def _timer_cancelled(talk: Conversation, req: Request) -> str:
    label = _label(req)
    every = bool(re.search(r"\ball\b|every|no more", req.flat))
    count = talk.rng.choice((0, 1, 2, 2, 3, 4)) if every else talk.rng.choice((0, 1, 1, 1, 1, 1))
    talk.timers = []
    talk.call("cancel_timer", {"label": label} if label else {}, {"cancelled": count})
    return cancelled_answer(count, label)


def tool_answer(talk: Conversation, req: Request) -> str:
    """Call what a request about the clock or the timers needs; what is to be said of it."""
    tool = NAME_OF_INTENT_TOOL[req.intent]
    if tool not in talk.tools:
        return _NO_TOOL[tool]
    if tool == "get_time":
        return _clock(talk, req)
    if tool == "set_timer":
        return _timer_set(talk, req)
    if tool == "list_timers":
        return _timers_listed(talk, req)
    return _timer_cancelled(talk, req)


def tool_turn(talk: Conversation, req: Request) -> None:
    """Answer a request about the clock or the timers."""
    talk.assistant(tool_answer(talk, req))
    if req.intent == "set_timer" and "set_timer" in talk.tools and talk.rng.random() < 0.12:
        correct_timer(talk, req)
