"""A second reading of the seams of the turn: each failed once."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.session.clients_tool import CLIENTS_TOOL, FIRST, answer_the_call
from tests.session.harness import SIMULATED, conversation
from voicepipe.asr.contract import AsrOptions, Utterance
from voicepipe.config import LatencySettings
from voicepipe.conversation.items import (
    AudioPart,
    MessageItem,
    TextPart,
)
from voicepipe.llm.engines.simulated import Answer
from voicepipe.runtime.errors import LimitExceeded
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.ids import new_id
from voicepipe.session.settings import SessionSettings, Transcription, TurnDetection

pytestmark = pytest.mark.virtual_time


class TestSecondReading:
    """Faults that a second reader of the core found."""

    async def test_a_reply_behind_a_long_one_is_not_taken_for_stalled(self) -> None:
        long = " ".join(f"This is sentence number {n}." for n in range(14))
        answers = (Answer(long, ("look_up", "{}")), "It is in the second drawer.")
        async with conversation(answers=answers, settings=CLIENTS_TOOL) as talk:
            await talk.speak(600)
            await talk.quiet(600)
            await answer_the_call(talk)
            await talk.quiet(40_000)
            second = talk.said_by_agent()[1]
            assert (second.text, second.status) == ("It is in the second drawer.", "completed")

    @pytest.mark.parametrize("manual", [True, False])
    async def test_a_timer_does_not_ring_between_a_commit_and_its_answer(
        self, manual: bool
    ) -> None:
        detection = None if manual else TurnDetection(create_response=False)
        settings = SessionSettings(transcription=Transcription(), turn_detection=detection)
        async with conversation(settings=settings, answers=("It is noon.",)) as talk:
            await talk.speak(600)
            talk.session._announcements.add("Your timer is done.")
            if manual:
                talk.session.handle(cmd.CommitAudio())
            else:
                await talk.quiet(1500)
            talk.session.handle(cmd.CreateResponse())
            await asyncio.sleep(8)
            texts = [item.text for item in talk.said_by_agent()]
            assert texts == ["It is noon.", "Your timer is done."]

    async def test_keys_wait_for_the_reply_that_is_being_made(self) -> None:
        story = "One two three four five. Six seven eight nine ten eleven twelve. Thirteen."
        async with conversation(answers=(story,), lead_ms=200) as talk:
            await talk.speak(600)
            talk.session.handle(cmd.Dtmf("1"))
            await talk.quiet(12_000)
            created = talk.of(ev.ResponseCreated)
            done = talk.of(ev.ResponseDone)
            order = [e for e in talk.events if e in (*created, *done)]
            kinds = [type(e).__name__ for e in order]
            assert kinds == ["ResponseCreated", "ResponseDone"] * len(created)
            assert any("[keypad] 1" in message for message in talk.prompts()[-1])

    SLOW = SIMULATED.model_copy(update={"llm_per_token": LatencySettings(mean_ms=100)})

    async def test_keys_that_waited_are_not_answered_again_behind_the_next_turn(self) -> None:
        heard, answers = ("tell me", "wait stop now please"), (FIRST * 2, "One.", "Two.")
        async with conversation(heard=heard, answers=answers, simulated=self.SLOW) as talk:
            await talk.speak(600)
            talk.session.handle(cmd.Dtmf("1"))
            await talk.quiet(2200)  # the entry has ended, and waits for the reply
            await talk.speak(1000)  # which is interrupted
            await talk.quiet(15_000)
            assert "[keypad] 1" in talk.prompts()[-1][-1]
            done = [done.response.status for done in talk.of(ev.ResponseDone)]
            assert done == ["cancelled", "completed"]

    @pytest.mark.parametrize("command", [cmd.CancelResponse(), cmd.ClearOutput()])
    async def test_keys_that_waited_for_a_cancelled_reply_are_answered(
        self, command: cmd.Command
    ) -> None:
        async with conversation(
            answers=(FIRST * 2, "One."), simulated=self.SLOW, lead_ms=100
        ) as talk:
            await talk.speak(600)
            talk.session.handle(cmd.Dtmf("1"))
            await talk.quiet(2200)
            talk.session.handle(command)
            await talk.quiet(5000)
            done = [done.response.status for done in talk.of(ev.ResponseDone)]
            assert done == ["cancelled", "completed"]

    @pytest.mark.parametrize("lead_ms", [None, 100])
    async def test_keys_entered_in_a_noise_are_answered(self, lead_ms: float | None) -> None:
        """It was a turn of no words, which nobody answers."""
        async with conversation(heard=("",), lead_ms=lead_ms) as talk:
            talk.session.handle(cmd.Dtmf("1"))
            await talk.speak(600)
            talk.session.handle(cmd.Dtmf("#"))
            await talk.quiet(5000)
            assert talk.prompts()[-1] == ["user: [keypad] 1"]
            assert [d.response.status for d in talk.of(ev.ResponseDone)] == ["completed"]

    async def test_keys_make_a_prepared_reply_stale(self) -> None:
        async with conversation() as talk:
            talk.session.handle(cmd.Dtmf("1"))
            await talk.quiet(1300)
            await talk.speak(600)
            await talk.quiet(5000)  # the entry ends in the pause
            assert any("[keypad] 1" in m for asked in talk.prompts()[-1:] for m in asked)

    async def test_a_client_that_takes_the_turns_id_loses_no_answer(self) -> None:
        async with conversation() as talk:
            await talk.speak(400)
            taken = talk.of(ev.SpeechStarted)[0].item_id
            talk.session.handle(cmd.CreateItem(MessageItem(taken, "user", (TextPart("Mine."),))))
            await talk.quiet(5000)
            assert talk.of(ev.ResponseDone)[0].response.status == "completed"
            assert talk.session.at_rest

    async def test_a_response_cancelled_before_anything_of_it_is_told_of(self) -> None:
        settings = SessionSettings(transcription=Transcription(), turn_detection=None)
        async with conversation(settings=settings) as talk:
            await talk.speak(600)
            talk.session.handle(cmd.CommitAudio())
            talk.session.handle(cmd.CreateResponse())
            talk.session.handle(cmd.CancelResponse())
            await asyncio.sleep(1)
            assert len(talk.of(ev.ResponseCreated)) == 1
            assert [d.response.status for d in talk.of(ev.ResponseDone)] == ["cancelled"]


async def test_an_item_that_no_recognizer_takes_is_not_what_waits_for_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(options: AsrOptions) -> Utterance:
        raise LimitExceeded("no more at a time")

    detection = TurnDetection(create_response=False)
    async with conversation(settings=SessionSettings(turn_detection=detection)) as talk:
        await talk.speak(600)
        await talk.quiet(1500)
        known = talk.session._turns.dialog.known_turns
        assert len(known) == 1
        monkeypatch.setattr(talk.engines.recognizer, "open", refuse)
        sound = AudioPart(None, np.zeros(1600, np.int16), 100.0)
        item = MessageItem(new_id("item"), "user", (sound,))
        with pytest.raises(LimitExceeded):
            talk.session.handle(cmd.CreateItem(item))
        assert talk.session._turns.dialog.known_turns == known
