"""Streaming Silero equals the batch result window by window, across any cut."""

from __future__ import annotations

import numpy as np
import pytest
from faster_whisper.vad import get_vad_model

from tests.vad.recordings import (
    Question,
    digital_silence,
    probabilities,
    questions,
    speech_ms,
    white_noise,
)
from voicepipe.audio.pcm import FRAME_SAMPLES, Int16
from voicepipe.vad.silero import WINDOW, SileroVad


def batch(samples: Int16) -> list[float]:
    """faster-whisper's own pass over the whole recording at once, one value per window.

    An extra window goes in at the end, for it blanks the tail of the last one."""
    whole = samples[: samples.size - samples.size % WINDOW].astype(np.float32) / 32768
    padded = np.concatenate((whole, np.zeros(WINDOW, dtype=np.float32)))
    values: list[float] = get_vad_model()(padded).reshape(-1)[:-1].tolist()
    return values


@pytest.mark.parametrize("question", questions(), ids=lambda q: q.name)
def test_stream_of_frames_equals_the_batch(question: Question) -> None:
    samples = question.samples
    expected = batch(samples)
    detector, streamed = SileroVad(), []
    for start in range(0, samples.size - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        value = detector.probability(samples[start : start + FRAME_SAMPLES])
        if (start + FRAME_SAMPLES) // WINDOW > start // WINDOW:  # this frame completed a window
            streamed.append(value)
    assert len(streamed) >= len(expected) - 1
    assert streamed == pytest.approx(expected[: len(streamed)], abs=2e-4)
    assert max(expected) > 0.9, "the reference itself must have heard something"


def test_frame_that_completes_no_window_repeats_the_newest_value() -> None:
    detector = SileroVad()
    frames = questions()[0].frames
    values = probabilities(detector, frames)
    complete = [(n + 1) * FRAME_SAMPLES // WINDOW for n in range(len(frames))]
    assert values[0] == 0.0, "no window yet"
    for n in range(1, len(frames)):
        if complete[n] == complete[n - 1]:
            assert values[n] == values[n - 1]


def test_hears_every_question() -> None:
    for question in questions():
        found = speech_ms(SileroVad(), question.frames)
        assert found is not None
        # A hissed first sound ("set a timer") is 160 ms old before it counts.
        assert abs(found[0] - question.start_ms) <= 180, question.name
        assert abs(found[1] - question.end_ms) <= 150, question.name


def test_hears_nothing_in_silence_and_noise() -> None:
    for frames in (digital_silence(5), white_noise(5, 30), white_noise(5, 1000)):
        assert max(probabilities(SileroVad(), frames)) < 0.5


def test_reset_forgets_state_context_and_the_unfinished_window() -> None:
    frames = questions()[1].frames
    detector = SileroVad()
    first = probabilities(detector, frames)
    assert len(frames) * FRAME_SAMPLES % WINDOW != 0
    detector.reset()
    assert probabilities(detector, frames) == first


def test_detectors_share_the_network_and_no_state() -> None:
    alone = [probabilities(SileroVad(), q.frames) for q in questions()[:2]]
    one, two = SileroVad(), SileroVad()
    mixed: tuple[list[float], list[float]] = ([], [])
    for a, b in zip(questions()[0].frames, questions()[1].frames, strict=False):
        mixed[0].append(one.probability(a))
        mixed[1].append(two.probability(b))
    assert mixed[0] == alone[0][: len(mixed[0])]
    assert mixed[1] == alone[1][: len(mixed[1])]
