"""What a decoder does when an utterance ends, on real sound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from voicepipe.asr.sphinx.acoustics import acoustic_model
from voicepipe.asr.sphinx.decoder import OPTIONS, Segment, SphinxDecoder
from voicepipe.asr.sphinx.library import load_library
from voicepipe.asr.sphinx.verdict import plain_text
from voicepipe.audio import files
from voicepipe.runtime.errors import EngineUnavailable

ROOT = Path(__file__).parents[3]
WORDS = ROOT / "models" / "builtin" / "words"
FILES = WORDS / "model.lm.bin", WORDS / "words.dict"
SOUND = files.read(ROOT / "tests" / "data" / "questions" / "tell_me_a_joke.flac")


@pytest.fixture(scope="module")
def decoder() -> Iterator[SphinxDecoder]:
    still = {**OPTIONS, "dither": 0}  # the same every time
    one = SphinxDecoder(load_library(), *FILES, acoustic_model(WORDS / "acoustics.onnx"), still)
    yield one
    one.close()


def path(decoder: SphinxDecoder, *, second_pass: bool) -> tuple[Segment, ...]:
    """The best path of the question."""
    decoder.begin(decoder.mean_of(SOUND))
    decoder.feed(SOUND)
    decoder.end(second_pass=second_pass)
    return tuple(decoder.segments())


def test_each_utterance_has_a_second_pass_or_none(decoder: SphinxDecoder) -> None:
    with_it, without = (path(decoder, second_pass=wanted) for wanted in (True, False))

    assert plain_text(decoder.text()) == "tell me a joke"
    assert with_it != without  # scores are counted from another best
    assert path(decoder, second_pass=True) == with_it
    assert path(decoder, second_pass=False) == without


def test_a_build_of_other_structures_is_refused() -> None:
    with pytest.raises(EngineUnavailable, match="this build of pocketsphinx is not known"):
        SphinxDecoder(load_library(), *FILES, options={**OPTIONS, "fwdflat": 0})
