"""One timer for all callers of a load test, each of whom is still called at its own moment. With
asyncio's, one for each frame of each, a fifth of what they cost was timers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

from voicepipe.runtime.clock import Clock

Tick = Callable[[], float | None]
"""Does what is due and tells when it wants to be called again; None: not any more."""


class Pacer:
    """Calls each at the times it asks for, in their order."""

    def __init__(self, clock: Clock) -> None:
        """`clock` goes as the loop's own does."""
        self._clock = clock
        self._due: list[tuple[float, int, Tick]] = []  # a heap; the number keeps ticks uncompared
        self._numbers = count()
        self._timer: asyncio.TimerHandle | None = None

    def call_at(self, when: float, tick: Tick) -> None:
        """For the first time then."""
        heappush(self._due, (when, next(self._numbers), tick))
        if self._due[0][2] is tick:
            self._wait()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if self._due:
            self._timer = asyncio.get_running_loop().call_at(self._due[0][0], self._call)

    def _call(self) -> None:
        self._timer = None
        now = self._clock.now()
        try:
            while self._due and self._due[0][0] <= now:
                _, number, tick = heappop(self._due)
                again = tick()
                if again is not None:
                    heappush(self._due, (again, number, tick))
        finally:
            self._wait()  # one that fails is not called again, and keeps nobody else from it
