"""Percentiles of the recent past: exact, over a bounded window."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Nearest-rank percentile, `share` in 0..1: a value that really occurred.

    Raises ValueError for no values.
    """
    if not values:
        raise ValueError("no values, no percentile")
    ordered = sorted(values)
    # 0.55 * 100 is a little over 55 in floats, yet the 55th of 100 is meant.
    rank = math.ceil(share * len(ordered) - 1e-9)
    return ordered[max(0, rank - 1)]


class Window:
    """The newest `size` values of one quantity."""

    def __init__(self, size: int = 1000) -> None:
        self._values: deque[float] = deque(maxlen=size)
        self.count = 0  # ever

    def add(self, value: float) -> None:
        self._values.append(value)
        self.count += 1

    def summary(self) -> dict[str, float]:
        """Count (ever), p50, p95, p99 and max of the window; {"n": 0} when empty."""
        if not self._values:
            return {"n": 0}
        return summarize(self._values, self.count)

    def figures(self) -> tuple[int, list[float]]:
        """Count (ever), and the values of the window."""
        return self.count, list(self._values)


def summarize(values: Iterable[float], count: int | None = None) -> dict[str, float]:
    """Count, p50, p95, p99 and max of `values` (at least one)."""
    ordered = sorted(values)
    return {
        "n": len(ordered) if count is None else count,
        "p50": percentile(ordered, 0.50),
        "p95": percentile(ordered, 0.95),
        "p99": percentile(ordered, 0.99),
        "max": ordered[-1],
    }
