"""One monotonic clock, injected wherever time matters. Tests and some benches swap the event loop
for one whose time jumps (`lab/bench/virtual_time.py`), and every clock below follows it.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A source of monotonic time in seconds; only differences mean anything."""

    def now(self) -> float: ...


class MonotonicClock:
    """The process's monotonic clock: the same one asyncio's loop reads."""

    now = staticmethod(time.monotonic)  # no call of ours between: asked for with every frame


class ManualClock:
    """A clock that moves only when told to."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s

    def now(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError(f"a monotonic clock cannot go back ({seconds} s)")
        self._now_s += seconds
