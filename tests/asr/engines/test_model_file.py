"""`voicepipe.json` of a model directory."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from voicepipe.asr.engines.model_file import ModelFile, read_model_file
from voicepipe.asr.filters import FilterLimits
from voicepipe.asr.windows import WindowLimits
from voicepipe.config import AsrSettings
from voicepipe.runtime.errors import EngineUnavailable


def test_without_the_file_the_stock_rules_hold(tmp_path: Path) -> None:
    rules = read_model_file(tmp_path)
    assert rules == ModelFile()
    assert rules.windows(AsrSettings()) == WindowLimits(10.0, 30.0, 2.0)
    assert rules.windows(AsrSettings(min_window_s=6, window_margin_s=1)) == WindowLimits(6, 30, 1)
    assert rules.filters() == FilterLimits()


def test_the_files_own_limits_win(tmp_path: Path) -> None:
    (tmp_path / "voicepipe.json").write_text(
        '{"window_s": {"min": 1, "max": 8, "margin": 0.2}, "no_speech_threshold": 0.4,'
        ' "log_prob_threshold": -0.8, "lowercase": true, "tokens_per_s": 9, "author": "us"}'
    )
    rules = read_model_file(tmp_path)
    assert rules.windows(AsrSettings()) == WindowLimits(1, 8, 0.2, pause_s=0.25)
    assert rules.filters() == FilterLimits(no_speech=0.4, log_prob=-0.8, either=True)
    assert (rules.lowercase, rules.tokens_per_s) == (True, 9)


def test_a_model_of_fewer_positions_gets_no_longer_windows(tmp_path: Path) -> None:
    (tmp_path / "preprocessor_config.json").write_text('{"chunk_length": 8, "hop_length": 160}')
    assert read_model_file(tmp_path).windows(AsrSettings()) == WindowLimits(8, 8, 2, pause_s=0.25)
    (tmp_path / "voicepipe.json").write_text(
        '{"window_s": {"min": 1, "max": 6, "margin": 0, "pause": null}}'
    )
    assert read_model_file(tmp_path).windows(AsrSettings()) == WindowLimits(1, 6, 0)


def test_one_threshold_alone_is_the_only_one() -> None:
    assert ModelFile(log_prob_threshold=-0.5).filters() == FilterLimits(
        no_speech=1.0, log_prob=-0.5, either=True
    )
    assert ModelFile(no_speech_threshold=0.3).filters().log_prob == -math.inf


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{", "Expecting property name"),
        ("7", "not iterable"),
        ('{"window_s": {"min": 0, "max": 8, "margin": 0}}', "window_s.min"),
        ('{"window_s": {"min": 9, "max": 8, "margin": 0}}', "min <= max"),
        ('{"no_speech_threshold": 2}', "no_speech_threshold"),
    ],
)
def test_a_wrong_file_names_itself_and_the_fault(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "voicepipe.json"
    path.write_text(text)
    with pytest.raises(EngineUnavailable) as wrong:
        read_model_file(tmp_path)
    assert str(path) in str(wrong.value)
    assert named in str(wrong.value)
