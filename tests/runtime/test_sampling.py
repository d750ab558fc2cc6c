"""Simulated delays: shape, seed, bounds."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.config import LatencySettings
from voicepipe.runtime.errors import ConfigError
from voicepipe.runtime.sampling import DelaySampler


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


def recorded(tmp_path: Path, *lines: str) -> LatencySettings:
    file = tmp_path / "delays.txt"
    file.write_text("\n".join(lines) + "\n")
    return LatencySettings(kind="recorded", file=file)


def test_recorded_numbers_are_drawn_in_their_shares(tmp_path: Path) -> None:
    drawn = draw(recorded(tmp_path, "10", "", "10", "10", "250.5"), 4000)
    assert set(drawn) == {0.010, 0.2505}
    assert statistics.fmean(d == 0.2505 for d in drawn) == pytest.approx(0.25, abs=0.03)
    assert drawn == draw(recorded(tmp_path, "10", "10", "10", "250.5"), 4000), "seeded"


def test_recorded_turns_give_their_stages_work(tmp_path: Path) -> None:
    turns = ['{"work_ms": {"asr": 80.5, "tts": 61}}', '{"work_ms": {"tts": 59}}', "{}"]
    shape = recorded(tmp_path, *turns)
    assert DelaySampler(shape, 1, "asr").next_s() == 0.0805
    assert {DelaySampler(shape, seed, "tts").next_s() for seed in range(20)} == {0.061, 0.059}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["12", "soon"], "line 2 .* neither a delay"),
        (["-1"], "line 1"),
        (["true"], "line 1"),
        (["NaN"], "line 1"),
        (['{"work_ms": {"asr": "80"}}'], "line 1"),
        (["{}"], "no delay of that stage"),
        ([], "no delay"),
    ],
)
def test_recorded_files_that_cannot_be_used_say_why(
    tmp_path: Path, lines: list[str], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        DelaySampler(recorded(tmp_path, *lines), 1, "asr")


def test_recorded_needs_a_file_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs a file"):
        DelaySampler(LatencySettings(kind="recorded"), 1, "asr")
    gone = LatencySettings(kind="recorded", file=tmp_path / "gone")
    with pytest.raises(ConfigError, match="cannot be read"):
        DelaySampler(gone, 1, "asr")
