"""Our own end-of-turn model: the file that ships, on sound."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.human_speech import needs_people, recordings
from voicepipe.audio import g711
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.dialog.options import Endpointing, TurnOptions
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.vad.engines import create_end_of_turn
from voicepipe.vad.prosody import Prosody

SHIPPED = Path(__file__).parents[2] / "models" / "builtin" / "turns"


@pytest.fixture(scope="module")
def model() -> Prosody:
    return Prosody()


@pytest.mark.parametrize("policy", ["text", "fused"])  # a running call may change to fused
def test_it_is_there_unless_another_is_asked_for(policy: Endpointing) -> None:
    assert isinstance(create_end_of_turn(TurnOptions(endpointing=policy)), Prosody)


@pytest.mark.parametrize("count", [0, 1, 500, 51_392, 200_000])
def test_any_length_gets_a_probability(model: Prosody, count: int) -> None:
    noise = np.random.default_rng(1).integers(-3000, 3000, count).astype(np.int16)
    assert 0 <= model.probability(noise) <= 1


def test_only_the_newest_sound_counts(model: Prosody) -> None:
    noise = np.random.default_rng(2).integers(-3000, 3000, 90_000).astype(np.int16)
    assert model.probability(noise) == model.probability(noise[-51_392:])


def test_threads_may_ask_at_once(model: Prosody) -> None:
    rng = np.random.default_rng(3)
    sounds = [rng.integers(-3000, 3000, 30_000).astype(np.int16) for _ in range(8)]
    alone = [model.probability(sound) for sound in sounds]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(model.probability, sounds)) == alone


def test_it_is_as_small_as_the_card_says() -> None:
    told = json.loads((SHIPPED / "training.json").read_text())
    assert told["parameters"] <= 500_000
    assert (SHIPPED / "model.onnx").stat().st_size < 1_000_000


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"turns.endpointing: .*nowhere.onnx cannot"):
        Prosody(tmp_path / "nowhere.onnx")


def test_what_the_network_cannot_take_is_an_engine_error(model: Prosody) -> None:
    with pytest.raises(EngineError, match="end-of-turn model failed"):
        model.probability(np.zeros((4, 40_000), dtype=np.int16))


@needs_people()
@pytest.mark.parametrize("line", ["wide", "telephone"])
def test_people_sound_more_finished_at_the_end_than_in_the_middle(
    model: Prosody, line: str
) -> None:
    """Sentences of 40 learners and 40 people at home: whole, and broken off after 60 %."""
    right = total = 0
    for one in (*recordings("learners", 40), *recordings("commonvoice", 40)):
        sound = _on_the_telephone(one.pcm) if line == "telephone" else one.pcm
        voiced = np.flatnonzero(np.abs(sound) > np.abs(sound).max() * 0.05)
        first, last = int(voiced[0]), int(voiced[-1])
        silence = np.random.default_rng(total).normal(0, 8, SAMPLE_RATE // 6).astype(np.int16)
        middle = first + (last - first) * 6 // 10
        ends = [np.concatenate((sound[first:at], silence)) for at in (middle, last)]
        right += model.probability(ends[1]) > model.probability(ends[0])
        total += 1
    assert right / total > 0.7, "0.5 would be chance"


def _on_the_telephone(sound: Int16) -> Int16:
    narrow = g711.decode(g711.encode(resample(sound, SAMPLE_RATE, 8000), "pcmu"), "pcmu")
    return resample(narrow, 8000, SAMPLE_RATE)
