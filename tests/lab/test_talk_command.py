"""`voicepipe talk`: what it writes of a conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from voicepipe.audio import files
from voicepipe.audio.pcm import silence
from voicepipe.lab.bench.local import Heard
from voicepipe.lab.cli import talk


def test_what_is_told_as_json_is_drawn_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def talked(*_given: Any, **_more: Any) -> Heard:
        return Heard(questions=["what time is it"], answers=["Half past seven."])

    monkeypatch.setattr(talk, "_talk", talked)
    spoken, drawn = tmp_path / "in.wav", tmp_path / "out.svg"
    files.write_wav(spoken, silence(100), 16_000)
    done = CliRunner().invoke(talk.app, [str(spoken), "--json", "--svg", str(drawn)])
    assert done.exit_code == 0
    assert "Half" in drawn.read_text(encoding="utf-8")
    assert json.loads(done.stdout)["answers"] == ["Half past seven."]
