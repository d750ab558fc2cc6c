"""Calls as a transport reports them, and as they are read back."""

from __future__ import annotations

import json
import stat
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.call_log.harness import (
    DEADLINE_S,
    START,
    WallTime,
    call_settings,
    files_in,
    in_files,
    info,
    open_log,
    stored_calls,
    stored_servers,
    turn_record,
)
from tests.call_log.test_recording import read_stereo
from voicepipe import __version__
from voicepipe.audio.formats import PCMU_8K
from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.log import CallLog
from voicepipe.call_log.rows import MAX_TOOL_CHARS
from voicepipe.call_log.texts import TurnTexts
from voicepipe.config import Settings
from voicepipe.conversation.history import Conversation
from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    McpCallItem,
    MessageItem,
)
from voicepipe.ledger.log import TurnLog
from voicepipe.runtime.clock import ManualClock, MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.whatif.recorded import read_recording


async def test_a_call_is_written_down_whole(tmp_path: Path) -> None:
    now = WallTime()
    async with open_log(call_settings(tmp_path), now) as log:
        call = log.begin(info())
        now.advance(seconds=5)
        record = turn_record(1)
        assert call.turn(record, "what time is it", "It is half past")
        now.advance(seconds=55)
        call.end("caller hung up")
        call.end("a second end")
        assert await log.flush(DEADLINE_S)
        assert (log.counts.calls, log.counts.turns) == (1, 1)
    (stored,) = stored_calls(tmp_path)
    found = stored.call
    assert found["id"] == call.id
    assert found["session_id"] == "sess_1"
    assert (found["transport"], found["carrier_call_id"]) == ("twilio", "CA1")
    assert (found["caller"], found["called"]) == ("+4912345", "+4967890")
    assert (found["started_at"], found["ended_at"]) == (START, START + timedelta(seconds=60))
    assert found["answered"] is True
    assert found["end_reason"] == "caller hung up"
    assert (found["profile"], found["version"]) == ("builtin", __version__)
    assert (found["recording"], found["lost_turns"], found["lost_sound_s"]) == (None, 0, 0)
    (turn,) = stored.turns
    assert (turn["number"], turn["turn_id"], turn["end"]) == (1, "turn_1", "completed")
    assert turn["recorded_at"] == START + timedelta(seconds=5)
    assert (turn["user_text"], turn["agent_text"]) == ("what time is it", "It is half past")
    assert turn["voice_to_voice_us"] == record.voice_to_voice_us == 302_000
    assert turn["ledger"] == record.as_dict()
    assert turn["ledger"]["route"] == {"llm": "primary"}


async def test_an_export_line_is_what_whatif_reads(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path)) as log:
        for number in (1, 2):
            call = log.begin(info(f"sess_{number}"))
            call.turn(turn_record(number, f"sess_{number}"), "", "")
            call.end("done")
    lines = [json.dumps(one.as_dict()) for one in stored_calls(tmp_path)]
    recording = read_recording("\n".join(lines), "calls.jsonl")
    assert [turn.turn_id for turn in recording.turns] == ["turn_1", "turn_2"]
    assert [turn.voice_to_voice_us for turn in recording.turns] == [302_000] * 2
    assert not recording.left_out


async def test_texts_are_kept_only_if_the_operator_wants_them(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path, store_text=False)) as log:
        call = log.begin(info())
        call.turn(turn_record(1), "my secret", "I heard my secret")
        call.end("done")
    (stored,) = stored_calls(tmp_path)
    assert stored.turns[0]["user_text"] is None
    assert stored.turns[0]["agent_text"] is None
    assert not in_files(tmp_path, b"secret")


async def test_texts_that_databases_refuse_are_made_storable(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path)) as log:
        call = log.begin(info(caller="anonym\x00us"))
        call.turn(turn_record(1), "half a pair \ud83d", "nul \x00")
        call.end("bye \ud83d")
    (stored,) = stored_calls(tmp_path)
    assert stored.turns[0]["user_text"] == "half a pair ?"
    assert stored.turns[0]["agent_text"] == "nul \ufffd"
    assert stored.call["caller"] == "anonym\ufffdus"


async def test_the_turn_log_brings_turns_and_the_conversation_their_words(tmp_path: Path) -> None:
    conversation, turn_log = Conversation(), TurnLog()
    async with open_log(call_settings(tmp_path)) as log:
        turn_log.watch(log.turn_finished)
        call = log.begin(info(), conversation)
        conversation.insert(MessageItem("g", "assistant", (AudioPart("Good day."),)))
        conversation.insert(MessageItem("u1", "user", (AudioPart("what time is it"),)))
        conversation.insert(MessageItem("a1", "assistant", (AudioPart("Half past.", None, 900),)))
        turn_log.add(turn_record(1))
        turn_log.add(turn_record(9, "sess_of_another_transport"))
        conversation.insert(MessageItem("u2", "user", (AudioPart("and"),)))
        turn_log.add(turn_record(2, end="reopened"))
        reopened = MessageItem("u2", "user", (AudioPart("and the weather"),))
        conversation.replace(reopened)
        conversation.insert(MessageItem("a2", "assistant", (AudioPart("It is warm.", None, 900),)))
        conversation.truncate("a2", 0, 400)
        turn_log.add(turn_record(3, end="interrupted"))
        call.end("done")
        turn_log.add(turn_record(4))  # after the end nobody listens
    (stored,) = stored_calls(tmp_path)
    said = [(turn["user_text"], turn["agent_text"]) for turn in stored.turns]
    assert said == [
        ("what time is it", "Good day. Half past."),
        ("and", ""),
        ("and the weather", "It is"),
    ]


async def test_what_tools_were_asked_and_answered_is_kept_with_its_turn(tmp_path: Path) -> None:
    conversation, turn_log = Conversation(), TurnLog()
    async with open_log(call_settings(tmp_path, redact=["card"])) as log:
        turn_log.watch(log.turn_finished)
        call = log.begin(info(), conversation)
        conversation.insert(FunctionCallItem("f1", "call_1", "pay", '{"card": "4111111111111111"}'))
        conversation.insert(FunctionCallItem("f2", "call_2", "look_up", "{}"))  # still runs
        conversation.insert(FunctionOutputItem("o1", "call_1", '{"paid": true}'))
        conversation.insert(FunctionCallItem("f3", "call_3", "get_digits", "{}"))
        conversation.insert(FunctionOutputItem("o3", "call_3", '{"digits": "4711"}'))
        turn_log.add(turn_record(1))
        conversation.insert(FunctionOutputItem("o2", "call_2", "x" * 9000))
        conversation.insert(McpCallItem("m1", "diary", "book", "{}", None, "taken", "completed"))
        turn_log.add(turn_record(2))
        turn_log.add(turn_record(3))
        call.end("done")
    (stored,) = stored_calls(tmp_path)
    first, second, third = (turn["tool_calls"] for turn in stored.turns)
    assert first == [{"name": "pay", "arguments": '{"card": "[card]"}', "result": '{"paid": true}'}]
    assert [one["name"] for one in second] == ["look_up", "book"]
    assert len(second[0]["result"]) == MAX_TOOL_CHARS
    assert second[1]["result"] == "taken"
    assert third == []
    assert not in_files(tmp_path, b"4711")
    assert not in_files(tmp_path, b"4111111111111111")


async def test_half_a_number_does_not_stay_where_a_tools_text_is_cut(tmp_path: Path) -> None:
    conversation, turn_log = Conversation(), TurnLog()
    async with open_log(call_settings(tmp_path, redact=["card"])) as log:
        turn_log.watch(log.turn_finished)
        log.begin(info(), conversation)
        conversation.insert(FunctionCallItem("f1", "call_1", "look_up", "{}"))
        long = "x" * (MAX_TOOL_CHARS - 9) + " 4111111111111111 " + "y" * 9000
        conversation.insert(FunctionOutputItem("o1", "call_1", long))
        turn_log.add(turn_record(1))
    (call,) = stored_calls(tmp_path)[0].turns[0]["tool_calls"]
    assert call["result"].endswith("x [card] y")
    assert len(call["result"]) == MAX_TOOL_CHARS


async def test_keys_that_were_asked_for_stay_hidden_in_what_tools_are_told_later(
    tmp_path: Path,
) -> None:
    conversation, turn_log = Conversation(), TurnLog()
    async with open_log(call_settings(tmp_path)) as log:
        turn_log.watch(log.turn_finished)
        log.begin(info(), conversation)

        def called(number: int, name: str, arguments: str, result: str) -> None:
            conversation.insert(FunctionCallItem(f"f{number}", f"c{number}", name, arguments))
            conversation.insert(FunctionOutputItem(f"o{number}", f"c{number}", result))

        called(1, "get_digits", "{}", '{"digits": "0471", "ended_by": "count"}')
        called(2, "verify_pin", '{"pin": "0471"}', "0471 is right")
        turn_log.add(turn_record(1))
        called(3, "get_digits", "{}", '{"digits": "2", "ended_by": "count"}')
        conversation.delete("o1")
        turn_log.add(turn_record(2))
        called(4, "again", '{"pin": 471, "spaced": "0 4-7 1", "rooms": 2}', '{"digits": "no"}')
        turn_log.add(turn_record(3))
    first, second, third = (turn["tool_calls"] for turn in stored_calls(tmp_path)[0].turns)
    (pin,) = first
    assert (pin["arguments"], pin["result"]) == ('{"pin": "[digits]"}', "[digits] is right")
    assert second == []
    told = '{"pin": [digits], "spaced": "[digits]", "rooms": 2}'
    assert [one["arguments"] for one in third] == [told]
    assert not in_files(tmp_path, b"0471")


def test_what_has_left_the_conversation_is_not_remembered() -> None:
    conversation = Conversation()
    texts = TurnTexts(conversation)
    for number in range(50):
        conversation.insert(MessageItem(f"u{number}", "user", (AudioPart("hello"),)))
        conversation.insert(FunctionCallItem(f"f{number}", f"c{number}", "look_up", "{}"))
        conversation.insert(FunctionOutputItem(f"o{number}", f"c{number}", "found"))
        assert texts.take() == ("hello", "")
        assert len(texts.take_calls()) == 1
        for kind in "ufo":
            conversation.delete(f"{kind}{number}")
    texts.take()
    texts.take_calls()
    assert (texts._told, texts._told_calls) == ({}, set())


async def test_what_tools_said_is_kept_only_if_the_operator_wants_texts(tmp_path: Path) -> None:
    conversation, turn_log = Conversation(), TurnLog()
    async with open_log(call_settings(tmp_path, store_text=False)) as log:
        turn_log.watch(log.turn_finished)
        log.begin(info(), conversation)
        conversation.insert(FunctionCallItem("f1", "call_1", "pay", '{"to": "Ann"}'))
        conversation.insert(FunctionOutputItem("o1", "call_1", "paid"))
        turn_log.add(turn_record(1))
    assert stored_calls(tmp_path)[0].turns[0]["tool_calls"] == []


async def test_a_call_is_recorded_on_its_own_time_line(tmp_path: Path) -> None:
    clock = ManualClock(1000.0)
    async with open_log(call_settings(tmp_path, record_audio=True), clock=clock) as log:
        assert log.consent == ""
        call = log.begin(info(wire=PCMU_8K))
        assert call.recording
        for _ in range(150):  # 3 s; the agent answers after one, is cut after two
            clock.advance(0.02)
            call.heard_from_caller(b"\x80" * 160, clock.now())
            if clock.now() == pytest.approx(1001.0):
                call.played_to_caller(b"\x00" * 16_000, clock.now())
            if clock.now() == pytest.approx(1002.0):
                call.flushed(clock.now())
        call.end("caller hung up")
        assert not call.recording
    (stored,) = stored_calls(tmp_path)
    path = tmp_path / "sound" / stored.call["recording"]
    assert stored.call["recording"] == f"2026-11-21/{call.id}.wav"
    assert stored.call["recording_started_at"] == START
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    samples, rate = read_stereo(path)
    assert (len(samples), rate) == (24_000, 8000)
    assert (samples[:, 0] == 32_124).all()
    loud = np.flatnonzero(samples[:, 1])
    assert (loud[0], loud[-1], loud.size) == (8000, 15_999, 8000)


async def test_nothing_is_recorded_before_consent(tmp_path: Path) -> None:
    clock = ManualClock(50.0)
    changes = {"record_audio": True, "consent": "This call is recorded."}
    async with open_log(call_settings(tmp_path, **changes), clock=clock) as log:
        assert log.consent == "This call is recorded."
        silent, call = log.begin(info("sess_1")), log.begin(info("sess_2"))
        for one in (silent, call):
            assert not one.recording
            one.heard_from_caller(b"\x01\x02" * 16_000, clock.now())
        clock.advance(5)
        call.consented()
        call.consented()
        assert call.recording
        clock.advance(1)
        call.heard_from_caller(b"\x03\x04" * 16_000, clock.now())
        silent.end("hung up before")
        call.end("done")
    before, after = stored_calls(tmp_path)
    assert before.call["recording"] is None
    samples, rate = read_stereo(tmp_path / "sound" / after.call["recording"])
    assert len(samples) == rate  # of the second after consent only
    assert samples[100:-100, 0].all()


async def test_switched_off_it_does_nothing_and_never_complains(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"calls": {"database": f"sqlite:///{tmp_path}/no/calls.sqlite3", "consent": "Recorded."}}
    )
    log = CallLog(settings, MonotonicClock())
    await log.start()
    call = log.begin(info())
    assert (call.id, call.recording, log.consent) == ("", False, "")
    call.consented()
    call.heard_from_caller(b"12", 0.0)
    call.played_to_caller(b"12", 0.0)
    call.flushed(0.0)
    assert call.turn(turn_record(1), "", "")
    log.turn_finished(turn_record(2))
    call.end("done")
    assert await log.flush(1)
    assert await log.aclose(1)
    assert files_in(tmp_path) == []


async def test_recording_without_records_is_a_mistake_that_is_named(tmp_path: Path) -> None:
    log = CallLog(call_settings(tmp_path, enabled=False, record_audio=True), MonotonicClock())
    with pytest.raises(ConfigError, match=r"set calls\.enabled = true"):
        await log.start()


async def test_a_database_that_cannot_be_used_fails_the_start(tmp_path: Path) -> None:
    (tmp_path / "calls.sqlite3").write_bytes(b"no database" * 100)
    log = CallLog(call_settings(tmp_path), MonotonicClock())
    with pytest.raises(CallStoreError, match="not an SQLite database"):
        await log.start()
    assert await log.aclose(1)


async def test_calls_that_run_when_the_server_stops_are_ended_by_it(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path, record_audio=True)) as log:
        call = log.begin(info())
        call.heard_from_caller(bytes(3200), log._clock.now())
    (stored,) = stored_calls(tmp_path)
    assert stored.call["end_reason"] == "server stopped"
    assert stored.call["ended_at"] == START
    (server,) = stored_servers(tmp_path)
    assert server.stopped_at == START
