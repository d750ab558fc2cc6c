"""Rows in the schema of eot-bench: made here, by hand, with sound of our own."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from voicepipe.audio import files
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.cli.main import app
from voicepipe.lab.bench.endpoint.marked import MarkedError, load

WORDS = [
    {"word": "ich", "start": 0.5, "end": 0.6},
    {"word": "möchte", "start": 0.6, "end": 0.8},
    {"word": "für", "start": 0.8, "end": 1.0},
    {"word": "morgen", "start": 1.9, "end": 2.3},
    {"word": "buchen", "start": 2.4, "end": 2.8},
]
SPANS = [
    {"start": 0.0, "end": 0.5},  # before the first word
    {"start": 1.0, "end": 1.9},
    {"start": 2.3, "end": 2.4},  # too short for a pause
    {"start": 2.8, "end": 4.5},
]


def tone() -> Int16:
    """Loud where the row has speech."""
    at = np.arange(round(4.5 * SAMPLE_RATE)) / SAMPLE_RATE
    loud = ((at >= 0.5) & (at < 1.0)) | ((at >= 1.9) & (at < 2.8))
    sound: Int16 = (8000 * np.sin(at * 1000) * loud).astype(np.int16)
    return sound


def row(**changes: Any) -> dict[str, Any]:
    return {
        "id": "turn-1",
        "language": "de",
        "audio": {"path": "turn-1.wav"},
        "silence_spans": SPANS,
        "words": WORDS,
        "messages": [{"role": "assistant", "content": "Was kann ich tun?"}],
    } | changes


def folder(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    files.write_wav(tmp_path / "turn-1.wav", tone(), SAMPLE_RATE)
    lines = [json.dumps(one) + "\n" for one in rows]
    (tmp_path / "manifest.jsonl").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def test_a_row_is_a_marked_turn(tmp_path: Path) -> None:
    (turn,) = load(folder(tmp_path, row()))
    assert turn.language == "de"
    assert turn.end_ms == 2800
    assert turn.pauses == ((1000.0, 1900.0),)
    assert [segment.words for segment in turn.segments] == [
        ("ich", "möchte", "für"),
        ("morgen", "buchen"),
    ]
    assert turn.words()[2:4] == ((1000.0, "für"), (2300.0, "morgen"))


def test_audio_may_be_a_name_or_bytes_and_words_may_be_absent(tmp_path: Path) -> None:
    at = folder(tmp_path, row(audio="turn-1.wav"))
    data = base64.b64encode((at / "turn-1.wav").read_bytes()).decode()
    (named,) = load(at)
    (inside,) = load(folder(tmp_path, row(audio={"bytes": data, "path": None}, words=None)))
    assert np.array_equal(named.samples, inside.samples)
    array = {"array": (tone() / 32767).tolist(), "sampling_rate": SAMPLE_RATE}
    (listed,) = load(folder(tmp_path, row(audio=array)))
    assert np.array_equal(listed.samples, tone())
    half = {"array": (tone()[::2] / 32767).tolist(), "sampling_rate": SAMPLE_RATE // 2}
    (slower,) = load(folder(tmp_path, row(audio=half)))
    assert slower.samples.size == tone().size
    assert inside.words() == ()
    assert inside.segments[0].start_ms == 0


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"silence_spans": []}, "silence_spans is empty"),
        ({"silence_spans": [{"start": 9.0, "end": 9.5}]}, "begins after the audio"),
        ({"silence_spans": [{"from": 1}]}, "KeyError"),
        ({"audio": {"bytes": "?"}}, "not base64"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(MarkedError, match=problem) as error:
        load(folder(tmp_path, row(**changes)))
    assert "line 1" in str(error.value)


def test_the_bench_scores_rows_by_language(tmp_path: Path) -> None:
    rows = [row(), row(id="turn-2", language="fr", words=None)]
    result = CliRunner().invoke(
        app,
        ["bench", "endpoint", str(folder(tmp_path, *rows)), "--policy", "text"],
    )
    assert result.exit_code == 0, result.output
    assert "German" in result.output
    assert "French" in result.output
