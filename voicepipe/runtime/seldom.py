"""For log lines that would come with every frame of every call while something is broken."""

from __future__ import annotations

from voicepipe.runtime.clock import Clock


class Seldom:
    """Lets the first line through, then one in `every_s`."""

    def __init__(self, clock: Clock, every_s: float = 10.0) -> None:
        self._clock, self._every_s = clock, every_s
        self._next_s: float | None = None
        self._untold = 0

    def turn(self) -> str | None:
        """What a line that is due may end with, of those that were not told; None: it is not."""
        now = self._clock.now()
        if self._next_s is not None and now < self._next_s:
            self._untold += 1
            return None
        untold, self._untold = self._untold, 0
        self._next_s = now + self._every_s
        return f" (and {untold} before)" if untold else ""
