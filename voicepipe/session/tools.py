"""Functions the server itself runs for the model: the clock and the timers of the house, and what
the door of a session adds (a call's hang-up).

A client that declares tools of its own runs those itself; then these are not offered.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from voicepipe.llm.contract import Tool, ToolCall
from voicepipe.runtime.clock import Clock

log = logging.getLogger(__name__)

CALL_DEADLINE_S = 10.0
"""A function that takes longer has failed; the caller hears silence meanwhile."""

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


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a function gave. `afterwards` is called when the reply that asked for it has been
    played to its end, and never if the user interrupts it; where words were said before, such a
    result closes the reply and the model is not asked for more."""

    value: Mapping[str, Any]
    afterwards: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A function of a session's door. `run` gets the arguments, as the model wrote them; it has
    `CALL_DEADLINE_S`, and whatever it raises is told to the model as a failure."""

    declaration: Tool
    run: Callable[[Mapping[str, Any]], Awaitable[ToolResult]]
    in_history: bool = True  # its call and result become items; False: it writes its own


@dataclass(frozen=True, slots=True)
class Ran:
    """One call that was run: its result as JSON text."""

    text: str
    afterwards: Callable[[], None] | None = None
    in_history: bool = True


class ServerTools:
    """Runs calls for one session. Wrong arguments come back to the model as an error object."""

    def __init__(
        self,
        names: tuple[str, ...],
        clock: Clock,
        local_time: Callable[[], datetime] = datetime.now,
        extra: Sequence[ServerTool] = (),
        on_timers: Callable[[float | None], None] = lambda next_at: None,
    ) -> None:
        """`on_timers`: told when the next timer runs down (monotonic s; None: there is none),
        whenever that changes."""
        self._names = tuple(n for n in names if n in DECLARATIONS)
        self._extra = {tool.declaration.name: tool for tool in extra}
        self._clock = clock
        self._local_time = local_time
        self._timers: list[Timer] = []
        self._on_timers = on_timers
        self._next_id = 1

    def take_due(self) -> list[Timer]:
        """The timers that have run down, once."""
        now = self._clock.now()
        due = [t for t in self._timers if t.ends_at <= now]
        self._keep([t for t in self._timers if t.ends_at > now])
        return due

    def offer(self, tool: ServerTool) -> None:
        """One more."""
        self._extra[tool.declaration.name] = tool

    @property
    def declarations(self) -> tuple[Tool, ...]:
        own = tuple(DECLARATIONS[name] for name in self._names if name not in self._extra)
        return own + tuple(tool.declaration for tool in self._extra.values())

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in self._extra

    async def call(self, call: ToolCall) -> Ran:
        """Run any function, the door's included; never raises for what a model wrote or a function
        did, and takes no longer than `CALL_DEADLINE_S`."""
        tool = self._extra.get(call.name)
        if tool is None:
            return Ran(self.run(call))
        arguments = _arguments(call)
        if isinstance(arguments, str):
            return Ran(_error(arguments))
        try:
            async with asyncio.timeout(CALL_DEADLINE_S):
                result = await tool.run(arguments)
        except TimeoutError:
            return Ran(_error(f"{call.name} took longer than {CALL_DEADLINE_S:.0f} s"))
        except Exception:
            log.exception("the function %s failed", call.name)
            return Ran(_error(f"{call.name} failed"))
        return Ran(json.dumps(result.value), result.afterwards, tool.in_history)

    def run(self, call: ToolCall) -> str:
        """Run one of the house's own functions: the result as JSON text; never raises for what a
        model wrote."""
        arguments = _arguments(call)
        if isinstance(arguments, str):
            return _error(arguments)
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
        if len(self._running) >= MAX_TIMERS:
            return {"error": f"there are already {MAX_TIMERS} timers"}
        label = str(arguments.get("label") or "")
        timer = Timer(self._next_id, label, seconds, self._clock.now() + seconds)
        self._next_id += 1
        self._keep([*self._timers, timer])
        result: dict[str, Any] = {"id": timer.id, "seconds": seconds}
        return {**result, "label": label} if label else result

    def _cancel_timer(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        label = str(arguments.get("label") or "").lower()
        gone = [t for t in self._running if not label or t.label.lower() == label]
        self._keep([t for t in self._timers if t not in gone])
        return {"cancelled": len(gone)}

    def _list_timers(self, _: Mapping[str, Any]) -> dict[str, Any]:
        now = self._clock.now()
        return {
            "timers": [
                {"label": t.label or f"timer {t.id}", "seconds_left": round(t.ends_at - now)}
                for t in self._running
            ]
        }

    @property
    def _running(self) -> list[Timer]:
        now = self._clock.now()
        return [t for t in self._timers if t.ends_at > now]

    def _keep(self, timers: list[Timer]) -> None:
        self._timers = timers
        self._on_timers(min((t.ends_at for t in timers), default=None))


def _arguments(call: ToolCall) -> Mapping[str, Any] | str:
    """The arguments, or what is wrong with them."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return "the arguments are not JSON"
    return arguments if isinstance(arguments, Mapping) else "the arguments are not an object"


def _error(message: str) -> str:
    return json.dumps({"error": message})
