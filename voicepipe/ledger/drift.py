"""Whether a stage of the turn has become slower than it was in the week before, and why. Pure.

Kept are counts only: an hour's turns by how long each stage took, in bins 5 % wide. The last hours
are held against the week before them by a test of quantiles: were they drawn from the same turns,
the share above the week's median (and above its p95) would hardly ever be as large as it is. A
difference that is sure but small is no finding either.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from voicepipe.ledger.records import SEGMENT_NAMES, SegmentName, TurnRecord

HOUR_S = 3600.0
WEEK_HOURS = 168
RECENT_HOURS = 3
"""The hour that runs and the two before."""

MIN_RECENT = 100
MIN_WEEK = 500
"""Turns; fewer prove nothing."""

QUANTILES = (0.5, 0.95)
SURE = 5.0
"""Standard deviations. Turns of one call are alike, which makes many of them worth fewer."""

WORSE = 1.2
WORSE_MS = 10.0
"""A quantile that has grown by less than both is no finding."""

BIN = 1.05
MAX_BIN = 220
"""Of 46 s; the last holds all that is slower."""

CHECK_S = 60.0

FactName = Literal["prompt_tokens", "cached_tokens", "queue_ms", "sessions"]


@dataclass(frozen=True, slots=True)
class Drift:
    """One stage that is slower than it was."""

    stage: SegmentName
    quantile: float  # 0.5 or 0.95
    before_ms: float
    now_ms: float
    cause: str  # likely, in words; "" where the ledger names none

    @property
    def ratio(self) -> float:
        return self.now_ms / self.before_ms

    def __str__(self) -> str:
        name = f"p{self.quantile * 100:.0f}"
        text = (
            f"{self.stage} is slower than last week: {name} {self.now_ms:.0f} ms, "
            f"was {self.before_ms:.0f} ms"
        )
        return f"{text} ({self.cause})" if self.cause else text

    def as_dict(self) -> dict[str, Any]:
        """JSON shape."""
        return {
            "stage": self.stage,
            "quantile": self.quantile,
            "before_ms": round(self.before_ms, 1),
            "now_ms": round(self.now_ms, 1),
            "cause": self.cause,
        }


@dataclass(slots=True)
class Tally:
    """Turns of some hours: each stage's times by bin, sums of what may explain them, and which
    models were at work in how many."""

    stages: dict[str, Counter[int]] = field(
        default_factory=lambda: {name: Counter() for name in SEGMENT_NAMES}
    )
    sums: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        for name, counts in other.stages.items():
            self.stages[name].update(counts)
        self.sums.update(other.sums)
        self.models.update(other.models)

    def take(self, other: Tally) -> None:
        """The opposite of `add`."""
        for name, counts in other.stages.items():
            self.stages[name].subtract(counts)
        self.sums.subtract(other.sums)
        self.models.subtract(other.models)

    def mean(self, fact: FactName) -> float:
        return self.sums[fact] / max(1, self.sums["turns"])

    def as_dict(self) -> dict[str, Any]:
        """JSON shape."""
        stages = {name: dict(counts) for name, counts in self.stages.items()}
        return {"stages": stages, "sums": dict(self.sums), "models": dict(self.models)}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Tally:
        """Raises KeyError, ValueError, TypeError or AttributeError for what is no tally."""
        stages = {
            name: Counter({int(at): int(n) for at, n in kept["stages"].get(name, {}).items()})
            for name in SEGMENT_NAMES
        }
        sums = Counter({str(name): float(value) for name, value in kept["sums"].items()})
        models = Counter({str(name): int(n) for name, n in kept["models"].items()})
        return cls(stages, sums, models)  # type: ignore[arg-type]  # sums are of floats


class DriftWatch:
    """Told of each turn. `findings` are of the last check, once a minute at most while turns come.

    `models`: who works, for "another model". Times are wall-clock seconds, so that what was kept
    can be read after a restart."""

    def __init__(self, models: str = "") -> None:
        self._models = models
        self._hours: deque[tuple[int, Tally]] = deque()  # the week's, oldest first
        self._week = Tally()  # their sum, without the recent ones
        self._recent: deque[tuple[int, Tally]] = deque()
        self._checked_at = -math.inf
        self.findings: tuple[Drift, ...] = ()

    def observe(self, record: TurnRecord, sessions: int, now_s: float) -> None:
        """A turn has ended, with so many sessions open."""
        if record.critical is None:
            return
        tally = self._hour(int(now_s // HOUR_S))
        for name, us in record.critical.items():
            tally.stages[name][_bin_of(us / 1000)] += 1
        tally.sums["turns"] += 1
        tally.sums["prompt_tokens"] += record.tokens.get("prompt", 0)
        tally.sums["cached_tokens"] += record.tokens.get("cached", 0)
        tally.sums["queue_ms"] += record.shares.get("asr_queue", 0) // 1000
        tally.sums["sessions"] += sessions
        tally.models[self._models] += 1
        if now_s - self._checked_at >= CHECK_S:
            self._checked_at = now_s
            self.findings = tuple(self._check())

    def as_dict(self) -> dict[str, Any]:
        """JSON shape of all hours."""
        hours = [*self._hours, *self._recent]
        return {"hours": [{"hour": hour, **tally.as_dict()} for hour, tally in hours]}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Hours kept by a process before this one. Raises as `Tally.from_dict` does."""
        for one in kept["hours"]:
            self._hour(int(one["hour"])).add(Tally.from_dict(one))

    def _hour(self, hour: int) -> Tally:
        """The tally of an hour; what is no longer recent goes to the week, the oldest goes."""
        if self._recent and hour < self._recent[-1][0] - RECENT_HOURS:
            self._begin_anew()  # a wall clock that was wrong: what is kept lies in the future
        if self._recent and hour <= self._recent[-1][0]:  # one that was set back a little
            return self._recent[-1][1]
        self._recent.append((hour, Tally()))
        while self._recent[0][0] <= hour - RECENT_HOURS:
            self._hours.append(self._recent.popleft())
            self._week.add(self._hours[-1][1])
        while self._hours and self._hours[0][0] <= hour - WEEK_HOURS:
            self._week.take(self._hours.popleft()[1])
        return self._recent[-1][1]

    def _begin_anew(self) -> None:
        self._hours.clear()
        self._recent.clear()
        self._week = Tally()
        self._checked_at = -math.inf

    def _check(self) -> Iterator[Drift]:
        recent = Tally()
        for _, tally in self._recent:
            recent.add(tally)
        for name in SEGMENT_NAMES:
            for quantile in QUANTILES:
                found = _slower(self._week.stages[name], recent.stages[name], quantile)
                if found is not None:
                    yield Drift(name, quantile, *found, _cause(name, self._week, recent))
                    break


def _slower(
    week: Counter[int], recent: Counter[int], quantile: float
) -> tuple[float, float] | None:
    """The quantile before and now, ms, if it has surely grown."""
    n, n_week = recent.total(), week.total()
    if n < MIN_RECENT or n_week < MIN_WEEK:
        return None
    edge = _quantile_bin(week, quantile)
    expected = sum(count for at, count in week.items() if at > edge) / n_week
    above = sum(count for at, count in recent.items() if at > edge)
    # One turn more or less than none: a week without any turn above proves no impossibility.
    expected = max(expected, 1 / n_week)
    spread = math.sqrt(n * expected * (1 - expected)) or 1.0
    if above - n * expected < SURE * spread:
        return None
    before, now = _ms_of(edge), _ms_of(_quantile_bin(recent, quantile))
    return (before, now) if now >= WORSE * before and now - before >= WORSE_MS else None


def _cause(stage: SegmentName, week: Tally, recent: Tally) -> str:
    """What has changed besides, as far as it can make this stage slower."""
    found = []
    now, before = _most(recent.models), _most(week.models)
    if now != before:
        found.append(f"another model: {now or 'unnamed'}, was {before or 'unnamed'}")
    prompt, prompt_before = recent.mean("prompt_tokens"), week.mean("prompt_tokens")
    if stage == "llm" and prompt > 1.3 * prompt_before and prompt_before:
        found.append(f"the prompt grew: {prompt:.0f} tokens, was {prompt_before:.0f}")
    cached = recent.mean("cached_tokens") / max(1.0, prompt)
    cached_before = week.mean("cached_tokens") / max(1.0, prompt_before)
    if stage == "llm" and cached < cached_before - 0.2:
        found.append(f"prefix cache hits fell: {cached:.0%} of the prompt, was {cached_before:.0%}")
    queue, queue_before = recent.mean("queue_ms"), week.mean("queue_ms")
    if stage in ("endpoint", "asr") and queue > queue_before + WORSE_MS:
        found.append(f"the recognizer's queue: {queue:.0f} ms, was {queue_before:.0f}")
    load, load_before = recent.mean("sessions"), week.mean("sessions")
    if load > 1.5 * load_before and load >= load_before + 1:
        found.append(f"more load: {load:.1f} calls at once, was {load_before:.1f}")
    return "; ".join(found)


def _most(models: Counter[str]) -> str:
    return max(models, key=models.__getitem__, default="")


def _bin_of(ms: float) -> int:
    return 0 if ms <= 1 else min(MAX_BIN, math.ceil(math.log(ms, BIN)))


def _ms_of(at: int) -> float:
    """The upper edge of a bin."""
    return float(BIN**at)


def _quantile_bin(counts: Counter[int], quantile: float) -> int:
    rank = math.ceil(quantile * counts.total() - 1e-9)
    for at in sorted(counts):
        rank -= counts[at]
        if rank <= 0:
            return at
    return 0
