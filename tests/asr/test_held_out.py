"""The folder of people who were kept from the acoustic model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from voicepipe.audio import files

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from acoustic_clips import Clip
from acoustic_held_out import write_held_out


def test_what_was_taught_is_left_out_and_digits_of_one_speaker_become_a_number(
    tmp_path: Path,
) -> None:
    clips = [
        Clip("word", "two", "ann", "dev"),
        Clip("word", "stop", "ann", "dev"),
        Clip("word", "nine", "bob", "train"),
        Clip("read", "it rained", "eve", "dev"),
    ]
    sound = np.zeros(16_000, np.int16)
    sound[6000:9000] = 8000
    write_held_out(clips, lambda n: sound, tmp_path)
    found = [json.loads(line) for line in (tmp_path / "manifest.jsonl").read_text().splitlines()]
    said = [(entry["set"], entry["text"]) for entry in found]
    assert sorted(said[:2]) == [("words", "stop"), ("words", "two")]
    assert said[2] == ("librispeech", "it rained")
    kind, number = said[3]
    assert kind == "numbers"
    assert set(number.split()) == {"two"}
    length = len(files.read(tmp_path / found[3]["file"])) / len(number.split())
    assert 4000 < length < 6000  # the digit and 50 ms on either side, without the silence
