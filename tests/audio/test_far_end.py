from __future__ import annotations

import numpy as np
import pytest

from voicepipe.audio.far_end import FarEnd
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, Int16

PER_MS = SAMPLE_RATE // 1000


def speech(ms: int) -> Int16:
    return np.arange(1, ms * PER_MS + 1, dtype=np.int16)


class Call:
    """User audio arrives 50 ms after it was recorded, and later where a test says so."""

    def __init__(self) -> None:
        self.far = FarEnd()
        self.recorded_ms = 0.0
        self.heard: list[Int16] = []

    def frames(self, count: int, late_ms: float = 0.0) -> Int16:
        """So many, each as it is recorded; what was played beside them."""
        first = len(self.heard)
        for _ in range(count):
            self.recorded_ms += FRAME_MS
            now_ms = self.recorded_ms + 50 + late_ms
            self.heard.append(self.far.beside(FRAME_SAMPLES, now_ms))
        return np.concatenate(self.heard[first:])


def test_what_is_played_lies_beside_what_is_recorded_then() -> None:
    call = Call()
    assert not call.frames(10).any()
    call.far.play(speech(100), call.recorded_ms + 50)
    beside = call.frames(8)
    np.testing.assert_array_equal(beside[: 100 * PER_MS], speech(100))
    assert not beside[100 * PER_MS :].any()


def test_speech_that_begins_while_user_audio_is_late_lies_where_it_would_have() -> None:
    call = Call()
    call.frames(60)
    began_ms = call.recorded_ms  # then nothing comes for 200 ms
    call.far.play(speech(100), began_ms + 50 + 120)
    beside = call.frames(10, late_ms=0.0)
    assert not beside[: 120 * PER_MS].any()
    assert beside[120 * PER_MS] == 1


def test_what_is_taken_back_is_not_heard_but_what_must_have_been_played_is() -> None:
    call = Call()
    call.frames(60)
    call.far.play(speech(300), call.recorded_ms + 50)
    call.frames(2)
    now_ms = call.recorded_ms + 50 + 60  # 60 ms of user audio are on their way
    call.far.take_back(1000.0, now_ms)
    beside = call.frames(10)
    assert beside[60 * PER_MS - 1] == 100 * PER_MS
    assert not beside[60 * PER_MS :].any()


@pytest.mark.parametrize("lost_ms", [200, 1500])
def test_user_audio_that_never_comes_takes_the_agents_of_that_time_with_it(lost_ms: int) -> None:
    call = Call()
    call.frames(60)
    call.far.play(speech(2000), call.recorded_ms + 50)
    call.far.play(speech(2000), call.recorded_ms + 50)
    call.frames(10, late_ms=lost_ms)  # the carrier has thrown them away: all comes later for good
    after = call.frames(110, late_ms=lost_ms)
    whole = np.concatenate((speech(2000), speech(2000)))
    at = (call.recorded_ms - 60 * FRAME_MS + lost_ms) * PER_MS
    assert after[-1] == whole[int(at) - 1]


def test_a_client_that_never_speaks_does_not_fill_the_memory() -> None:
    far = FarEnd()
    for second in range(300):
        far.play(speech(1000), second * 1000.0)
    played = np.concatenate([far.beside(SAMPLE_RATE, 3e5 + n * 1000.0) for n in range(130)])
    assert np.count_nonzero(played) <= 120 * SAMPLE_RATE


@pytest.mark.parametrize("muted_ms", [60_000, 119_000, 200_000])
def test_what_is_played_while_nothing_comes_lies_right_when_they_are_heard_again(
    muted_ms: int,
) -> None:
    call = Call()
    call.frames(60)
    call.recorded_ms += muted_ms
    call.far.play(speech(2000), call.recorded_ms + 50)
    call.far.play(speech(2000), call.recorded_ms + 50)
    call.recorded_ms += 1000
    call.frames(100)  # what was lost is known after a second or two
    beside = call.frames(100)
    np.testing.assert_array_equal(beside[: 1000 * PER_MS], speech(2000)[1000 * PER_MS :])
    assert not beside[1000 * PER_MS :].any()
