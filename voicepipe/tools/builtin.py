"""Tools that every session has if it wants: the clock, and timers that ring."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from voicepipe.llm.contract import Tool
from voicepipe.runtime.clock import Clock
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool, ToolOptions

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

    @property
    def name(self) -> str:
        """What the list calls it."""
        return self.label or f"timer {self.id}"


class BuiltinTools:
    """Of one session. `on_timers`: told when the next timer runs down (monotonic s; None: there is
    none), whenever that changes."""

    def __init__(
        self,
        clock: Clock,
        local_time: Callable[[], datetime] = datetime.now,
        on_timers: Callable[[float | None], None] = lambda next_at: None,
    ) -> None:
        self._clock, self._local_time, self._on_timers = clock, local_time, on_timers
        self._timers: list[Timer] = []
        self._next_id = 1

    def tools(self, names: Sequence[str]) -> tuple[ServerTool, ...]:
        """Those of `names` that there are."""
        handlers = {
            "get_time": self._get_time,
            "set_timer": self._set_timer,
            "cancel_timer": self._cancel_timer,
            "list_timers": self._list_timers,
        }
        return tuple(_tool(name, handlers[name]) for name in names if name in handlers)

    def take_due(self) -> list[Timer]:
        """The timers that have run down, once."""
        now = self._clock.now()
        due = [t for t in self._timers if t.ends_at <= now]
        self._keep([t for t in self._timers if t.ends_at > now])
        return due

    def _get_time(self, _: Arguments) -> dict[str, Any]:
        now = self._local_time()
        return {
            "time": now.strftime("%H:%M"),
            "date": now.strftime("%Y-%m-%d"),
            "weekday": now.strftime("%A"),
        }

    def _set_timer(self, arguments: Arguments) -> dict[str, Any]:
        if len(self._running) >= MAX_TIMERS:
            return {"error": f"there are already {MAX_TIMERS} timers"}
        seconds, label = int(arguments["seconds"]), arguments.get("label", "")
        timer = Timer(self._next_id, label, seconds, self._clock.now() + seconds)
        self._next_id += 1
        self._keep([*self._timers, timer])
        result: dict[str, Any] = {"id": timer.id, "seconds": seconds}
        return {**result, "label": label} if label else result

    def _cancel_timer(self, arguments: Arguments) -> dict[str, Any]:
        label = arguments.get("label", "").lower()
        gone = [t for t in self._running if not label or t.name.lower() == label]
        self._keep([t for t in self._timers if t not in gone])
        return {"cancelled": len(gone)}

    def _list_timers(self, _: Arguments) -> dict[str, Any]:
        now = self._clock.now()
        return {
            "timers": [
                {"label": t.name, "seconds_left": round(t.ends_at - now)} for t in self._running
            ]
        }

    @property
    def _running(self) -> list[Timer]:
        now = self._clock.now()
        return [t for t in self._timers if t.ends_at > now]

    def _keep(self, timers: list[Timer]) -> None:
        self._timers = timers
        self._on_timers(min((t.ends_at for t in timers), default=None))


def _tool(name: str, handler: Callable[[Arguments], Mapping[str, Any]]) -> ServerTool:
    async def run(arguments: Arguments, facts: Facts) -> Output:
        return Output(json.dumps(handler(arguments)))

    options = ToolOptions(read_only=name in ("get_time", "list_timers"))
    return ServerTool(DECLARATIONS[name], run, options, "llm.tools")
