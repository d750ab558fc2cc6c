"""The network beside pocketsphinx's own model, on real sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from voicepipe.asr.contract import Word
from voicepipe.asr.sphinx.acoustics import HOP, AcousticModel
from voicepipe.asr.sphinx.decoder import Segment
from voicepipe.asr.sphinx.verdict import Doubts, PartsLimits, is_noise, made_of_parts, parts
from voicepipe.audio import files
from voicepipe.runtime.errors import EngineUnavailable

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "models" / "builtin" / "words" / "acoustics.onnx"
SOUND = files.read(ROOT / "tests" / "data" / "questions" / "tell_me_a_joke.flac")


@pytest.fixture(scope="module")
def model() -> AcousticModel:
    return AcousticModel(MODEL)


def test_sound_in_pieces_costs_what_it_costs_at_once(model: AcousticModel) -> None:
    whole = model.open()
    expected = np.concatenate([whole.feed(SOUND), whole.finish()])

    stream = model.open()
    cuts = np.cumsum([1, 159, 160, 1000, 0, 7777, 320, 320])
    found = [stream.feed(piece) for piece in np.split(SOUND, cuts)]
    found.append(stream.finish())

    assert np.array_equal(np.concatenate(found), expected)


def test_every_frame_has_costs_and_its_best_state_costs_nothing(model: AcousticModel) -> None:
    stream = model.open()
    costs = np.concatenate([stream.feed(SOUND), stream.finish()])

    assert costs.shape == (len(SOUND) // HOP, model.states)
    assert (costs.min(axis=1) == 0).all()
    assert costs.max() < 300


def test_a_stream_that_heard_nothing_has_nothing_to_say(model: AcousticModel) -> None:
    stream = model.open()

    assert len(stream.feed(SOUND[:100])) == 0
    assert len(stream.finish()) == 0


def test_what_has_ended_has_no_more_to_say(model: AcousticModel) -> None:
    stream = model.open()
    stream.feed(SOUND)
    stream.finish()

    assert len(stream.finish()) == 0


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "other.onnx").write_text("no")

    with pytest.raises(EngineUnavailable, match=r"other\.onnx does not open"):
        AcousticModel(tmp_path / "other.onnx")


def path(*misfits: float) -> list[Segment]:
    """Words of ten frames, each with so many nats a frame."""
    words = [
        Segment("five", 10 * n, 10 * n + 10, -round(misfit * 1e5), -100)
        for n, misfit in enumerate(misfits)
    ]
    return [Segment("<sil>", 0, 0, -10_000_000, 0), *words]


def test_words_that_fit_are_taken_for_a_number_and_others_are_not() -> None:
    limits = PartsLimits(misfit=0.9, misfit_word=1.5)

    assert made_of_parts(path(0.5, 1.2), limits)
    assert not made_of_parts(path(1.0), limits), "too far off as a whole"
    assert not made_of_parts(path(0.2, 0.2, 1.6), limits), "one word is another"
    assert not made_of_parts(path(), limits), "nothing was said"


def test_a_long_number_may_fit_less_well_than_a_short_one() -> None:
    limits = PartsLimits(misfit=0.9, long=9, misfit_long=1.1)

    assert made_of_parts(path(*[1.0] * 9), limits)
    assert not made_of_parts(path(*[1.0] * 8), limits)
    assert not made_of_parts(path(*[1.2] * 9), limits)


def test_the_better_a_word_fits_the_surer_it_is() -> None:
    good, bad = parts(path(0.3, 0.9), offset_s=1.0)

    assert good.text == "five"
    assert (good.start_s, good.end_s) == (1.0, 1.1)
    assert 0.9 < good.confidence < 1
    assert 0.3 < bad.confidence < 0.6


def said(*confidences: float) -> list[Word]:
    return [Word("no", 0.0, 0.3, confidence) for confidence in confidences]


def test_a_sure_word_may_be_soft_and_an_unsure_one_may_not() -> None:
    doubts = Doubts(speech=0.8, sure=0.75, speech_sure=0.2)

    assert not is_noise(said(0.9), 0.3, doubts)
    assert is_noise(said(0.9), 0.1, doubts), "nobody spoke at all"
    assert is_noise(said(0.6), 0.7, doubts), "rain sounds like some word"
    assert is_noise(said(0.9, 0.9), 0.7, doubts), "several words are never so soft"
    assert not is_noise(said(0.6), 0.9, doubts)
    assert is_noise([], 1.0, doubts)


def test_an_article_alone_is_noise() -> None:
    the = Word("the", 0.0, 0.3, 0.9)

    assert is_noise([the, the], 1.0, Doubts())
    assert not is_noise([the, *said(0.9)], 1.0, Doubts())
