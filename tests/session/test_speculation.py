"""Replies prepared early: on a partial transcript, at the soft end, or not at all."""

from __future__ import annotations

import pytest

from tests.session.harness import Conversation, conversation
from voicepipe.config import Settings
from voicepipe.llm.contract import ChatRequest
from voicepipe.session import events as ev
from voicepipe.turns.options import TurnOptions

pytestmark = pytest.mark.virtual_time


def settings(speculation: str) -> Settings:
    return Settings.model_validate({"turns": {"speculation": speculation}})


async def voice_to_voice_ms(speculation: str) -> float:
    """Of "what time is it", 2 s of speech, engines at 100/100+10/60 ms."""
    async with conversation(config=settings(speculation)) as talk:
        await talk.speak(2000)
        await talk.quiet(5000)
        (record,) = talk.log.recent()
        assert record.voice_to_voice_us is not None
        return record.voice_to_voice_us / 1000


async def test_each_kind_of_speculation_answers_earlier_than_the_one_before() -> None:
    plain = await voice_to_voice_ms("off")
    soft_end = await voice_to_voice_ms("soft_end")
    stable_text = await voice_to_voice_ms("stable_text")
    assert plain == pytest.approx(620, abs=40)
    assert soft_end <= 440
    assert stable_text <= 350


async def test_guess_that_the_final_transcript_confirms_is_used() -> None:
    async with conversation(config=settings("stable_text")) as talk:
        await talk.speak(2000)
        assert requests(talk)  # the user still speaks
        await talk.quiet(4000)
        assert talk.log.recent()[0].speculation == "hit"
        assert len(talk.of(ev.ResponseCreated)) == 1


async def test_guess_that_turns_out_wrong_is_never_heard() -> None:
    heard = ("turn on the lights in the kitchen and in the bedroom",)
    async with conversation(config=settings("stable_text"), heard=heard) as talk:
        await talk.speak(4000)
        await talk.quiet(4000)
        (record,) = talk.log.recent()
        assert record.discards >= 1
        asked = [m.content for m in requests(talk)[-1].messages if m.role == "user"]
        assert asked == [heard[0]]
        assert len(talk.of(ev.ResponseCreated)) == 1
        assert record.end == "completed"


async def test_speech_in_mid_guess_withdraws_it_before_the_endpoint() -> None:
    heard = ("book a table for two people please",)
    async with conversation(config=settings("stable_text"), heard=heard) as talk:
        await talk.speak(1200)
        await talk.quiet(200)
        await talk.speak(1400)
        await talk.quiet(4000)
        assert len(talk.of(ev.ResponseCreated)) == 1
        asked = [m.content for m in requests(talk)[-1].messages if m.role == "user"]
        assert asked == [heard[0]]


async def test_discarded_work_is_stopped_in_the_engines() -> None:
    async with conversation() as talk:
        await talk.speak(600)
        await talk.quiet(260)
        await talk.speak(600)
        model = talk.engines.model
        assert model.active_requests == 0  # type: ignore[attr-defined]
        await talk.quiet(4000)
        assert len(talk.of(ev.ResponseDone)) == 1


def test_replies_are_prepared_at_the_soft_end_unless_settings_say_otherwise() -> None:
    assert TurnOptions().speculation == "soft_end"


def requests(talk: Conversation) -> list[ChatRequest]:
    return list(talk.engines.model.requests)  # type: ignore[attr-defined]
