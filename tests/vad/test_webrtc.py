"""WebRTC's detector: yes or no, frame by frame."""

from __future__ import annotations

import pytest

from tests.vad.recordings import (
    digital_silence,
    probabilities,
    questions,
    speech_ms,
    white_noise,
)
from voicepipe.vad.webrtc import WebRtcVad


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_hears_every_question_and_nothing_in_silence(mode: int) -> None:
    for question in questions():
        found = speech_ms(WebRtcVad(mode), question.frames)
        assert found is not None
        assert abs(found[0] - question.start_ms) <= 60, question.name
    assert set(probabilities(WebRtcVad(mode), digital_silence(5))) == {0.0}


def test_higher_modes_take_less_for_speech() -> None:
    counts = [
        sum(sum(probabilities(WebRtcVad(mode), q.frames)) for q in questions()) for mode in range(4)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[3] < counts[0]


def test_reset_forgets_what_it_had_adapted_to() -> None:
    frames = questions()[0].frames
    detector = WebRtcVad(2)
    first = probabilities(detector, frames)
    probabilities(detector, white_noise(5, 3000))
    assert probabilities(detector, frames) != first, "it adapts, else there is nothing to forget"
    detector.reset()
    assert probabilities(detector, frames) == first
