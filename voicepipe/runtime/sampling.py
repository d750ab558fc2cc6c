"""Seeded delays for the simulated engines: constant, normal, lognormal (long-tailed), or drawn
from what was recorded.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Literal, Protocol

from voicepipe.runtime.errors import ConfigError


class DelayShape(Protocol):
    """What a sampler needs to know of a delay (`config.LatencySettings` fits)."""

    @property
    def mean_ms(self) -> float: ...

    @property
    def sd_ms(self) -> float: ...

    @property
    def kind(self) -> Literal["constant", "normal", "lognormal", "recorded"]: ...

    @property
    def file(self) -> Path | None: ...


class DelaySampler:
    """Draws delays of one shape; the same seed gives the same sequence.

    `mean_ms` and `sd_ms` are those of the delay itself, also for `lognormal`. A normal delay is cut
    off at 0 (which lifts its mean a little when sd is not small against the mean). `stage` names
    the work that is read from recorded turns. Raises ConfigError for a file that cannot be used.
    """

    def __init__(self, shape: DelayShape, seed: int, stage: str = "") -> None:
        self._kind = shape.kind
        self._mean_s = shape.mean_ms / 1000.0
        self._sd_s = shape.sd_ms / 1000.0
        self._random = random.Random(seed)
        if self._mean_s < 0 or self._sd_s < 0:
            raise ValueError(f"a delay cannot be negative: {shape.mean_ms=}, {shape.sd_ms=}")
        self._recorded: tuple[float, ...] = ()
        if shape.kind == "recorded":
            self._recorded = _read_s(shape.file, stage)

    def next_s(self, chance: random.Random | None = None) -> float:
        """The next delay in seconds, never negative. `chance`: instead of the sampler's own."""
        chance = chance or self._random
        if self._recorded:
            return chance.choice(self._recorded)
        if self._kind == "constant" or self._sd_s == 0 or self._mean_s == 0:
            return self._mean_s
        if self._kind == "normal":
            return max(0.0, chance.gauss(self._mean_s, self._sd_s))
        # Parameters of the underlying normal that give the wanted mean and deviation.
        spread = min(self._sd_s / self._mean_s, 1e6)  # beyond it a float's square may overflow
        variance = math.log1p(spread**2)
        mu = math.log(self._mean_s) - variance / 2
        return chance.lognormvariate(mu, math.sqrt(variance))


def _read_s(file: Path | None, stage: str) -> tuple[float, ...]:
    """Delays in seconds from a file of numbers (ms) or of turns; lines without one are left out."""
    if file is None:
        raise ConfigError(f"simulated {stage}: kind 'recorded' needs a file")
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"simulated {stage}: {file} cannot be read: {error}") from None
    found: list[float] = []
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line) if line.strip() else None
        except ValueError:
            value = line
        if isinstance(value, dict):
            work = value.get("work_ms")
            value = work.get(stage) if isinstance(work, dict) else None
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e7:
            raise ConfigError(
                f"simulated {stage}: line {number} of {file} is neither a delay of 0 to 10,000,000 "
                "ms nor a turn as /v1/turns gives it"
            )
        found.append(value / 1000)
    if not found:
        raise ConfigError(f"simulated {stage}: there is no delay of that stage in {file}")
    return tuple(found)
