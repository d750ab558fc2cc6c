"""The newest values of one quantity, forgotten after a while: what a decision about *now* rests on.

`percentiles.Window` keeps the last N for reports, however old; here age counts too, so that a
server that was slow a minute ago is not judged by it for ever.
"""

from __future__ import annotations

from collections import deque

from voicepipe.ledger.percentiles import percentile
from voicepipe.runtime.clock import Clock


class Recent:
    """At most `size` values, none older than `window_s` seconds."""

    def __init__(self, clock: Clock, *, size: int, window_s: float) -> None:
        self._clock = clock
        self._window_s = window_s
        self._values: deque[tuple[float, float]] = deque(maxlen=size)

    def add(self, value: float) -> None:
        self._values.append((self._clock.now(), value))

    def values(self) -> list[float]:
        """Oldest first."""
        oldest = self._clock.now() - self._window_s
        while self._values and self._values[0][0] < oldest:
            self._values.popleft()
        return [value for _, value in self._values]

    def p95(self) -> float | None:
        """Nearest-rank 95th percentile; None without values."""
        values = self.values()
        return percentile(values, 0.95) if values else None

    def mean(self) -> float | None:
        values = self.values()
        return sum(values) / len(values) if values else None

    def clear(self) -> None:
        self._values.clear()

    def __len__(self) -> int:
        return len(self.values())
