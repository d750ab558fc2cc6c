"""The pass for numbers and single words, on what another decoder's network has heard."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

from tests.asr.sphinx.listening import WORDS, question
from tests.asr.sphinx.test_engine import spoken
from voicepipe.asr.sphinx.acoustics import Costs, acoustic_model
from voicepipe.asr.sphinx.decoder import SphinxDecoder
from voicepipe.asr.sphinx.evidence import SpeechEvidence
from voicepipe.asr.sphinx.library import load_library
from voicepipe.asr.sphinx.verdict import PartsLimits, hopeless, made_of_parts, parts
from voicepipe.audio.pcm import SAMPLE_RATE, Int16, silence

LIMITS = PartsLimits()
NETWORK = acoustic_model(WORDS / "acoustics.onnx")
SENTENCE = "i_would_like_to_book_a_table_for_two_at_seven"
DIGITS = "one two three four five six seven eight"


@pytest.fixture(scope="module")
def decoder() -> Iterator[SphinxDecoder]:
    library = load_library()
    one = SphinxDecoder(library, WORDS / "parts.arpa", library.dictionary, NETWORK)
    yield one
    one.close()


def costs(sound: Int16) -> Costs:
    stream = NETWORK.open()
    return np.concatenate([stream.feed(sound), stream.finish()])


def never(frames: int, misfit: float) -> bool:
    return False


async def test_a_number_is_heard_by_what_the_network_said_before(decoder: SphinxDecoder) -> None:
    sound = await spoken(DIGITS)
    known = costs(sound)
    with patch.object(type(NETWORK), "run", side_effect=AssertionError("heard again")):
        path = decoder.heard_alone(sound, known, partial(hopeless, limits=LIMITS))

    assert " ".join(word.text for word in parts(path)) == DIGITS
    assert made_of_parts(path, LIMITS)


async def test_a_sentence_is_given_up_and_the_next_number_is_heard(decoder: SphinxDecoder) -> None:
    sentence, number = question(SENTENCE), await spoken(DIGITS)
    asked: list[int] = []

    def hopeless_now(frames: int, misfit: float) -> bool:
        asked.append(frames)
        return hopeless(frames, misfit, LIMITS)

    assert not made_of_parts(decoder.heard_alone(sentence, costs(sentence), never), LIMITS)
    assert decoder.heard_alone(sentence, costs(sentence), hopeless_now) == ()
    assert len(asked) < len(sentence) / SAMPLE_RATE, "it was heard to its end"
    path = decoder.heard_alone(number, costs(number), hopeless_now)
    assert " ".join(word.text for word in parts(path)) == DIGITS


def test_little_is_not_given_up() -> None:
    limits = PartsLimits(hopeless=2.0, hopeless_frames=80)

    assert hopeless(80, 2.1, limits)
    assert not hopeless(79, 2.1, limits), "a word may fit badly"
    assert not hopeless(80, 1.9, limits)


def test_once_there_is_enough_evidence_no_more_is_asked() -> None:
    sound = np.concatenate([question(SENTENCE), silence(2000)])
    whole, enough = SpeechEvidence(), SpeechEvidence(0.75)
    whole.feed(sound)
    with patch.object(
        enough._detector, "probability", wraps=enough._detector.probability
    ) as probability:
        enough.feed(sound)
        heard = probability.call_count
        enough.feed(sound)

    assert 0.75 <= enough.best <= whole.best
    assert heard == probability.call_count < len(sound) / 512
