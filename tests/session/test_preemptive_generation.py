"""Replies prepared early: on a partial transcript, at the eager end, or not at all."""

from __future__ import annotations

import pytest

from tests.session.harness import Conversation, conversation
from voicepipe.config import Settings
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings, TurnDetection

pytestmark = pytest.mark.virtual_time

PLAYED = ev.OutputAudioStarted | ev.OutputAudioStopped | ev.OutputAudioCleared


def settings(preemption: str) -> Settings:
    return Settings.model_validate({"turns": {"preemptive_generation": preemption}})


async def voice_to_voice_ms(preemption: str) -> float:
    """Of "what time is it", 2 s of speech, engines at 100/100+10/60 ms."""
    async with conversation(config=settings(preemption)) as talk:
        await talk.speak(2000)
        await talk.quiet(5000)
        (record,) = talk.log.recent()
        assert record.voice_to_voice_us is not None
        return record.voice_to_voice_us / 1000


async def test_each_kind_of_speculation_answers_earlier_than_the_one_before() -> None:
    plain = await voice_to_voice_ms("off")
    eager_end = await voice_to_voice_ms("eager_end")
    stable_text = await voice_to_voice_ms("stable_text")
    assert plain == pytest.approx(620, abs=40)
    assert eager_end <= 440
    assert stable_text <= 350


async def test_guess_that_the_final_transcript_confirms_is_used() -> None:
    async with conversation(config=settings("stable_text")) as talk:
        await talk.speak(2000)
        assert not requests(talk), "nobody knows yet whether more words come"
        await talk.quiet(60)
        assert requests(talk), "long before the eager end"
        await talk.quiet(4000)
        assert talk.log.recent()[0].preemption == "hit"
        assert len(talk.of(ev.ResponseCreated)) == 1


async def test_guess_that_turns_out_wrong_is_never_heard() -> None:
    heard = ("turn on the lights in the kitchen and in the bedroom",)
    async with conversation(config=settings("stable_text"), heard=heard) as talk:
        await talk.speak(2400)
        await talk.quiet(80)  # a breath
        await talk.speak(2000)
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


def test_replies_are_prepared_at_the_eager_end_unless_settings_say_otherwise() -> None:
    assert TurnOptions().preemptive_generation == "eager_end"


def requests(talk: Conversation) -> list[ChatRequest]:
    return list(talk.engines.model.requests)  # type: ignore[attr-defined]


async def test_a_hit_is_counted_with_the_time_it_saved() -> None:
    plain = await voice_to_voice_ms("off")
    async with conversation() as talk:
        await talk.speak(2000)
        await talk.quiet(5000)
        (record,) = talk.log.recent()
        counts = talk.session.preemption
        assert (counts.attempts, counts.hits, counts.discards.total()) == (1, 1, 0)
        assert record.voice_to_voice_us is not None
        assert counts.saved_ms == pytest.approx(plain - record.voice_to_voice_us / 1000, abs=45)
        assert (counts.wasted_tokens, counts.wasted_audio_ms) == (0, 0.0)
        assert record.as_dict()["session_preemption"] == counts.as_dict()
        assert talk.log.prepared.as_dict() == counts.as_dict(), "the process has seen no other"


async def test_where_nothing_was_said_nothing_is_a_hit() -> None:
    """A cough is no turn that a prepared reply has answered."""
    async with conversation(heard=("",)) as talk:
        await talk.speak(300)
        await talk.quiet(2000)
        (record,) = talk.log.recent()
        counts = talk.session.preemption
        assert (record.end, record.preemption) == ("no_speech", "none")
        assert (counts.attempts, counts.hits) == (1, 0)
        assert counts.discards == {"no_speech": 1}


async def test_a_discard_is_counted_with_its_reason_and_its_waste() -> None:
    async with conversation(config=long_wait()) as talk:
        await talk.speak(2000)
        await talk.quiet(700)  # long enough for a first clause and its sound
        await talk.speak(600)
        counts = talk.session.preemption
        assert dict(counts.discards) == {"user_went_on": 1}
        assert counts.wasted_tokens >= 5
        assert counts.wasted_audio_ms > 300
        await talk.quiet(300)
        talk.session.handle(cmd.ClearAudio())
        assert counts.discards["cleared"] == 1
        assert counts.hits == 0
        assert talk.log.summary()["prepared_replies"]["attempts"] == 2


async def test_wrong_guesses_have_reasons_of_their_own() -> None:
    heard = ("turn on the lights in the kitchen and in the bedroom",)
    async with conversation(config=settings("stable_text"), heard=heard) as talk:
        await talk.speak(2400)
        await talk.quiet(80)
        await talk.speak(2000)
        await talk.quiet(4000)
        counts = talk.session.preemption
        assert set(counts.discards) <= {"text_changed", "final_differs", "user_went_on"}
        assert counts.discards.total() == talk.log.recent()[0].discards > 0
        assert counts.attempts == counts.hits + counts.discards.total()


async def test_a_prepared_reply_that_failed_is_a_discard() -> None:
    answers = (Answer("x", fail_after_tokens=0), "It is noon.")
    async with conversation(config=long_wait(), answers=answers) as talk:
        await talk.speak(2000)
        await talk.quiet(5000)
        assert dict(talk.session.preemption.discards) == {"failed": 1}
        assert talk.log.recent()[0].end == "completed"


def long_wait() -> Settings:
    return Settings.model_validate({"turns": {"endpoint_fixed_ms": 1200}})


async def test_nothing_is_prepared_over_an_agent_that_may_not_be_interrupted() -> None:
    """Its reply is stopped where the user's turn ends; until then it is the only one."""
    wanted = SessionSettings(turn_detection=TurnDetection(interrupt_response=False))
    async with conversation(settings=wanted, lead_ms=2000) as talk:
        await talk.speak(600)
        while not talk.of(ev.ResponseDone):
            await talk.quiet(20)  # all is made, the last 2 s are still to be played
        await talk.speak(80)
        await talk.quiet(4000)
        played = [e for e in talk.events if isinstance(e, PLAYED)]
        assert [type(e).__name__ for e in played] == [
            *("OutputAudioStarted", "OutputAudioCleared"),
            *("OutputAudioStarted", "OutputAudioStopped"),
        ]


async def test_turn_is_answered_though_the_client_cleared_the_reply_prepared_for_it() -> None:
    async with conversation(config=settings("stable_text"), lead_ms=60) as talk:
        await talk.speak(2000)
        await talk.quiet(60)
        assert requests(talk), "a reply to the partial text is under way"
        talk.session.handle(cmd.ClearOutput())
        await talk.quiet(5000)
        assert len(talk.of(ev.OutputAudioStopped)) == 1
        (record,) = talk.log.recent()
        assert record.end == "completed"


async def test_prepared_reply_that_gives_way_to_the_clients_own_is_no_line_in_the_ledger() -> None:
    async with conversation(config=settings("eager_end")) as talk:
        await talk.speak(600)
        await talk.quiet(140)
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(6000)
        records = talk.log.recent()
        assert len({r.turn_id for r in records}) == len(records)
        counts = talk.session.preemption.as_dict()
        assert counts["attempts"] == counts["hits"] + sum(counts["discards"].values())
