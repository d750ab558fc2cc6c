"""The audio input: which audio an utterance gets, beginning with its pre-roll, and what they
note."""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
import pytest

from voicepipe.asr.contract import Hypothesis, Transcript
from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_16K, PCM_24K, PCMU_8K, AudioFormat
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, Int16
from voicepipe.dialog import effects as fx
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import User as Side
from voicepipe.runtime.clock import ManualClock
from voicepipe.session.audio_input import RING_MARGIN_MS, AudioInput
from voicepipe.session.cleaning import Cleaning
from voicepipe.session.turn_detection_audio import TurnDetectionAudio

LOUD = 10_000


class Recorder:
    """An utterance that keeps what it is fed."""

    def __init__(self) -> None:
        self.chunks: list[Int16] = []

    @property
    def heard(self) -> Int16:
        return np.concatenate(self.chunks) if self.chunks else np.zeros(0, dtype=np.int16)

    @property
    def frames(self) -> list[int]:
        """Numbers of the frames heard (see `User`)."""
        return [int(n) % LOUD for n in self.heard[::FRAME_SAMPLES]]

    def feed(self, pcm: Int16) -> None:
        self.chunks.append(pcm)

    def hypotheses(self) -> AsyncIterator[Hypothesis]:
        raise AssertionError("the audio input only feed; asking is the turn's business")

    async def final(self) -> Transcript:
        raise AssertionError("the audio input only feed; asking is the turn's business")

    def cancel(self) -> None:
        pass


class Loudness:
    def probability(self, frame: Int16) -> float:
        return 1.0 if frame[0] >= LOUD else 0.0

    def reset(self) -> None:
        pass


class User:
    """Speaks frames that carry their own number, and opens utterances as a session would."""

    def __init__(
        self, preroll_ms: int = 400, *, manual: bool = False, options: TurnOptions | None = None
    ) -> None:
        self.clock = ManualClock(100.0)
        self.dialog = Dialog(options, answers=False)
        detector = None if manual else Loudness()
        self.ears = AudioInput(
            self.clock,
            PCM_16K,
            preroll_ms,
            detector,
            self.dialog,
            TurnDetectionAudio(self.clock, Cleaning(), PCM_16K),
        )
        self.utterances: list[Recorder] = []
        self.effects: list[fx.Effect] = []
        self._count = 0

    def speak(self, ms: int) -> None:
        self._say(ms, LOUD)

    def quiet(self, ms: int) -> None:
        self._say(ms, 0)

    def _say(self, ms: int, level: int) -> None:
        for _ in range(ms // FRAME_MS):
            self.clock.advance(FRAME_MS / 1000)
            frame = np.full(FRAME_SAMPLES, level + self._count, dtype=np.int16)
            self._count += 1
            self.hear(pcm.to_bytes(frame))

    def hear(self, data: bytes) -> None:
        for effects in self.ears.append(data):
            for effect in effects:
                self.effects.append(effect)
                match effect:
                    case fx.OpenUtterance(_, start_ms):
                        self.listen(start_ms)
                    case fx.EndTurn() | fx.DropTurn():
                        self.ears.stop_listening()

    def be_told(self, text: str = "Hello.") -> None:
        """The agent speaks."""
        number, _ = self.dialog.create()
        self.dialog.reply_audible(number, text)

    def was(self, kind: type[fx.Effect]) -> bool:
        """Whether the newest effect is of this kind."""
        return isinstance(self.effects[-1], kind)

    def listen(self, start_ms: int | None = None) -> None:
        self.utterances.append(Recorder())
        self.ears.listen(self.utterances[-1], start_ms)


def test_utterance_begins_with_the_pre_roll_before_the_first_frame_of_speech() -> None:
    user = User(preroll_ms=400)
    user.quiet(1000)
    user.speak(200)
    assert user.utterances[0].frames == list(range(50 - 20, 60))


def test_speech_that_took_long_to_be_sure_of_is_not_cut() -> None:
    user = User(preroll_ms=400, options=TurnOptions(min_speech_ms=1000))
    user.quiet(1000)
    user.speak(1000)
    assert user.utterances[0].frames == list(range(30, 100))


def test_call_that_opens_with_speech_has_what_there_is() -> None:
    user = User()
    user.speak(200)
    assert user.utterances[0].frames == list(range(10))


def test_larger_pre_roll_counts_from_the_next_utterance_on() -> None:
    user = User(preroll_ms=100)
    user.ears.apply_settings(PCM_16K, 3000)
    user.quiet(5000)
    user.speak(60)
    assert user.utterances[0].frames == list(range(250 - 150, 253))


def test_memory_before_an_utterance_is_bounded() -> None:
    user = User(preroll_ms=400)
    user.quiet(60_000)
    assert len(user.ears._ring) == (400 + RING_MARGIN_MS) // FRAME_MS


def test_silence_after_the_eager_end_is_withheld_and_fed_when_the_user_goes_on() -> None:
    user = User()
    user.speak(400)
    user.quiet(240)
    utterance = user.utterances[0]
    assert user.was(fx.Decode)
    assert utterance.frames == list(range(20 + 5)), "no more than the eager end's own silence"
    user.speak(200)
    assert user.was(fx.TurnContinued)
    assert utterance.frames == list(range(20 + 12 + 10)), "nothing missing in between"


def test_silence_before_the_endpoint_never_reaches_the_recognizer() -> None:
    user = User()
    user.speak(400)
    user.quiet(2000)
    assert user.was(fx.EndTurn)
    assert user.utterances[0].frames == list(range(25))
    assert user.ears.utterance_ms == 500


def test_user_who_goes_on_after_the_endpoint_is_not_heard_twice() -> None:
    user = User(preroll_ms=1000)
    user.speak(400)
    user.quiet(600)  # the endpoint of unknown text
    user.speak(200)
    first, second = user.utterances
    assert first.frames == list(range(25))
    assert second.frames == list(range(25, 60)), "the pre-roll ends where the turn before began"


def test_overlap_is_heard_with_its_gaps_and_dropped_when_the_agent_goes_on() -> None:
    user = User()
    user.be_told()
    user.quiet(1000)
    user.speak(160)
    user.quiet(100)
    assert user.dialog.user is Side.OVERLAPPING
    overlap = user.utterances[0]
    assert overlap.frames == list(range(30, 63))
    user.quiet(1000)
    assert user.was(fx.ResumeOutput)
    assert len(overlap.frames) < 75
    user.speak(100)
    assert len(user.utterances) == 2
    assert overlap.frames[-1] < 75


def test_soft_onset_taken_for_nothing_is_in_the_pre_roll_of_the_word_it_began() -> None:
    """A hiss holds the agent, nothing sure follows in time, it goes on; then the vowel comes."""
    user = User()
    user.be_told()
    user.quiet(1000)
    user.speak(20)
    user.quiet(260)
    assert user.was(fx.ResumeOutput)
    user.speak(600)
    hiss, word = user.utterances
    assert hiss.frames[-1] >= 58
    assert word.frames == list(range(44, 94)), "400 ms of pre-roll, the hiss at frame 50 in it"


def test_interrupting_speech_is_one_utterance_from_its_beginning() -> None:
    user = User()
    user.be_told()
    user.quiet(1000)
    user.speak(600)
    (utterance,) = user.utterances
    assert user.dialog.user is Side.SPEAKING
    assert utterance.frames == list(range(30, 80))


def test_dropped_audio_is_forgotten() -> None:
    user = User()
    user.speak(400)
    user.ears.drain()
    user.dialog.clear()
    user.quiet(400)
    assert user.utterances[0].frames == list(range(20))


def test_push_to_talk_hears_everything_from_listen_to_drain() -> None:
    user = User(manual=True)
    user.speak(100)
    user.listen()
    user.quiet(100)
    user.speak(100)
    user.ears.drain()
    user.speak(100)
    assert user.utterances[0].frames == list(range(5, 15))
    assert user.effects == []
    assert user.ears.manual


def test_pieces_of_any_size_become_the_same_frames() -> None:
    user = User()
    silence, voice = np.zeros(16_000, dtype=np.int16), np.full(3200, LOUD, dtype=np.int16)
    data = pcm.to_bytes(np.concatenate((silence, voice)))
    for start in range(0, len(data), 214):
        user.hear(data[start : start + 214])
    assert user.effects == [fx.OpenUtterance(1, 1000), fx.SpeechStarted(1, 1000)]
    assert int(np.count_nonzero(user.utterances[0].heard)) == 3200
    assert user.utterances[0].heard.size == 6400 + 3200


def test_arrival_of_the_last_speech_is_noted_and_a_click_is_not_speech() -> None:
    user = User()
    user.speak(400)
    ended_at = user.clock.now()
    assert user.ears.last_voiced_at == ended_at
    user.quiet(200)
    user.speak(40)
    user.quiet(100)
    assert user.ears.last_voiced_at == ended_at
    assert user.ears.last_audio_at == user.clock.now()


@pytest.mark.parametrize("wire", [PCM_16K, PCM_24K, PCMU_8K], ids=lambda w: str(w.rate))
def test_heard_time_is_that_of_the_wire(wire: AudioFormat) -> None:
    user = User()
    user.ears.apply_settings(wire, 400)
    for _ in range(50):
        user.hear(bytes(round(20 * wire.bytes_per_ms)))
    assert user.ears.heard_ms == pytest.approx(1000, abs=2.1)
    assert user.dialog.now_ms in (980, 1000)


def test_half_a_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="even number of bytes"):
        User().hear(b"abc")


def test_a_sign_of_speech_that_is_committed_is_not_heard_a_second_time() -> None:
    user = User()
    user.be_told()
    user.quiet(1000)
    user.speak(40)
    for effect in user.dialog.commit():
        if isinstance(effect, fx.EndTurn):
            user.ears.stop_listening(taken=True)
    user.quiet(100)
    user.speak(400)
    first, second = user.utterances
    assert second.frames[0] > first.frames[-1] >= 51


def test_what_was_heard_before_push_to_talk_is_not_before_what_comes_after_it() -> None:
    user = User(preroll_ms=400)
    user.quiet(1000)
    user.ears.use(None)
    user.quiet(60_000)
    user.ears.use(Loudness())
    user.speak(200)
    assert user.utterances[0].frames == list(range(3050, 3060))


def test_a_detector_that_listens_harder_is_told_when_it_need_not_any_more() -> None:
    user, told = User(), list[bool]()

    class Attentive(Loudness):
        def attend(self, on: bool) -> None:
            told.append(on)

    user.ears.use(Attentive())
    user.be_told()
    user.quiet(100)
    user.ears.apply_settings(PCM_16K, 400)
    user.dialog.clear_output()
    user.quiet(100)
    assert told == [True, False]
