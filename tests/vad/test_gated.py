"""The gate saves work and costs nothing that can be heard."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vad.recordings import (
    Question,
    digital_silence,
    probabilities,
    questions,
    speech_ms,
    white_noise,
)
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, Int16
from voicepipe.config import VadSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.vad.gated import DOUBT, HOLD_MS, LEAD_FRAMES, GatedVad
from voicepipe.vad.silero import SileroVad
from voicepipe.vad.webrtc import WebRtcVad


class Scripted:
    """A detector that follows a script and remembers what it was shown."""

    def __init__(self, script: list[float] | float) -> None:
        self._script = script
        self.seen: list[int] = []
        self.resets = 0

    def probability(self, frame: Int16) -> float:
        self.seen.append(int(frame[0]))
        if isinstance(self._script, float):
            return self._script
        return self._script[len(self.seen) - 1]

    def reset(self) -> None:
        self.resets += 1


def numbered(count: int) -> list[Int16]:
    return [np.full(FRAME_SAMPLES, n, dtype=np.int16) for n in range(count)]


def gated() -> GatedVad:
    return GatedVad(WebRtcVad(VadSettings().webrtc_mode), SileroVad())


@pytest.mark.parametrize("question", questions(), ids=lambda q: q.name)
def test_finds_what_silero_alone_finds_at_most_60_ms_later(question: Question) -> None:
    frames = question.frames
    alone, found = speech_ms(SileroVad(), frames), speech_ms(gated(), frames)
    assert alone is not None
    assert found is not None
    assert found[0] - alone[0] <= 60
    assert abs(found[1] - alone[1]) <= 60


def test_hears_nothing_in_silence_and_noise() -> None:
    for frames in (digital_silence(5), white_noise(5, 30), white_noise(5, 1000)):
        assert max(probabilities(gated(), frames)) < 0.5


def test_judge_rests_while_the_gate_is_shut() -> None:
    judge = Scripted(0.9)
    detector = GatedVad(Scripted(0.0), judge)
    assert probabilities(detector, numbered(100)) == [0.0] * 100
    assert judge.seen == []


def test_judge_is_shown_the_frames_before_the_gate_opened_once_and_in_order() -> None:
    judge = Scripted(0.7)
    detector = GatedVad(Scripted([0.0] * 20 + [1.0] + [0.0] * 5), judge)
    values = probabilities(detector, numbered(26))
    assert values == [0.0] * 20 + [0.7] * 6
    assert judge.seen == list(range(20 - LEAD_FRAMES, 26))


def test_gate_stays_open_for_its_hold_after_it_last_fired() -> None:
    hold = HOLD_MS // FRAME_MS
    judge = Scripted(0.7)
    script = [1.0, 0.0, 0.0, 1.0] + [0.0] * 50
    values = probabilities(GatedVad(Scripted(script), judge), numbered(54))
    assert [n for n, v in enumerate(values) if v > 0] == list(range(3 + hold))
    assert judge.resets == 1, "the next phrase is a new stream to it"


def test_reset_shuts_the_gate_and_forgets() -> None:
    gate, judge = Scripted([1.0] + [0.0] * 50), Scripted(0.7)
    detector = GatedVad(gate, judge)
    probabilities(detector, numbered(2))
    detector.reset()
    assert (gate.resets, judge.resets) == (1, 1)
    assert probabilities(detector, numbered(10)) == [0.0] * 10


def test_after_reset_it_hears_as_at_first() -> None:
    frames = questions()[2].frames
    detector = gated()
    first = probabilities(detector, frames)
    detector.reset()
    assert probabilities(detector, frames) == first


def test_while_attending_a_doubt_gets_through_a_shut_gate() -> None:
    gate, judge = Scripted(0.0), Scripted(0.9)
    vad = GatedVad(gate, judge)
    frames = numbered(20)
    assert [vad.probability(f) for f in frames[:8]] == [0.0] * 8
    vad.attend(True)
    assert judge.seen == [3, 4, 5, 6, 7], "the run-up"
    assert [vad.probability(f) for f in frames[8:12]] == [DOUBT] * 4
    vad.attend(False)
    assert judge.resets == 1
    assert [vad.probability(f) for f in frames[12:]] == [0.0] * 8
    assert judge.seen == list(range(3, 12))


def test_while_attending_every_frame_is_shown_once_and_speech_is_speech() -> None:
    opens_at = 4
    gate = Scripted([0.0] * opens_at + [1.0] + [0.0] * 60)
    judge = Scripted(0.9)
    vad = GatedVad(gate, judge)
    vad.attend(True)
    frames = numbered(opens_at + HOLD_MS // FRAME_MS + 5)
    heard = [vad.probability(f) for f in frames]
    assert judge.seen == list(range(1, len(frames)))  # the very first is digital silence
    assert heard == [0.0] + [DOUBT] * (opens_at - 1) + [0.9] * (HOLD_MS // FRAME_MS) + [DOUBT] * 5
    assert judge.resets == 0
    vad.attend(True)  # told twice
    assert judge.seen == list(range(1, len(frames)))


def test_attending_while_the_gate_is_open_changes_nothing() -> None:
    gate, judge = Scripted([1.0] + [0.0] * 10), Scripted(0.7)
    vad = GatedVad(gate, judge)
    frames = numbered(6)
    assert vad.probability(frames[0]) == 0.7
    vad.attend(True)
    vad.attend(False)
    assert [vad.probability(f) for f in frames[1:]] == [0.7] * 5
    assert judge.resets == 0
    assert judge.seen == [0, 1, 2, 3, 4, 5]


def test_a_doubt_is_under_every_sensible_release() -> None:
    assert TurnOptions().pause_threshold <= DOUBT < TurnOptions().release_threshold


def test_digital_silence_is_not_judged_however_attentive() -> None:
    gate, judge = Scripted(0.0), Scripted(0.9)
    vad = GatedVad(gate, judge)
    vad.attend(True)
    silence = np.zeros(FRAME_SAMPLES, dtype=np.int16)
    assert [vad.probability(silence) for _ in range(20)] == [0.0] * 20
    assert judge.seen == []
    assert vad.probability(numbered(2)[1]) == DOUBT
