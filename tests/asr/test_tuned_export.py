"""Both formats of the recognizer we train hold what was tuned after training."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "scripts" / "training"
BUILTIN = ROOT / "models" / "builtin"


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_the_shipped_formats_agree() -> None:
    asr, hf = BUILTIN / "asr", BUILTIN / "asr-hf"
    assert read(asr / "voicepipe.json") == read(hf / "voicepipe.json")
    heads = read(asr / "config.json")["alignment_heads"]
    assert read(hf / "generation_config.json")["alignment_heads"] == heads


def test_what_is_tuned_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TRAINING)
    from asr_tuned import copy_tuned

    folder, other = tmp_path / "asr", tmp_path / "asr-hf"
    folder.mkdir()
    (folder / "config.json").write_text('{"alignment_heads": [[0, 3]], "lang_ids": [1]}')
    copy_tuned(folder)  # nothing beside it
    assert not other.exists()
    other.mkdir()
    shutil.copyfile(BUILTIN / "asr-hf" / "generation_config.json", other / "generation_config.json")
    copy_tuned(folder)
    assert not (other / "voicepipe.json").exists(), "not tuned yet"
    (folder / "voicepipe.json").write_text('{"no_speech_threshold": 0.4}')
    copy_tuned(folder)
    assert read(other / "voicepipe.json") == {"no_speech_threshold": 0.4}
    before = read(BUILTIN / "asr-hf" / "generation_config.json")
    assert read(other / "generation_config.json") == before | {"alignment_heads": [[0, 3]]}
