"""One spoken turn and its variations, in virtual time: events, history, ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.session.harness import conversation
from voicepipe.config import Settings
from voicepipe.conversation.items import AudioPart, MessageItem
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    TextDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
)
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings, Transcription, TurnDetection

pytestmark = pytest.mark.virtual_time


async def test_question_is_answered_aloud_and_events_come_in_wire_order() -> None:
    async with conversation() as talk:
        await talk.quiet(200)
        await talk.speak(1000)
        await talk.quiet(3000)
        assert talk.names(ev.AudioDelta, ev.TextDelta) == [
            "SpeechStarted",
            "UserTranscriptDelta",  # "what", while they speak
            "UserTranscriptDelta",  # " time"
            "SpeechStopped",
            "AudioCommitted",
            "ItemAdded",
            "ItemDone",
            "UserTranscriptDelta",  # the rest
            "UserTranscript",
            "ResponseCreated",
            "OutputItemAdded",
            "ItemAdded",
            "PartAdded",
            "AudioDone",
            "TextDone",
            "PartDone",
            "ItemDone",
            "OutputItemDone",
            "ResponseDone",
        ]
        assert talk.of(ev.UserTranscript)[0].transcript == "what time is it"
        done = talk.of(ev.ResponseDone)[0].response
        assert done.status == "completed"
        assert sum(len(a.audio) for a in talk.of(ev.AudioDelta)) > 16_000
        texts = [i.text for i in talk.session.conversation.items if isinstance(i, MessageItem)]
        assert texts == ["what time is it", "It is half past seven. Can I do more for you?"]


async def test_ledger_adds_up_and_shows_what_speculation_saved() -> None:
    async with conversation() as talk:
        await talk.speak(1000)
        await talk.quiet(5000)
        (record,) = talk.log.recent()
        assert record.end == "completed"
        assert record.preemption == "hit"
        critical = record.critical
        assert critical is not None
        assert sum(critical.values()) == record.marks["audio_out"]
        # endpoint 300; before it 120 + asr 100 + ...: the rest of asr+llm+tts lies behind it
        assert critical["endpoint"] == pytest.approx(300_000, abs=21_000)
        assert critical["asr"] == 0
        assert record.voice_to_voice_us == pytest.approx(440_000, abs=45_000)


async def test_without_speculation_every_stage_is_on_the_critical_path() -> None:
    config = Settings(turns=TurnOptions(preemptive_generation="off"))
    async with conversation(config=config) as talk:
        await talk.speak(1000)
        await talk.quiet(5000)
        (record,) = talk.log.recent()
        assert record.preemption == "none"
        assert record.critical is not None
        assert record.critical["asr"] == pytest.approx(100_000, abs=1000)
        assert record.critical["llm"] == pytest.approx(100_000, abs=1000)
        assert record.critical["tts"] == pytest.approx(60_000, abs=1000)


async def test_pause_inside_a_turn_discards_what_was_prepared_and_speaks_nothing_of_it() -> None:
    async with conversation(heard=("set a timer", "set a timer for ten minutes")) as talk:
        await talk.speak(600)
        await talk.quiet(240)  # eager end, reply prepared
        await talk.speak(600)
        assert not talk.of(ev.ResponseCreated)
        await talk.quiet(4000)
        (record,) = talk.log.recent()
        assert record.discards == 1
        assert record.preemption == "hit"
        assert len(talk.of(ev.ResponseCreated)) == 1
        assert len(talk.of(ev.SpeechStarted)) == 1


async def test_barge_in_stops_the_agent_and_history_keeps_what_was_heard() -> None:
    long = "One two three four five. Six seven eight nine ten eleven twelve. Thirteen fourteen."
    async with conversation(answers=(long, "Yes."), heard=("tell me", "wait stop now")) as talk:
        await talk.speak(600)
        await talk.quiet(2200)
        assert talk.of(ev.ResponseCreated)
        await talk.speak(800)
        await talk.quiet(3000)
        first, second = talk.of(ev.ResponseCreated)
        items = [i for i in talk.session.conversation.items if isinstance(i, MessageItem)]
        assert [i.role for i in items] == ["user", "assistant", "user", "assistant"]
        assert items[1].text != long
        assert long.startswith(items[1].text)
        assert items[1].text.startswith("One two")
        assert items[1].status == "incomplete"
        ends = [r.end for r in talk.log.recent()]
        assert ends == ["interrupted", "completed"]
        assert first.response.id != second.response.id


async def test_wire_hears_of_the_barge_in_before_the_response_is_closed() -> None:
    async with conversation(lead_ms=60, heard=("tell me", "wait stop now")) as talk:
        await talk.speak(600)
        await talk.quiet(1400)
        await talk.speak(800)
        names = talk.names()
        closed = talk.of(ev.ResponseDone)[0].response
        assert (closed.status, closed.reason) == ("cancelled", "turn_detected")
        assert names.index("ResponseDone") > names.index("SpeechStarted", 1)


async def test_paced_output_pauses_at_once_and_resumes_after_a_backchannel() -> None:
    async with conversation(heard=("tell me", "mhm"), lead_ms=60) as talk:
        await talk.speak(600)
        await talk.quiet(1400)
        assert talk.phone.heard
        await talk.speak(200)  # too short to interrupt
        heard = talk.phone.heard
        await talk.quiet(100)
        assert talk.phone.heard == heard  # held while it is judged
        await talk.quiet(4000)
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.status == "completed"
        assert len(talk.of(ev.SpeechStarted)) == 1
        assert talk.log.recent()[0].end == "completed"


async def test_user_who_goes_on_right_after_the_endpoint_gets_one_answer_to_both_parts() -> None:
    async with conversation(heard=("book a table", "for two people")) as talk:
        await talk.speak(600)
        await talk.quiet(400)  # the endpoint has passed, nothing is audible for long
        await talk.speak(600)
        await talk.quiet(4000)
        request = talk.engines.model.requests[-1]  # type: ignore[attr-defined]
        users = [m.content for m in request.messages if m.role == "user"]
        assert users == ["book a table for two people"]
        assert talk.log.recent()[0].end == "reopened"
        assert talk.log.recent()[-1].end == "completed"


async def test_nothing_intelligible_is_not_answered() -> None:
    async with conversation(heard=("",)) as talk:
        await talk.speak(300)
        await talk.quiet(2000)
        assert not talk.of(ev.ResponseCreated)
        assert talk.of(ev.AudioCommitted)
        assert talk.log.recent()[0].end == "no_speech"
        await talk.speak(600)
        await talk.quiet(1000)
        assert len(talk.of(ev.SpeechStarted)) == 2


async def test_client_that_stops_sending_in_mid_speech_is_answered() -> None:
    async with conversation() as talk:
        await talk.speak(800)
        import asyncio

        await asyncio.sleep(6)
        assert talk.of(ev.ResponseDone)[0].response.status == "completed"


async def test_push_to_talk_answers_only_when_asked() -> None:
    settings = SessionSettings(turn_detection=None)
    async with conversation(settings=settings) as talk:
        await talk.speak(800)
        await talk.quiet(1000)
        assert talk.names() == []
        talk.session.handle(cmd.CommitAudio())
        await talk.quiet(500)
        assert talk.names() == ["AudioCommitted", "ItemAdded", "ItemDone"]
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(4000)
        assert talk.of(ev.ResponseDone)[0].response.status == "completed"
        assert talk.log.recent()[0].origin == "commit"


async def test_turns_are_not_answered_where_the_client_answers_itself() -> None:
    settings = SessionSettings(turn_detection=TurnDetection(create_response=False))
    async with conversation(settings=settings) as talk:
        await talk.speak(600)
        await talk.quiet(1500)
        assert not talk.of(ev.ResponseCreated)
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(3000)
        assert talk.of(ev.ResponseDone)[0].response.status == "completed"


async def test_what_the_client_has_cut_is_not_cut_again_when_the_reply_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with conversation(heard=("tell me", "wait stop now")) as talk:
        await talk.speak(600)
        await talk.quiet(1400)
        answer = talk.of(ev.AudioDelta)[0].ref.item_id
        talk.session.handle(cmd.TruncateItem(answer, 0, 100))
        monkeypatch.setattr(talk.session.conversation, "clear", lambda: None)
        await talk.session.aclose()  # in mid-answer
        item = talk.session.conversation.get(answer)
        assert isinstance(item, MessageItem)
        assert [p.duration_ms for p in item.content if isinstance(p, AudioPart)] == [100]


async def test_ended_session_holds_neither_sound_nor_words() -> None:
    async with conversation(heard=("tell me", "wait stop now")) as talk:
        await talk.speak(600)
        await talk.quiet(3000)
        assert len(talk.session.conversation)
        await talk.session.aclose()
        assert len(talk.session.conversation) == 0


async def test_a_leg_with_nothing_to_clear_is_no_error_but_a_session_without_one_is() -> None:
    async with conversation(lead_ms=60) as talk:
        talk.session.handle(cmd.ClearOutput())
        assert talk.of(ev.OutputAudioCleared) == []
    async with conversation() as talk:
        with pytest.raises(ProtocolError, match="here the client does"):
            talk.session.handle(cmd.ClearOutput())


async def test_a_leg_is_told_of_by_events_and_its_client_needs_no_truncation() -> None:
    async with conversation(lead_ms=60, heard=("tell me", "wait stop now", "go on")) as talk:
        await talk.speak(600)
        await talk.quiet(1400)
        await talk.speak(800)
        await talk.quiet(200)
        heard_ms = talk.of(ev.ItemTruncated)[0].audio_end_ms
        assert talk.phone.heard_ms == pytest.approx(heard_ms, abs=1)
        await talk.quiet(6000)
        playback = [
            type(e).__name__
            for e in talk.events
            if isinstance(
                e,
                ev.OutputAudioStarted
                | ev.OutputAudioStopped
                | ev.OutputAudioCleared
                | ev.ItemTruncated
                | ev.ResponseDone,
            )
        ]
        assert playback == [
            *("OutputAudioStarted", "ResponseDone", "OutputAudioCleared", "ItemTruncated"),
            *("OutputAudioStarted", "ResponseDone", "OutputAudioStopped"),
        ]
        assert talk.of(ev.AudioDelta) == []
        assert all(r.voice_to_voice_us for r in talk.log.recent())


async def test_two_messages_of_one_response_are_cut_each_by_its_own_audio() -> None:
    async def stream(request: ChatRequest) -> AsyncIterator[Delta]:
        yield TextDelta("One two three four five six. ")
        yield ToolCallDelta(ToolCall("call_1", "note", "{}"))
        yield TextDelta("Seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen.")
        yield Finish("stop")

    tools = (Tool("note", "", {"type": "object"}),)
    wanted = SessionSettings(tools=tools, transcription=Transcription())
    async with conversation(lead_ms=60, settings=wanted, heard=("tell me", "wait stop")) as talk:
        talk.engines.model.stream = stream  # type: ignore[method-assign]
        await talk.speak(600)
        await talk.quiet(3500)
        await talk.speak(800)
        await talk.quiet(100)
        first, second = (
            item
            for item in talk.session.conversation.items
            if isinstance(item, MessageItem) and item.role == "assistant"
        )
        assert first.text.strip() == "One two three four five six."
        assert first.status == "completed"
        assert second.text.startswith("Seven eight")
        assert "sixteen" not in second.text
        (cut,) = talk.of(ev.ItemTruncated)
        assert cut.item_id == second.id
        assert talk.phone.heard_ms == pytest.approx(
            cut.audio_end_ms + 1000 * len("One two three four five six.") / 15, abs=80
        )


async def test_the_way_to_the_user_is_in_the_ledger_once_it_is_known() -> None:
    async with conversation(lead_ms=60) as talk:
        await talk.speak(600)
        await talk.quiet(6000)
        talk.session.network(round_trip_ms=40)
        talk.session.network(playout_ms=70)
        await talk.speak(600)
        await talk.quiet(6000)
        before, after = talk.log.recent()
        assert (before.network_us, before.as_dict()["network_ms"]) == (None, {})
        assert "heard" not in before.marks
        assert after.as_dict()["network_ms"] == {"up": 20.0, "down": 20.0, "playout": 70.0}
        assert after.marks["heard"] - after.marks["audio_out"] == 90_000
        assert "network" in after.over_budget, "110 ms of 80"
        assert after.voice_to_voice_us == sum((after.critical or {}).values())
