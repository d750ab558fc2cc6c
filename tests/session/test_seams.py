"""Faults that lay in the seams of the turn: each failed before one core owned both sides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from tests.session.clients_tool import CLIENTS_TOOL, FIRST, LOOK_UP, answer_the_call
from tests.session.harness import SIMULATED, Conversation, conversation
from voicepipe.audio.formats import PCMU_8K
from voicepipe.config import LatencySettings, Settings
from voicepipe.conversation.items import (
    AudioPart,
    Item,
    MessageItem,
    TextPart,
)
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.engines.simulated import Answer
from voicepipe.runtime.errors import EngineError, ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.ids import new_id
from voicepipe.session.settings import SessionSettings, Transcription, TurnDetection
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool

pytestmark = pytest.mark.virtual_time


class TestResponseBehindWhatPlays:
    """`response.create` after a client's tool call cut what was playing, and history to "One"."""

    ANSWERS = (Answer(FIRST, ("look_up", "{}")), "It is in the second drawer.")

    @pytest.mark.parametrize("lead_ms", [None, 60.0, 200.0])
    async def test_both_are_heard_whole_one_after_the_other(self, lead_ms: float | None) -> None:
        async with conversation(
            answers=self.ANSWERS, settings=CLIENTS_TOOL, lead_ms=lead_ms
        ) as talk:
            await talk.speak(600)
            await talk.quiet(600)
            await answer_the_call(talk)
            await talk.quiet(9000)
            first, second = talk.said_by_agent()
            assert (first.text, first.status) == (FIRST, "completed")
            assert (second.text, second.status) == ("It is in the second drawer.", "completed")
            assert [r.end for r in talk.log.recent()] == ["completed", "completed"]
            assert not talk.of(ev.OutputAudioCleared)
            assert not talk.of(ev.ItemTruncated)
            assert f"assistant: {FIRST}" in talk.prompts()[1]
            if lead_ms is not None:
                total_ms = sum(
                    part.duration_ms
                    for item in (first, second)
                    for part in item.content
                    if isinstance(part, AudioPart)
                )
                assert talk.phone.heard_ms == pytest.approx(total_ms, abs=2)
                assert talk.phone.clears == 0

    @pytest.mark.parametrize("lead_ms", [None, 200.0])
    async def test_an_interruption_cuts_both_to_what_was_heard(self, lead_ms: float | None) -> None:
        async with conversation(
            heard=("tell me", "wait stop now"),
            answers=self.ANSWERS,
            settings=CLIENTS_TOOL,
            lead_ms=lead_ms,
        ) as talk:
            await talk.speak(600)
            await talk.quiet(600)
            await answer_the_call(talk)
            await talk.quiet(400 if lead_ms is None else 40)  # the first still plays
            await talk.speak(800)
            await talk.quiet(200)
            first = talk.said_by_agent()[0]
            assert first.status == "incomplete"
            assert FIRST.startswith(first.text)
            assert first.text
            for item in talk.said_by_agent()[1:]:
                assert item.text == ""
            assert talk.session.explain()["replies"] != []  # their words are being answered

    async def test_a_cancelled_second_leaves_the_first_whole(self) -> None:
        async with conversation(answers=self.ANSWERS, settings=CLIENTS_TOOL, lead_ms=200) as talk:
            await talk.speak(600)
            await talk.quiet(600)
            await answer_the_call(talk)
            await talk.quiet(200)
            talk.session.handle(cmd.CancelResponse())
            await talk.quiet(6000)
            assert talk.said_by_agent()[0].text == FIRST
            (part,) = talk.said_by_agent()[0].content
            assert isinstance(part, AudioPart)
            assert talk.phone.heard_ms == pytest.approx(part.duration_ms, abs=2)
            assert talk.session.at_rest


class TestStalePreparation:
    """Between the eager end and the endpoint a prepared reply survived changes of the session."""

    @staticmethod
    def changes(talk: Conversation) -> dict[str, cmd.Command]:
        old = talk.session.settings
        first = talk.session.conversation.items[0].id
        return {
            "settings": cmd.UpdateSession(replace(old, instructions="NEW", output_format=PCMU_8K)),
            "create": cmd.CreateItem(MessageItem(new_id("item"), "system", (TextPart("NEW"),))),
            "delete": cmd.DeleteItem(first),
        }

    @pytest.mark.parametrize("mode", ["eager_end", "stable_text"])
    @pytest.mark.parametrize("change", ["settings", "create", "delete"])
    async def test_the_answer_is_made_from_what_holds(self, change: str, mode: str) -> None:
        turns = TurnOptions(preemptive_generation=mode)  # type: ignore[arg-type]
        settings = SessionSettings(instructions="OLD", transcription=Transcription())
        config = Settings(simulated=SIMULATED, turns=turns)
        async with conversation(settings=settings, config=config) as talk:
            talk.session.handle(
                cmd.CreateItem(MessageItem(new_id("item"), "user", (TextPart("GONE"),)))
            )
            await talk.speak(600)
            await talk.quiet(260)
            assert talk.engines.model.started_requests >= 1  # type: ignore[attr-defined]
            talk.session.handle(self.changes(talk)[change])
            await talk.quiet(5000)
            (done,) = talk.of(ev.ResponseDone)
            assert done.response.status == "completed"
            asked = talk.prompts()[-1]
            if change == "settings":
                assert asked[0] == "system: NEW"
                sent = sum(len(e.audio) for e in talk.of(ev.AudioDelta))
                (part,) = talk.said_by_agent()[0].content
                assert isinstance(part, AudioPart)
                assert sent == pytest.approx(part.duration_ms * 8, abs=8), "mu-law, 8 bytes a ms"
            elif change == "create":
                assert any("NEW" in message for message in asked)
            else:
                assert not any("GONE" in message for message in asked)
            assert talk.session.preemption.discards["stale"] >= 1


class TestEndsOnce:
    """A stopped reply died a second time: two ledger lines, and a hang-up that was interrupted."""

    @pytest.mark.parametrize("broken", ["model", "voice"])
    async def test_an_engine_that_raises_while_it_is_closed(self, broken: str) -> None:
        hung_up: list[str] = []

        async def hang_up(_: Arguments, facts: Facts) -> Output:
            return Output('{"ok": true}', lambda: hung_up.append("hung up"))

        tool = ServerTool(LOOK_UP, hang_up)
        answer = Answer(FIRST, ("look_up", "{}"))
        answers = (answer, "Fine.")  # only the interrupted reply wants to hang up
        async with conversation(heard=("bye", "wait stop now"), answers=answers) as talk:
            talk.session._context.tools.offer(tool)
            engine: Any = talk.engines.model if broken == "model" else talk.engines.synthesizer
            whole = engine.stream

            async def raising(*asked: Any) -> AsyncIterator[Any]:
                try:
                    async for piece in whole(*asked):
                        yield piece
                        await asyncio.sleep(0.05)
                finally:
                    raise EngineError("closing failed", stage="llm")

            engine.stream = raising
            await talk.speak(600)
            await talk.quiet(1600)
            engine.stream = whole
            await talk.speak(800)
            await talk.quiet(6000)
            turns = [record.turn_id for record in talk.log.recent()]
            assert len(turns) == len(set(turns))
            assert hung_up == [], "its reply was never played to its end"
            interrupted = [r for r in talk.log.recent() if r.end in ("interrupted", "failed")]
            assert len(interrupted) == 1
            assert len(talk.of(ev.ItemTruncated)) <= 1

    async def test_what_a_tool_wants_done_is_not_done_where_the_reply_failed(self) -> None:
        done: list[str] = []

        async def act(_: Arguments, facts: Facts) -> Output:
            return Output('{"ok": true}', lambda: done.append("done"))

        answers = (Answer("", ("look_up", "{}")), Answer("Good bye then.", fail_after_tokens=0))
        async with conversation(answers=answers) as talk:
            talk.session._context.tools.offer(ServerTool(LOOK_UP, act))
            await talk.speak(600)
            await talk.quiet(4000)
            assert [r.end for r in talk.log.recent()] == ["failed"]
            assert done == []


async def test_barge_in_hears_after_response_create_and_clear_in_mid_speech() -> None:
    async with conversation(heard=("wait stop now",), lead_ms=60) as talk:
        await talk.speak(400)
        talk.session.handle(cmd.CreateResponse())
        await talk.speak(200)
        talk.session.handle(cmd.ClearAudio())
        await talk.quiet(800)
        assert talk.session.explain()["agent"] == "speaking"
        await talk.speak(1000)
        await talk.quiet(100)
        assert talk.of(ev.OutputPaused)
        assert talk.of(ev.OutputAudioCleared), "the agent spoke on over a second of speech"


class TestOrderOfThePrompt:
    async def test_a_committed_turn_stays_before_what_was_added_after_it(self) -> None:
        settings = SessionSettings(transcription=Transcription(), turn_detection=None)
        async with conversation(heard=("first",), settings=settings) as talk:
            await talk.speak(600)
            talk.session.handle(cmd.CommitAudio())
            second = MessageItem(new_id("item"), "user", (TextPart("SECOND"),))
            talk.session.handle(cmd.CreateItem(second))
            talk.session.handle(cmd.CreateResponse())
            await talk.quiet(20)
            await asyncio.sleep(3)
            assert talk.prompts()[-1] == ["user: first SECOND"]

    async def test_of_two_quick_commits_both_are_in_the_prompt(self) -> None:
        settings = SessionSettings(transcription=Transcription(), turn_detection=None)
        async with conversation(heard=("first", "second"), settings=settings) as talk:
            for _ in range(2):
                await talk.speak(400)
                talk.session.handle(cmd.CommitAudio())
            talk.session.handle(cmd.CreateResponse())
            await asyncio.sleep(3)
            assert talk.prompts()[-1] == ["user: first second"]


class TestTextOnly:
    SETTINGS = SessionSettings(transcription=Transcription(), modality="text")
    SLOW = SIMULATED.model_copy(update={"llm_per_token": LatencySettings(mean_ms=50)})
    STORY = " ".join(f"word{n}" for n in range(60))

    async def test_a_noise_does_not_cancel_an_answer_that_is_being_read(self) -> None:
        async with conversation(
            heard=lambda n: "" if n else "tell me",
            answers=(self.STORY,),
            settings=self.SETTINGS,
            simulated=self.SLOW,
        ) as talk:
            await talk.speak(600)
            await talk.quiet(1000)
            assert talk.of(ev.TextDelta)
            await talk.speak(100)
            await talk.quiet(9000)
            (done,) = talk.of(ev.ResponseDone)
            assert done.response.status == "completed"
            assert [r.end for r in talk.log.recent()] == ["completed"]

    async def test_words_do(self) -> None:
        async with conversation(
            heard=("tell me", "wait stop now"),
            answers=(self.STORY, "Yes?"),
            settings=self.SETTINGS,
            simulated=self.SLOW,
        ) as talk:
            await talk.speak(600)
            await talk.quiet(1000)
            await talk.speak(800)
            await talk.quiet(9000)
            assert [d.response.status for d in talk.of(ev.ResponseDone)] == [
                "cancelled",
                "completed",
            ]


async def test_commit_over_the_agents_speech_is_a_turn() -> None:
    async with conversation(heard=("tell me", "yes please"), lead_ms=60) as talk:
        await talk.speak(600)
        await talk.quiet(1500)
        await talk.speak(200)
        assert talk.of(ev.OutputPaused)
        talk.session.handle(cmd.CommitAudio())
        await talk.quiet(4000)
        assert [r.end for r in talk.log.recent()] == ["interrupted", "completed"]
        with pytest.raises(ProtocolError, match=r"only has 0\.00 ms"):
            talk.session.handle(cmd.CommitAudio())


async def test_an_answer_that_takes_too_long_says_so_in_a_sentence() -> None:
    config = Settings.model_validate({"llm": {"total_timeout_ms": 500}, "simulated": SIMULATED})
    answer = Answer("One two three.", hang_after_tokens=2)
    async with conversation(answers=(answer,), config=config) as talk:
        await talk.speak(600)
        await talk.quiet(3000)
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.error == "llm: the answer is not whole after 500 ms"


class TestTruncateInProgress:
    """openai-agents' `interrupt()` truncates first, and cancels then or never."""

    STORY = " ".join(f"This is sentence number {n}." for n in range(30))

    @pytest.mark.parametrize("order", ["truncate cancel", "cancel truncate", "truncate"])
    async def test_history_keeps_what_was_played_whatever_the_order(self, order: str) -> None:
        async with conversation(answers=(self.STORY,)) as talk:
            await talk.speak(600)
            await talk.quiet(1500)
            item = talk.said_by_agent()[0]
            for what in order.split():
                talk.session.handle(
                    cmd.TruncateItem(item.id, 0, 700)
                    if what == "truncate"
                    else cmd.CancelResponse()
                )
            assert len(talk.of(ev.ItemTruncated)) <= 1
            await talk.quiet(90_000 if order == "truncate" else 2000)
            assert [e.audio_end_ms for e in talk.of(ev.ItemTruncated)] == [700]
            cut = talk.said_by_agent()[0]
            assert cut.status == "incomplete"
            (part,) = cut.content
            assert isinstance(part, AudioPart)
            assert part.duration_ms == 700
            assert cut.text
            assert self.STORY.startswith(cut.text)
            assert len(cut.text.split()) <= 4

    async def test_no_more_than_was_sent(self) -> None:
        async with conversation(answers=(self.STORY,)) as talk:
            await talk.speak(600)
            await talk.quiet(700)
            item = talk.said_by_agent()[0]
            with pytest.raises(ProtocolError, match="so far is shorter than 900000 ms"):
                talk.session.handle(cmd.TruncateItem(item.id, 0, 900_000))
            with pytest.raises(ProtocolError, match="part 1 of this item"):
                talk.session.handle(cmd.TruncateItem(item.id, 1, 10))

    @pytest.mark.parametrize("lead_ms", [None, 60])
    async def test_what_is_refused_changes_nothing(self, lead_ms: float | None) -> None:
        heard = ("tell me", "wait stop now")
        async with conversation(heard=heard, answers=(self.STORY,), lead_ms=lead_ms) as talk:
            await talk.speak(600)
            await talk.quiet(3000)
            await talk.speak(800)
            item = talk.said_by_agent()[0]
            assert item.status == "incomplete"
            for index, end_ms in ((0, 900_000), (1, 10)):
                with pytest.raises(ProtocolError):
                    talk.session.handle(cmd.TruncateItem(item.id, index, end_ms))
                assert talk.said_by_agent()[0] == item
            talk.session.handle(cmd.TruncateItem(item.id, 0, 100))
            assert len(talk.said_by_agent()[0].text) < len(item.text)


async def test_a_reference_to_an_item_that_is_deleted_next_is_still_answered() -> None:
    async with conversation() as talk:
        item: Item = MessageItem(new_id("item"), "user", (TextPart("What time is it?"),))
        talk.session.handle(cmd.CreateItem(item))
        talk.session.handle(cmd.CreateResponse(input=(cmd.ItemReference(item.id),)))
        talk.session.handle(cmd.DeleteItem(item.id))
        await asyncio.sleep(3)
        assert talk.prompts()[-1] == ["user: What time is it?"]
        assert talk.of(ev.ResponseDone)[0].response.status == "completed"


async def test_a_long_append_that_fails_is_told_and_the_session_goes_on() -> None:
    async with conversation() as talk:
        hear = talk.session._turns.hear

        def broken(audio: bytes) -> None:
            raise ValueError("a decoder's own error")

        talk.session._turns.hear = broken  # type: ignore[method-assign]
        talk.session.handle(cmd.AppendAudio(bytes(32 * 1000)))
        await asyncio.sleep(0.1)
        (told,) = talk.of(ev.SessionError)
        assert told.code == "server_error"
        talk.session._turns.hear = hear  # type: ignore[method-assign]
        await talk.speak(600)
        await talk.quiet(3000)
        assert talk.of(ev.ResponseDone)[0].response.status == "completed"


async def test_turn_detection_by_the_client_still_prepares_nothing() -> None:
    detection = TurnDetection(create_response=False)
    settings = SessionSettings(transcription=Transcription(), turn_detection=detection)
    async with conversation(settings=settings) as talk:
        await talk.speak(600)
        await talk.quiet(2000)
        assert talk.engines.model.started_requests == 0  # type: ignore[attr-defined]
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(3000)
        assert talk.of(ev.ResponseDone)[0].response.status == "completed"


async def test_a_response_that_the_client_asked_for_is_told_of_though_the_user_went_on_first() -> (
    None
):
    """Its words were not known yet, so nothing of it was: the client waited for ever."""
    slow = SIMULATED.model_copy(update={"asr": LatencySettings(mean_ms=1500)})
    options = TurnOptions(preemptive_generation="off")
    detection = TurnDetection(create_response=False)
    own = SessionSettings(turn_detection=detection, turns=options)
    async with conversation(settings=own, simulated=slow) as talk:
        await talk.speak(600)
        await talk.quiet(1100)
        assert talk.of(ev.AudioCommitted)
        talk.session.handle(cmd.CreateResponse(metadata={"mine": "1"}))
        await talk.quiet(100)
        await talk.speak(600)
        (done,) = talk.of(ev.ResponseDone)
        assert (done.response.status, done.response.reason) == ("cancelled", "turn_detected")
        assert done.response.metadata == {"mine": "1"}
        assert len(talk.of(ev.ResponseCreated)) == 1
