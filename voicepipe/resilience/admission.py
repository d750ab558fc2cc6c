"""Whether a new session may come, judged by how late the running ones are. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from voicepipe.resilience.recent import Recent
from voicepipe.runtime.clock import Clock

Cause = Literal["loop_lag", "overhead"]

MIN_VALUES = 5
"""Fewer prove nothing: one slow turn is no overload."""

MAX_VALUES = 12_000
"""The lag of 600 s, the longest window: it is measured 20 times a second."""


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """p95 over the last `window_s` seconds; 0: that cause never refuses."""

    loop_lag_ms: float = 0.0
    overhead_ms: float = 0.0
    window_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not now."""

    cause: Cause
    p95_ms: float
    limit_ms: float

    def __str__(self) -> str:
        what, setting = _WORDS[self.cause]
        return (
            f"the server is overloaded: {what} is {self.p95_ms:.0f} ms (p95), over its limit of "
            f"{self.limit_ms:.0f} ms ({setting}); try again soon"
        )


_WORDS: dict[Cause, tuple[str, str]] = {
    "loop_lag": ("the lag of its event loop", "admission.max_loop_lag_ms"),
    "overhead": ("what it adds to its turns", "admission.max_overhead_ms"),
}


class Admission:
    """Feed it measurements, ask it before each new session. `refused` counts by cause."""

    def __init__(self, limits: AdmissionLimits, clock: Clock) -> None:
        self.limits = limits
        self.refused: Counter[Cause] = Counter()
        self.loop_lag_ms = Recent(clock, size=MAX_VALUES, window_s=limits.window_s)
        self.overhead_ms = Recent(clock, size=MAX_VALUES, window_s=limits.window_s)

    @property
    def watches_loop(self) -> bool:
        return self.limits.loop_lag_ms > 0

    def check(self) -> Refusal | None:
        """None: welcome. A refusal is counted."""
        refusal = self._judge("loop_lag", self.loop_lag_ms, self.limits.loop_lag_ms) or self._judge(
            "overhead", self.overhead_ms, self.limits.overhead_ms
        )
        if refusal is not None:
            self.refused[refusal.cause] += 1
        return refusal

    def _judge(self, cause: Cause, recent: Recent, limit_ms: float) -> Refusal | None:
        if not limit_ms or len(recent) < MIN_VALUES:
            return None
        p95_ms = recent.p95() or 0.0
        return Refusal(cause, p95_ms, limit_ms) if p95_ms > limit_ms else None
