"""The tape of recordings that the acoustic model is taught by grows by what it lacks."""

from __future__ import annotations

import json
import sys
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

import acoustic_clips


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def no_voices(*_: object) -> Iterator[object]:
        return iter(())

    monkeypatch.setattr(acoustic_clips, "_synthetic", no_voices)
    (tmp_path / "people" / "ours").mkdir(parents=True)
    return tmp_path / "people"


def record(people: Path, *levels: int) -> None:
    """Half a second for each, all of the same sample."""
    lines = []
    for level in levels:
        with wave.open(str(people / "ours" / f"{level}.wav"), "wb") as file:
            file.setparams((1, 2, 16_000, 0, "NONE", ""))
            file.writeframes(np.full(8000, level, "<i2").tobytes())
        lines.append(json.dumps({"file": f"{level}.wav", "text": "Hi, you!", "speaker": level}))
    (people / "ours" / "manifest.jsonl").write_text("\n".join(lines))


def test_what_is_on_the_tape_stays_where_it_is(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "tape"
    record(people, 100, 200)
    acoustic_clips.write_tape(people, out, 0)
    first = json.loads((out / "clips.json").read_text())
    with (out / "tape.i16").open("ab") as tape:
        tape.write(b"\1" * 100)  # of a run that was ended
    record(people, 100, 200, 300)
    acoustic_clips.write_tape(people, out, 0)
    clips = json.loads((out / "clips.json").read_text())
    tape_samples = np.fromfile(out / "tape.i16", "<i2")

    assert clips[:2] == first
    assert [clip["start"] for clip in clips] == [0, 8000, 16_000]
    assert {clip["text"] for clip in clips} == {"hi you"}
    for clip in clips:
        level = int(Path(clip["file"]).stem)
        sound = tape_samples[clip["start"] :][: clip["samples"]]
        assert set(sound) == {level}
    assert len(tape_samples) == 24_000
