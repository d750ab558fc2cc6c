"""A session that asks an audio model when the user's turn is over. Real time: the model runs in a
thread.
"""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from scripts.make_smart_turn_stand_in import write_stand_in
from tests.session.harness import Conversation, conversation
from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.audio import files, pcm
from voicepipe.audio.formats import PCM_16K
from voicepipe.audio.frames import Framer
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.config import Settings, SimulatedSettings
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.options import TurnOptions
from voicepipe.runtime.clock import ManualClock
from voicepipe.runtime.errors import EngineError
from voicepipe.session import commands as cmd
from voicepipe.session import end_of_turn
from voicepipe.session import events as ev
from voicepipe.session.audio_input import AudioInput
from voicepipe.session.cleaning import Cleaning
from voicepipe.session.end_of_turn import EndOfTurnJudge
from voicepipe.session.turn import Turn
from voicepipe.session.turn_detection_audio import TurnDetectionAudio
from voicepipe.vad.contract import EndOfTurnModel
from voicepipe.vad.engines import create_end_of_turn

COMPLETE, INCOMPLETE = "what time is it", "set a timer for"
LOW_HZ, HIGH_HZ = 200, 5000  # the stand-in takes what ends low for unfinished
SPEECH_MS = 400
QUESTION = Path(__file__).parents[1] / "data" / "questions" / "what_time_is_it.flac"


async def ended_after_ms(text: str, hz: int, options: TurnOptions, model: EndOfTurnModel) -> int:
    """Say `text`, which sounds like `hz`; returns the silence in stream time that ended it."""
    async with conversation(heard=[text], config=Settings(turns=options)) as talk:
        talk.engines.end_of_turn = model
        await play(talk, np.sin(2 * np.pi * hz * np.arange(FRAME_SAMPLES) / SAMPLE_RATE), SPEECH_MS)
        for _ in range(140):
            await play(talk, np.zeros(FRAME_SAMPLES), FRAME_MS)
            if stopped := talk.of(ev.SpeechStopped):
                return stopped[0].audio_end_ms - SPEECH_MS
    raise AssertionError("the turn was never ended")


async def play(talk: Conversation, wave: npt.NDArray[np.float64], ms: int) -> None:
    frame: Int16 = (8000 * wave).astype(np.int16)
    for _ in range(ms // FRAME_MS):
        talk.session.handle(cmd.AppendAudio(pcm.to_bytes(frame)))
        await asyncio.sleep(FRAME_MS / 1000)


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> TurnOptions:
    path = tmp_path_factory.mktemp("smart_turn") / "stand_in.onnx"
    write_stand_in(path)
    return TurnOptions(
        endpointing="smart_turn",
        smart_turn_model=str(path),
        endpoint_complete_ms=1000,  # so far apart that a busy machine makes no difference
        endpoint_incomplete_ms=2000,
    )


@pytest.fixture(scope="module")
def model(options: TurnOptions) -> EndOfTurnModel:
    found = create_end_of_turn(options)
    assert found is not None
    found.probability(np.zeros(SAMPLE_RATE, dtype=np.int16))  # the first run is slow
    return found


async def test_turn_that_sounds_finished_ends_early_whatever_the_text(
    options: TurnOptions, model: EndOfTurnModel
) -> None:
    assert await ended_after_ms(INCOMPLETE, HIGH_HZ, options, model) < 1500


async def test_turn_that_sounds_unfinished_ends_late_whatever_the_text(
    options: TurnOptions, model: EndOfTurnModel
) -> None:
    assert await ended_after_ms(COMPLETE, LOW_HZ, options, model) > 1500


async def test_model_that_fails_leaves_the_text_to_decide(options: TurnOptions) -> None:
    class Broken:
        def probability(self, speech: Int16) -> float:
            raise EngineError("smart-turn failed: no memory", stage="vad")

    assert await ended_after_ms(COMPLETE, LOW_HZ, options, Broken()) == 1000


async def test_model_that_answers_no_probability_leaves_the_text_to_decide(
    options: TurnOptions,
) -> None:
    class Nonsense:
        def probability(self, speech: Int16) -> float:
            return float("nan")  # as a network does whose halves overflow

    assert await ended_after_ms(COMPLETE, LOW_HZ, options, Nonsense()) == 1000


async def test_model_hears_the_turn_up_to_the_eager_end(options: TurnOptions) -> None:
    shown: list[Int16] = []

    class Curious:
        def probability(self, speech: Int16) -> float:
            shown.append(speech)
            return 1.0

    await ended_after_ms(COMPLETE, LOW_HZ, options, Curious())
    assert len(shown) == 1
    loud = np.flatnonzero(np.abs(shown[0]) > 1000)
    assert loud[0] < 100
    assert loud[-1] == pytest.approx(SPEECH_MS * 16, abs=100)
    assert shown[0].size == pytest.approx((SPEECH_MS + options.eager_end_ms) * 16, abs=400)


async def test_our_own_model_is_asked_again_with_the_silence_in_it_and_once_at_a_time() -> None:
    shown: list[Int16] = []
    asked_at_once: list[int] = []
    under_way = 0

    class Slow:
        """Answers late: the questions meanwhile are not asked."""

        def probability(self, speech: Int16) -> float:
            nonlocal under_way
            under_way += 1
            shown.append(speech)
            asked_at_once.append(under_way)
            time.sleep(0.06)
            under_way -= 1
            return 0.02

    options = TurnOptions(endpointing="fused", cut_off_cost_ms=30_000)
    ended_ms = await ended_after_ms(COMPLETE, LOW_HZ, options, Slow())
    assert ended_ms == options.endpoint_unknown_ms, "it says that the caller goes on"
    assert 1 <= len(shown) <= 3
    assert set(asked_at_once) == {1}
    lengths = [speech.size for speech in shown]
    assert lengths == sorted(set(lengths)), "each time with more of the silence"
    assert lengths[0] >= (SPEECH_MS + 60) * 16


async def test_a_turn_that_sounds_finished_is_ended_sooner_than_by_its_text() -> None:
    class Sure:
        def probability(self, speech: Int16) -> float:
            return 0.99

    ended_ms = await ended_after_ms(COMPLETE, LOW_HZ, TurnOptions(endpointing="fused"), Sure())
    assert ended_ms < 300


async def test_the_model_that_ships_ends_a_spoken_question_sooner_than_its_text_would() -> None:
    options = TurnOptions(endpointing="fused")
    question = files.read(QUESTION)
    speech_end = int(np.flatnonzero(np.abs(question) > 600)[-1])
    model = create_end_of_turn(options)
    heard: list[float] = []

    class Listened:
        def probability(self, speech: Int16) -> float:
            heard.append(model.probability(speech))
            return heard[-1]

    async with conversation(heard=[COMPLETE], config=Settings(turns=options)) as talk:
        talk.engines.end_of_turn = Listened()
        for frame in Framer().push(np.pad(question[: speech_end + 320], (8000, 16_000))):
            talk.session.handle(cmd.AppendAudio(pcm.to_bytes(frame)))
            await asyncio.sleep(FRAME_MS / 1000)
        (stopped,) = talk.of(ev.SpeechStopped)
    assert heard
    assert heard[-1] > 0.5, "it sounds finished"
    assert stopped.audio_end_ms - 500 - speech_end // 16 < 300


async def test_a_model_that_hangs_is_not_asked_again_before_it_has_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(end_of_turn, "DEADLINE_S", 0.02)
    asked, go_on = 0, threading.Event()

    class Hanging:
        def probability(self, speech: Int16) -> float:
            nonlocal asked
            asked += 1
            go_on.wait(30)
            return 0.5

    async with conversation() as talk:
        talk.engines.end_of_turn = Hanging()
        told: list[float] = []
        turns = talk.session._turns
        judge = EndOfTurnJudge(talk.session._context, turns._input, lambda _, p: told.append(p))
        turn = Turn("text", talk.session._tasks)
        try:
            for _ in range(3):  # as many pauses
                judge.ask(turn, 0)
                await asyncio.sleep(0.1)
            assert asked == 1, "one thread is parked"
        finally:
            go_on.set()
        async with asyncio.timeout(10):
            while not told:  # it is well again, and asked
                judge.ask(turn, 0)
                await asyncio.sleep(0.02)
        assert told[0] == 0.5


def test_audio_input_hands_out_the_newest_audio_of_the_utterance() -> None:
    clock = ManualClock()
    heard = AudioInput(
        clock, PCM_16K, 0, None, Dialog(), TurnDetectionAudio(clock, Cleaning(), PCM_16K)
    )
    assert heard.newest_audio(1000).size == 0
    utterance = SimulatedRecognizer(SimulatedSettings(), ["yes"], ManualClock()).open(AsrOptions())
    heard.listen(utterance)
    ramp = np.arange(SAMPLE_RATE, dtype=np.int16)
    for start in range(0, ramp.size, FRAME_SAMPLES):
        assert not list(heard.append(pcm.to_bytes(ramp[start : start + FRAME_SAMPLES])))
    np.testing.assert_array_equal(heard.newest_audio(5000), ramp)
    np.testing.assert_array_equal(heard.newest_audio(100), ramp[-1600:])
    np.testing.assert_array_equal(heard.newest_audio(110), ramp[-1920:])  # whole pieces
