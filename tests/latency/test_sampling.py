"""Simulated delays: shape, seed, bounds."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.config import LatencySettings
from voicepipe.latency.sampling import DelaySampler


def draw(shape: LatencySettings, count: int, seed: int = 7) -> list[float]:
    sampler = DelaySampler(shape, seed)
    return [sampler.next_s() for _ in range(count)]


def test_constant_is_the_mean() -> None:
    assert draw(LatencySettings(mean_ms=40, sd_ms=10, kind="constant"), 3) == [0.04] * 3


@pytest.mark.parametrize("kind", ["normal", "lognormal"])
def test_mean_and_deviation_are_those_of_the_delay(kind: str) -> None:
    shape = LatencySettings.model_validate({"mean_ms": 100, "sd_ms": 25, "kind": kind})
    drawn = draw(shape, 20_000)
    assert statistics.fmean(drawn) == pytest.approx(0.100, rel=0.02)
    assert statistics.stdev(drawn) == pytest.approx(0.025, rel=0.05)


def test_lognormal_has_the_longer_tail() -> None:
    normal = sorted(draw(LatencySettings(mean_ms=100, sd_ms=60, kind="normal"), 20_000))
    skewed = sorted(draw(LatencySettings(mean_ms=100, sd_ms=60, kind="lognormal"), 20_000))
    assert skewed[19_980] > 1.3 * normal[19_980]


def test_seed_decides() -> None:
    shape = LatencySettings(mean_ms=100, sd_ms=25, kind="lognormal")
    assert draw(shape, 5, seed=1) == draw(shape, 5, seed=1)
    assert draw(shape, 5, seed=1) != draw(shape, 5, seed=2)


@given(st.floats(0, 5000), st.floats(0, 5000), st.sampled_from(["constant", "normal", "lognormal"]))
def test_never_negative(mean_ms: float, sd_ms: float, kind: str) -> None:
    shape = LatencySettings.model_validate({"mean_ms": mean_ms, "sd_ms": sd_ms, "kind": kind})
    assert min(draw(shape, 20)) >= 0
