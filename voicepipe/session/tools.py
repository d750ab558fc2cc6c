"""Functions the server itself runs for the model: the clock and the timers of the house.

A client that declares tools of its own runs those itself; then these are not offered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from voicepipe.clock import Clock
from voicepipe.llm.contract import Tool, ToolCall

MAX_TIMERS = 50
MAX_TIMER_S = 24 * 3600

_NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}
_LABEL = {"type": "string", "description": "what the timer is for"}

DECLARATIONS = {
    tool.name: tool
    for tool in (
        Tool("get_time", "The local time, date and weekday.", _NO_ARGUMENTS),
        Tool(
            "set_timer",
            "Start a timer.",
            {
                "type": "object",
                "properties": {
                    "seconds": {"type": "integer", "minimum": 1, "maximum": MAX_TIMER_S},
                    "label": _LABEL,
                },
                "required": ["seconds"],
            },
        ),
        Tool(
            "cancel_timer",
            "Cancel a timer by its label, or all timers.",
            {"type": "object", "properties": {"label": _LABEL}},
        ),
        Tool("list_timers", "The timers that are running.", _NO_ARGUMENTS),
    )
}


@dataclass(frozen=True, slots=True)
class Timer:
    id: int
    label: str
    seconds: int
    ends_at: float  # monotonic seconds


class ServerTools:
    """Runs calls for one session. Wrong arguments come back to the model as an error object."""

    def __init__(
        self,
        names: tuple[str, ...],
        clock: Clock,
        local_time: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._names = tuple(n for n in names if n in DECLARATIONS)
        self._clock = clock
        self._local_time = local_time
        self._timers: list[Timer] = []
        self._next_id = 1

    @property
    def declarations(self) -> tuple[Tool, ...]:
        return tuple(DECLARATIONS[name] for name in self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def run(self, call: ToolCall) -> str:
        """The result as JSON text; never raises for what a model wrote."""
        try:
            arguments = json.loads(call.arguments or "{}")
        except (ValueError, RecursionError):
            return _error("the arguments are not JSON")
        if not isinstance(arguments, Mapping):
            return _error("the arguments are not an object")
        if call.name not in self._names:
            return _error(f"there is no function {call.name!r}")
        handler = {
            "get_time": self._get_time,
            "set_timer": self._set_timer,
            "cancel_timer": self._cancel_timer,
            "list_timers": self._list_timers,
        }[call.name]
        return json.dumps(handler(arguments))

    def _get_time(self, _: Mapping[str, Any]) -> dict[str, Any]:
        now = self._local_time()
        return {
            "time": now.strftime("%H:%M"),
            "date": now.strftime("%Y-%m-%d"),
            "weekday": now.strftime("%A"),
        }

    def _set_timer(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        seconds = arguments.get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int):
            return {"error": "seconds must be a whole number"}
        if not 1 <= seconds <= MAX_TIMER_S:
            return {"error": f"seconds must be from 1 to {MAX_TIMER_S}"}
        self._expire()
        if len(self._timers) >= MAX_TIMERS:
            return {"error": f"there are already {MAX_TIMERS} timers"}
        label = str(arguments.get("label") or "")
        timer = Timer(self._next_id, label, seconds, self._clock.now() + seconds)
        self._next_id += 1
        self._timers.append(timer)
        result: dict[str, Any] = {"id": timer.id, "seconds": seconds}
        return {**result, "label": label} if label else result

    def _cancel_timer(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._expire()
        label = str(arguments.get("label") or "").lower()
        kept = [t for t in self._timers if label and t.label.lower() != label]
        cancelled = len(self._timers) - len(kept)
        self._timers = kept
        return {"cancelled": cancelled}

    def _list_timers(self, _: Mapping[str, Any]) -> dict[str, Any]:
        self._expire()
        now = self._clock.now()
        return {
            "timers": [
                {"label": t.label or f"timer {t.id}", "seconds_left": round(t.ends_at - now)}
                for t in self._timers
            ]
        }

    def _expire(self) -> None:
        now = self._clock.now()
        self._timers = [t for t in self._timers if t.ends_at > now]


def _error(message: str) -> str:
    return json.dumps({"error": message})
