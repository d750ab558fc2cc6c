"""Settings that do nothing beside the others are named, by where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from voicepipe.config.loading import load_settings
from voicepipe.dialog.options import TurnOptions


def told(caplog: pytest.LogCaptureFixture, file: Path, text: str, **flags: str) -> list[str]:
    caplog.clear()
    file.write_text(text)
    load_settings("builtin", file, {}, {key.replace("__", "."): flags[key] for key in flags})
    return [record.message for record in caplog.records]


def test_a_wait_that_the_policy_does_not_ask_for_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The built-in profile's policy is `fused`."""
    file = tmp_path / "voicepipe.toml"
    complete = "[turns]\nendpoint_complete_ms = 240\n"
    [line] = told(caplog, file, complete)
    assert line.startswith(f"{file}: turns.endpoint_complete_ms does nothing")
    assert '"fused"' in line
    assert "text, learned, smart_turn ask for it" in line
    assert told(caplog, file, complete, turns__endpointing="text") == []
    assert told(caplog, file, complete, turns__endpoint_fixed_ms="500") == []
    assert told(caplog, file, "[turns]\ncut_off_cost_ms = 3000\n") == []
    [line] = told(caplog, file, "", turns__endpointing="fixed", turns__cut_off_cost_ms="3000")
    assert line.startswith("--set turns.cut_off_cost_ms=3000 does nothing")


def test_what_the_profile_itself_sets_is_nobodys_mistake(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert told(caplog, tmp_path / "voicepipe.toml", "") == []
    assert TurnOptions().endpointing == "text"  # without a profile
