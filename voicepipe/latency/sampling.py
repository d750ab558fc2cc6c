"""Seeded delays for the simulated engines: constant, normal or lognormal (long-tailed)."""

from __future__ import annotations

import math
import random
from typing import Literal, Protocol


class DelayShape(Protocol):
    """What a sampler needs to know of a delay (`config.LatencySettings` fits)."""

    @property
    def mean_ms(self) -> float: ...

    @property
    def sd_ms(self) -> float: ...

    @property
    def kind(self) -> Literal["constant", "normal", "lognormal"]: ...


class DelaySampler:
    """Draws delays of one shape; the same seed gives the same sequence.

    `mean_ms` and `sd_ms` are those of the delay itself, also for `lognormal`. A normal delay is cut
    off at 0 (which lifts its mean a little when sd is not small against the mean)."""

    def __init__(self, shape: DelayShape, seed: int) -> None:
        self._kind = shape.kind
        self._mean_s = shape.mean_ms / 1000.0
        self._sd_s = shape.sd_ms / 1000.0
        self._random = random.Random(seed)
        if self._mean_s < 0 or self._sd_s < 0:
            raise ValueError(f"a delay cannot be negative: {shape.mean_ms=}, {shape.sd_ms=}")

    def next_s(self) -> float:
        """The next delay in seconds, never negative."""
        if self._kind == "constant" or self._sd_s == 0 or self._mean_s == 0:
            return self._mean_s
        if self._kind == "normal":
            return max(0.0, self._random.gauss(self._mean_s, self._sd_s))
        # Parameters of the underlying normal that give the wanted mean and deviation.
        spread = min(self._sd_s / self._mean_s, 1e6)  # beyond it a float's square may overflow
        variance = math.log1p(spread**2)
        mu = math.log(self._mean_s) - variance / 2
        return self._random.lognormvariate(mu, math.sqrt(variance))
