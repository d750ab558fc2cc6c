"""A circuit breaker: an engine that is late or failing is left alone for a while. Pure.

closed     calls go through; their latencies and failures are watched
open       nothing goes through for `open_s`
half-open  one call, the probe, goes through; it decides between closed and open
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from voicepipe.ledger.percentiles import percentile
from voicepipe.resilience.recent import Recent
from voicepipe.runtime.clock import Clock

MIN_SLOW = 2
"""The p95 of a few calls is the slowest of them, and one slow call is no trend."""


class BreakerState(Enum):
    CLOSED = "closed"
    HALF_OPEN = "half_open"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class BreakerOptions:
    """When to trip. `p95_ms` and `error_rate`: 0 means that this cause never trips it."""

    p95_ms: float = 0.0  # rolling p95 of the latency above which it opens
    error_rate: float = 0.5  # share of failed calls at which it opens
    calls: int = 20  # the last so many are judged: quick to see a change, slow to see ghosts
    min_calls: int = 5  # fewer prove nothing; where `calls` is less, that
    window_s: float = 60.0  # older calls are forgotten
    open_s: float = 10.0  # left alone so long, then one probe


@dataclass(slots=True)
class BreakerCounts:
    """Since the start of the process."""

    calls: int = 0
    failures: int = 0
    refused: int = 0  # calls that found it open
    opened: int = 0  # times it tripped, failed probes included
    probes: int = 0


class Permit:
    """One call's leave to go ahead. Tell it what happens; `done` comes last, always."""

    def __init__(self, breaker: Breaker, *, probe: bool) -> None:
        self._breaker = breaker
        self._probe = probe
        self._given = breaker.counts.opened  # after the breaker had opened so often
        self._spoke = False
        self._over = False

    def succeeded(self, latency_ms: float) -> None:
        """The result (of a stream: its first piece) came after so long."""
        if not self._spoke and not self._over:
            self._spoke = True
            self._breaker._on_latency(self._probe, self._given, latency_ms)

    def failed(self) -> None:
        """It raised, perhaps after its first piece."""
        if not self._over:
            self._over = True
            self._breaker._on_failure(self._probe and not self._spoke, self._given)

    def done(self, after_ms: float) -> None:
        """The call is over. Where neither a result nor an error came, nobody wanted it any more:
        that proves only that the latency was at least `after_ms`, and counts where this alone is
        too long.
        """
        if self._over:
            return
        self._over = True
        if self._spoke:
            self._breaker._on_success(self._given)
        else:
            self._breaker._on_abandoned(self._probe, self._given, after_ms)


class Breaker:
    """Ask `enter` before each call. Shared by all sessions; not for several threads."""

    def __init__(self, options: BreakerOptions, clock: Clock) -> None:
        self.options = options
        self.counts = BreakerCounts()
        self._clock = clock
        size, window_s = options.calls, options.window_s
        self._enough = min(options.min_calls, size)  # more than `calls` are never known
        self._latencies_ms = Recent(clock, size=size, window_s=window_s)
        self._failures = Recent(clock, size=size, window_s=window_s)  # 1.0 failed, 0.0 did not
        self._open_until: float | None = None  # None: closed
        self._probing = False

    @property
    def state(self) -> BreakerState:
        if self._open_until is None:
            return BreakerState.CLOSED
        waiting = self._clock.now() < self._open_until
        return BreakerState.OPEN if waiting else BreakerState.HALF_OPEN

    def enter(self) -> Permit | None:
        """Leave to call, or None: go elsewhere. Half-open, only one call at a time gets leave."""
        state = self.state
        if state is BreakerState.OPEN or (state is BreakerState.HALF_OPEN and self._probing):
            self.counts.refused += 1
            return None
        self.counts.calls += 1
        probe = state is BreakerState.HALF_OPEN
        if probe:
            self._probing = True
            self.counts.probes += 1
        return Permit(self, probe=probe)

    def _is_straggler(self, given: int) -> bool:
        """From before it opened: that call changes nothing, also when it has closed again."""
        return given != self.counts.opened

    def _on_latency(self, probe: bool, given: int, latency_ms: float) -> None:
        if probe:
            self._probing = False
            if self._too_slow(latency_ms):
                self._open()
            else:
                self._open_until = None
        elif not self._is_straggler(given):
            self._latencies_ms.add(latency_ms)
            latencies = self._latencies_ms.values()
            slow = sum(map(self._too_slow, latencies))
            if len(latencies) >= self._enough and slow >= min(MIN_SLOW, self.options.calls):
                self._open_if(self._too_slow(percentile(latencies, 0.95)))

    def _on_success(self, given: int) -> None:
        if not self._is_straggler(given):
            self._failures.add(0.0)

    def _on_failure(self, probe: bool, given: int) -> None:
        self.counts.failures += 1
        if probe:
            self._probing = False
            self._open()
        elif not self._is_straggler(given):
            self._failures.add(1.0)
            limit, enough = self.options.error_rate, len(self._failures) >= self._enough
            self._open_if(bool(limit) and enough and (self._failures.mean() or 0.0) >= limit)

    def _on_abandoned(self, probe: bool, given: int, after_ms: float) -> None:
        if self._too_slow(after_ms):
            self._on_latency(probe, given, after_ms)
        elif probe:
            self._probing = False  # still half-open: the next call probes

    def _too_slow(self, latency_ms: float) -> bool:
        return bool(self.options.p95_ms) and latency_ms > self.options.p95_ms

    def _open_if(self, condition: bool) -> None:
        if condition:
            self._open()

    def _open(self) -> None:
        self.counts.opened += 1
        self._open_until = self._clock.now() + self.options.open_s
        self._latencies_ms.clear()
        self._failures.clear()
