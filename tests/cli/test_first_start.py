"""What has to be fetched before a server starts."""

from __future__ import annotations

from pathlib import Path

from voicepipe.cli.first_start import missing_models
from voicepipe.config.loading import load_settings


def test_models_are_fetched_where_they_are_opened(tmp_path: Path) -> None:
    overrides = {"models_dir": str(tmp_path)}
    here = load_settings("cpu", None, {}, overrides)
    assert {model.kind for model in missing_models(here)} == {"asr", "llm", "tts"}
    elsewhere = {"cluster.address": "http://127.0.0.1:8000", "cluster.key": "k"}
    pooled = load_settings("cpu", None, {}, overrides | elsewhere)
    assert missing_models(pooled) == []
