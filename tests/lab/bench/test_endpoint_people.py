"""scripts/make_endpoint_people.py: recordings of a reader become marked turns. The reader here is
espeak, whose pauses and ends are known; people are listed in docs/endpointing.md."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from scripts.make_endpoint_people import (
    Recording,
    chosen,
    generate,
    last_sentence,
    librispeech,
    with_noise,
)
from scripts.make_endpoint_recordings import generate as speak
from voicepipe.lab.bench.endpoint.marked import MarkedTurn, load

sys.path.insert(0, str(Path(__file__).parents[3] / "scripts" / "training"))

from turns_sentences import Sentences
from turns_silences import RATE, silences

SPOKEN, WITH_PAUSES = 6, 3  # as in test_endpoint.py


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> tuple[MarkedTurn, ...]:
    folder = tmp_path_factory.mktemp("spoken")
    asyncio.run(speak(folder, SPOKEN, WITH_PAUSES))
    chapter = folder / "7" / "1"
    chapter.mkdir(parents=True)
    lines = []
    for number, line in enumerate((folder / "manifest.jsonl").read_text().splitlines()):
        entry = json.loads(line)
        key = f"7-1-{number:04d}"
        (chapter / f"{key}.wav").symlink_to(folder / entry["file"])
        lines.append(f"{key} {entry['segments'][-1]['text'].upper()}")
    (chapter / "7-1.trans.txt").write_text("\n".join(lines))
    return load(folder)


@pytest.fixture(scope="module")
def made(
    spoken: tuple[MarkedTurn, ...], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[MarkedTurn, ...]]:
    source = next(tmp_path_factory.getbasetemp().glob("spoken*"))
    out = tmp_path_factory.mktemp("people")
    generate(out, chosen(list(librispeech(source)), 1, 1), None, None, 1)
    return {path.name: load(path) for path in out.iterdir()}


def test_each_turn_is_there_wide_and_on_the_telephone(
    made: dict[str, tuple[MarkedTurn, ...]],
) -> None:
    assert {name: len(turns) for name, turns in made.items()} == {
        "quiet": SPOKEN,
        "telephone": SPOKEN,
    }
    assert {turn.speaker for turn in made["quiet"]} == {"librispeech 7"}


def test_marks_are_where_the_speech_really_stops(
    spoken: tuple[MarkedTurn, ...], made: dict[str, tuple[MarkedTurn, ...]]
) -> None:
    lengths = sorted(turn.end_ms - turn.segments[0].start_ms for turn in spoken)
    found = sorted(turn.end_ms - turn.segments[0].start_ms for turn in made["quiet"])
    assert found == pytest.approx(lengths, abs=80)
    assert sum(len(turn.pauses) for turn in made["quiet"]) >= 1


def test_a_pause_and_an_end_are_filled_with_the_same_tone(
    made: dict[str, tuple[MarkedTurn, ...]],
) -> None:
    for turn in made["quiet"]:
        level = [
            float(np.std(turn.samples[int(start + 150) * 16 : int(start + 190) * 16]))
            for start, _ in (*turn.pauses, (turn.end_ms, 0))
        ]
        assert max(level) < 2 * min(level) + 2


def test_text_grows_from_pause_to_end(made: dict[str, tuple[MarkedTurn, ...]]) -> None:
    for turn in made["quiet"]:
        assert all(segment.words for segment in turn.segments)


def test_a_turn_begins_after_the_sentence_before() -> None:
    speech = [(0, 100), (8000, 16_000)]
    said = "i have been there before".split()
    two = [*((w, 50) for w in said), *((w, 12_000) for w in "what did you say".split())]
    one = [("set", 50), ("a", 60), ("timer", 70), ("for", 80), ("ten", 12_000), ("minutes", 12_500)]
    assert last_sentence(speech, two, Sentences()) == speech[1:]
    assert last_sentence(speech, one, Sentences()) == speech


def test_silences_are_found_in_noise_and_ends_are_not_pauses() -> None:
    rng = np.random.default_rng(1)
    sound = rng.normal(0, 0.001, 3 * RATE).astype(np.float32)
    for start, end in ((0.5, 1.0), (1.4, 2.0)):
        sound[int(start * RATE) : int(end * RATE)] += rng.normal(
            0, 0.1, int((end - start) * RATE)
        ).astype(np.float32)
    pause, end_of_it = silences(sound)
    assert pause.start / RATE == pytest.approx(1.0, abs=0.02)
    assert pause.ms == pytest.approx(400, abs=20)
    assert end_of_it.start / RATE == pytest.approx(2.0, abs=0.02)
    assert end_of_it.end is None
    assert silences(np.zeros(RATE, np.float32)) == []


def test_noise_is_10_db_below() -> None:
    rng = np.random.default_rng(2)
    sound = rng.normal(0, 0.1, RATE).astype(np.float32)
    noise = rng.normal(0, 3, RATE // 2).astype(np.float32)
    added = with_noise(sound, noise) - sound
    assert 20 * np.log10(np.std(sound) / np.std(added)) == pytest.approx(10, abs=0.5)


def test_the_same_recordings_are_chosen_again() -> None:
    many = [Recording("librispeech", f"{n % 3}", Path(f"{n}.flac"), "yes") for n in range(90)]
    assert chosen(many, 1, 1) == chosen(many, 1, 1)
    assert len(chosen(many, 1, 1)) == 30
