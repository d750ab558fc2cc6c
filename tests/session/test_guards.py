"""Guards of a reply that would be missed only on a bad day: each is seen to work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import AsyncMock, patch

import numpy as np
import pytest

from tests.dialog.driver import Driver
from tests.session.harness import SIMULATED, Conversation, conversation
from voicepipe.asr.engines.simulated import SimulatedUtterance
from voicepipe.config import FillerSettings, LatencySettings, Settings
from voicepipe.conversation.items import AudioPart, MessageItem
from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.effects import CommitReply, StartReply
from voicepipe.dialog.endpointing import Evidence, TextWait
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.contract import Finish, TextDelta
from voicepipe.llm.engines.simulated import Answer
from voicepipe.runtime.errors import EngineError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.reply import MAX_TOOL_ROUNDS
from voicepipe.session.turn import ASR_DEADLINE_S

pytestmark = pytest.mark.virtual_time


def model(talk: Conversation) -> Any:
    return talk.engines.model


async def ask(talk: Conversation, answer_ms: int = 4000) -> None:
    await talk.speak(600)
    await talk.quiet(answer_ms)


async def test_speech_that_fails_before_its_first_sound_is_made_once_more() -> None:
    async with conversation() as talk:
        voice: Any = talk.engines.synthesizer
        whole, tried = voice.stream, []

        async def fails_once(*asked: Any) -> AsyncIterator[Any]:
            tried.append(asked)
            if len(tried) == 1:
                raise EngineError("the worker died", stage="tts", retryable=True)
            async for chunk in whole(*asked):
                yield chunk

        voice.stream = fails_once
        await ask(talk)
        assert [d.response.status for d in talk.of(ev.ResponseDone)] == ["completed"]
        assert tried[0] == tried[1]


async def test_speech_that_fails_in_mid_clause_goes_on_where_it_broke_off() -> None:
    answer = "One two three four five six seven eight nine ten."
    async with conversation(answers=(answer,)) as talk:
        await ask(talk, 8000)
        expected = spoken(talk)
    async with conversation(answers=(answer,)) as talk:
        voice: Any = talk.engines.synthesizer
        whole, tried = voice.stream, []

        async def dies_once(*asked: Any) -> AsyncIterator[Any]:
            tried.append(asked)
            count = 0
            async for chunk in whole(*asked):
                yield chunk
                count += 1
                if len(tried) == 1 and count == 2:
                    raise EngineError("the worker died", stage="tts")

        voice.stream = dies_once
        await ask(talk, 8000)
        assert [d.response.status for d in talk.of(ev.ResponseDone)] == ["completed"]
        assert tried[0] == tried[1]
        assert spoken(talk) == expected


def spoken(talk: Conversation) -> bytes:
    return b"".join(delta.audio for delta in talk.of(ev.AudioDelta))


async def test_speech_that_fails_twice_fails_the_reply() -> None:
    async with conversation() as talk:
        voice: Any = talk.engines.synthesizer
        tried = []

        async def fails(*asked: Any) -> AsyncIterator[Any]:
            tried.append(asked)
            raise EngineError("the worker died", stage="tts", retryable=True)
            yield

        voice.stream = fails
        await ask(talk)
        assert {d.response.status for d in talk.of(ev.ResponseDone)} == {"failed"}
        assert len(tried) % 2 == 0


async def test_a_final_transcript_that_never_comes_fails_the_turn_at_its_deadline() -> None:
    slow = SIMULATED.model_copy(update={"asr": LatencySettings(mean_ms=60_000)})
    async with conversation(simulated=slow) as talk:
        await talk.speak(600)
        await talk.quiet(round(ASR_DEADLINE_S * 1000) - 500)
        assert not talk.of(ev.ResponseDone)
        await talk.quiet(2500)
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.error == "the recognizer gave no transcript within 15 s"
        assert talk.of(ev.UserTranscriptFailed)


async def test_audio_nobody_understood_fails_no_response_after_the_next_turn() -> None:
    """It came as an item, and what the user said next was answered with it in sight: the response
    that is asked for then, behind a tool's result, is not the old turn's."""
    audio = AudioPart(None, np.full(16000, 3000, dtype=np.int16), 1000.0)
    async with conversation() as talk:
        with patch.object(SimulatedUtterance, "final", side_effect=ValueError("broken")):
            talk.session.handle(cmd.CreateItem(MessageItem("item_1", "user", (audio,))))
            await asyncio.sleep(1)
        assert talk.of(ev.UserTranscriptFailed)
        await talk.speak(600)
        await talk.quiet(6000)
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(6000)
        assert [d.response.status for d in talk.of(ev.ResponseDone)] == ["completed"] * 2
        assert [record.origin for record in talk.log.recent()] == ["speech", "text"]


@pytest.mark.parametrize("mode", ["off", "eager_end", "stable_text"])
async def test_a_recognizer_that_breaks_its_contract_fails_the_turn_and_no_more(mode: str) -> None:
    """Its fault is told as any other failure, in no words of its own; nothing waits for ever."""
    config = Settings(simulated=SIMULATED, turns=TurnOptions(preemptive_generation=mode))  # type: ignore[arg-type]
    broken = ValueError("[0, 320) is outside of [640, 960)")
    with patch.object(SimulatedUtterance, "final", side_effect=broken):
        async with conversation(config=config) as talk:
            await talk.speak(2000)
            await talk.quiet(6000)
            assert [done.response.status for done in talk.of(ev.ResponseDone)] == ["failed"]
            (failed,) = talk.of(ev.UserTranscriptFailed)
            assert "320" not in failed.message
            assert talk.session.at_rest


async def test_a_model_that_calls_tools_for_ever_is_stopped() -> None:
    async with conversation(answers=(Answer("", ("get_time", "{}")),)) as talk:
        await ask(talk, 6000)
        assert model(talk).started_requests == MAX_TOOL_ROUNDS
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.error == "the model called tools 4 times without answering"


async def test_before_the_endpoint_only_the_first_clause_is_spoken() -> None:
    config = Settings(simulated=SIMULATED, turns=TurnOptions(endpoint_fixed_ms=5000))
    answer = "One two three four five. Six seven eight nine ten. Eleven twelve thirteen."
    async with conversation(answers=(answer,), config=config) as talk:
        voice: Any = talk.engines.synthesizer
        whole, spoken = voice.stream, []

        def counted(text: str, how: Any) -> Any:
            spoken.append(text)
            return whole(text, how)

        voice.stream = counted
        await talk.speak(600)
        await talk.quiet(3000)
        assert len(spoken) == 1
        await talk.quiet(8000)
        assert len(spoken) >= 3


def test_a_guess_is_not_committed_after_an_interruption() -> None:
    driver = Driver(TurnOptions(preemptive_generation="stable_text", endpoint_fixed_ms=200))
    driver.speak(600)
    assert driver.dialog.turn is not None
    turn = driver.dialog.turn.id
    driver.said("what time is it")
    driver.quiet(60)
    assert any(isinstance(e, StartReply) and e.guess for e in driver.effects)
    driver.quiet(240)
    driver.speak(200)  # before the final transcript confirmed it
    driver.take(driver.dialog.transcript(turn, "what time is it"))
    assert not any(isinstance(e, CommitReply) for e in driver.effects)


async def test_what_is_prepared_waits_behind_what_is_due() -> None:
    config = Settings(simulated=SIMULATED, turns=TurnOptions(preemptive_generation="eager_end"))
    async with conversation(config=config) as talk:
        await ask(talk)
        assert model(talk).requests[-1].priority == 1
    config = Settings(simulated=SIMULATED, turns=TurnOptions(preemptive_generation="off"))
    async with conversation(config=config) as talk:
        await ask(talk)
        assert model(talk).requests[-1].priority == 0


async def test_a_reply_that_fails_is_cut_to_what_was_heard_and_silenced() -> None:
    answer = Answer("One two three four five six. Seven eight nine ten.", fail_after_tokens=9)
    slow = SIMULATED.model_copy(update={"llm_per_token": LatencySettings(mean_ms=150)})
    async with conversation(answers=(answer,), simulated=slow, lead_ms=200) as talk:
        await ask(talk, 5000)
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.status == "failed"
        assert len(talk.of(ev.OutputAudioCleared)) == 1
        item = talk.session.conversation.items[-1]
        assert isinstance(item, MessageItem)
        assert item.text in "One two three four five six. Seven eight nine ten."
        assert len(item.text.split()) < 9


async def test_a_detour_is_not_hidden_by_a_later_clause() -> None:
    async with conversation() as talk:

        async def two_ways(request: Any) -> AsyncIterator[Any]:
            yield TextDelta("Of noon. ")
            yield Finish("stop", route={"llm": "fallback"})

        async def one_way(request: Any) -> AsyncIterator[Any]:
            yield TextDelta("Really. ")
            yield Finish("stop", route={"llm": "primary"})

        model(talk).stream = two_ways
        await ask(talk)
        assert talk.log.recent()[-1].route["llm"] == "fallback"
        voice: Any = talk.engines.synthesizer
        whole, clauses = voice.stream, []

        async def first_by_fallback(*asked: Any) -> AsyncIterator[Any]:
            clauses.append(asked)
            route = {"tts": "fallback" if len(clauses) == 1 else "primary"}
            async for chunk in whole(*asked):
                yield type(chunk)(chunk.pcm, planned_s=chunk.planned_s, route=route)

        voice.stream = first_by_fallback
        model(talk).stream = one_way
        await ask(talk)
        assert talk.log.recent()[-1].route["tts"] == "fallback"


class Told(TextWait):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Verdict]] = []

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        return super().wait_ms(options, evidence)

    def went_on(self, verdict: Verdict, pause_ms: int) -> None:
        self.told.append(("went on", verdict))

    def ended(self, verdict: Verdict) -> None:
        self.told.append(("ended", verdict))


def test_the_policy_is_told_of_an_end_whose_overlap_was_refused() -> None:
    policy = Told()
    driver = Driver(TurnOptions(), policy=policy)
    driver.be_answered()
    assert policy.told == []
    driver.speak(200)
    driver.said("mhm")
    driver.quiet(400)  # a backchannel: the turn before it had ended
    assert policy.told == [("ended", Verdict.COMPLETE)]


async def test_audio_after_a_failing_append_is_taken_as_if_nothing_waited() -> None:
    async with conversation() as talk:
        hear = talk.session._turns.hear

        def broken(audio: bytes) -> None:
            raise ValueError("a decoder's own error")

        limit_s = Settings().limits.max_audio_backlog_s
        talk.session._turns.hear = broken  # type: ignore[method-assign]
        talk.session.handle(cmd.AppendAudio(bytes(round(32_000 * limit_s))))
        await asyncio.sleep(0.1)
        talk.session._turns.hear = hear  # type: ignore[method-assign]
        talk.session.handle(cmd.AppendAudio(bytes(round(32_000 * limit_s))))  # all of it fits again
        await asyncio.sleep(1)
        assert len(talk.of(ev.SessionError)) == 1


@pytest.mark.parametrize("stage", ["asr", "llm", "tts"])
async def test_an_engine_that_is_cancelled_fails_the_reply_and_no_more(stage: str) -> None:
    """Not by the session: a future within it was. The reply's other stages must not wait for ever
    for one that has ended so."""

    async def gives_up(*asked: Any) -> AsyncIterator[Any]:
        raise asyncio.CancelledError
        yield

    async with conversation() as talk:
        places: dict[str, Any] = {
            "asr": patch.object(SimulatedUtterance, "final", side_effect=asyncio.CancelledError),
            "llm": patch.object(talk.engines.model, "stream", gives_up),
            "tts": patch.object(talk.engines.synthesizer, "stream", gives_up),
        }
        with patch.object(talk.engines.model, "warm", AsyncMock()), places[stage]:
            await ask(talk, 8000)
        assert [done.response.status for done in talk.of(ev.ResponseDone)] == ["failed"]
        assert len(talk.of(ev.UserTranscriptFailed)) == (stage == "asr")
        assert talk.session.at_rest


@pytest.mark.parametrize("error", [ValueError("a fault"), asyncio.CancelledError()])
async def test_a_filler_that_cannot_be_said_for_any_reason_is_no_harm(error: BaseException) -> None:
    slow = SIMULATED.model_copy(update={"llm_first_token": LatencySettings(mean_ms=2000)})
    fillers = FillerSettings(after_ms=200, phrases=("Let me see.",))
    config = Settings(simulated=slow, filler=fillers)
    async with conversation(simulated=slow, config=config) as talk:
        whole = talk.engines.synthesizer.stream

        def breaks(text: str, voice: Any) -> AsyncIterator[Any]:
            if text == "Let me see.":
                raise error
            return whole(text, voice)

        with patch.object(talk.engines.synthesizer, "stream", breaks):
            await ask(talk, 8000)
        assert [done.response.status for done in talk.of(ev.ResponseDone)] == ["completed"]
        assert talk.said_by_agent()
