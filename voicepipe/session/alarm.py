"""Rings when a time has come: the one next moment of a session's timers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from voicepipe.runtime.clock import Clock


class Alarm:
    """`ring` is called when the moment that was set has come."""

    def __init__(self, clock: Clock, ring: Callable[[], None]) -> None:
        self._clock, self._ring = clock, ring
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at_s: float | None) -> None:
        """Monotonic seconds, in place of what was set before; None: not at all."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if at_s is not None:
            wait_s = max(0.0, at_s - self._clock.now())
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._ring)
