"""WebSockets are logged: a real server, a real client, a real database."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.call_log.harness import DEADLINE_S, call_settings, files_in, stored_calls
from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone
from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.query import CallWithTurns
from voicepipe.server.service import Service


def calls_section(folder: Path, **changes: Any) -> dict[str, Any]:
    settings = call_settings(folder, **changes).calls
    return {**settings.model_dump(), "database": settings.database.get_secret_value()}


async def ended_call(server: RunningServer, folder: Path) -> CallWithTurns:
    async with asyncio.timeout(DEADLINE_S):
        while not (found := stored_calls(folder)) or found[0].call["ended_at"] is None:
            assert await server.service.calls.flush(DEADLINE_S)
            await asyncio.sleep(0.01)
    return found[0]


async def test_a_spoken_turn_is_in_the_book_with_its_words_and_its_milliseconds(
    tmp_path: Path,
) -> None:
    async with running_server(calls=calls_section(tmp_path, record_audio=True)) as server:
        async with raw(server) as ws:
            await send(ws, type="input_audio_buffer.append", audio=tone(600))
            await send(ws, type="input_audio_buffer.append", audio=quiet(2000))
            await next_of(ws, "response.done")
            async with asyncio.timeout(DEADLINE_S):
                while not server.service.turn_log.recent():  # once it is played out
                    await asyncio.sleep(0.01)
        stored = await ended_call(server, tmp_path)
        (record,) = server.service.turn_log.recent()
    assert (stored.call["transport"], stored.call["end_reason"]) == ("realtime", "client left")
    assert stored.call["session_id"] == record.session_id
    assert stored.call["recording"] is None  # its sound is not recorded
    (turn,) = stored.turns
    assert turn["ledger"] == record.as_dict()
    assert turn["voice_to_voice_us"] == record.voice_to_voice_us
    assert turn["user_text"] == "what time is it"
    assert turn["agent_text"] == "It is half past seven. Can I do more for you?"


async def test_an_interrupted_answer_is_kept_as_heard(tmp_path: Path) -> None:
    answer = "One two three four five six seven eight nine ten. " * 6
    engines = simulated_engines(answers=[answer])
    async with running_server(engines, calls=calls_section(tmp_path)) as server:
        async with raw(server) as ws:
            item = {"type": "message", "role": "user"}
            content = [{"type": "input_text", "text": "count"}]
            await send(ws, type="conversation.item.create", item={**item, "content": content})
            await send(ws, type="response.create")
            await next_of(ws, "response.output_audio.delta")
            await asyncio.sleep(1.0)  # the client plays as long
            await send(ws, type="response.cancel")
            await next_of(ws, "response.done")
        stored = await ended_call(server, tmp_path)
    (turn,) = stored.turns
    assert turn["end"] == "cancelled"
    assert turn["user_text"] == "count"
    assert answer.startswith(turn["agent_text"])
    assert 0 < len(turn["agent_text"]) < len(answer) / 2


async def test_a_server_that_stops_says_so_in_the_book(tmp_path: Path) -> None:
    async with running_server(calls=calls_section(tmp_path)) as server, raw(server):
        await server.service.aclose()
        (stored,) = stored_calls(tmp_path)
        assert stored.call["end_reason"] == "server stopped"


async def test_without_the_setting_nothing_is_written(tmp_path: Path) -> None:
    async with running_server(calls=calls_section(tmp_path, enabled=False)) as server:
        async with raw(server):
            pass
    assert files_in(tmp_path) == []


async def test_a_server_does_not_start_without_the_database_it_was_told_to_keep(
    tmp_path: Path,
) -> None:
    (tmp_path / "calls.sqlite3").write_bytes(b"something else" * 50)
    service = Service(call_settings(tmp_path), simulated_engines())
    with pytest.raises(CallStoreError, match="not an SQLite database"):
        await service.start()
    assert service.failure is not None
    assert not service.ready
    await service.aclose()


async def test_personal_data_is_not_written_where_it_is_to_be_taken_out(tmp_path: Path) -> None:
    engines = simulated_engines(heard=("my card is 4111 1111 1111 1111",))
    section = calls_section(tmp_path, redact=["card"])
    async with running_server(engines, calls=section) as server:
        async with raw(server) as ws:
            told = {"type": "realtime", "voicepipe": {"turn_events": True}}
            await send(ws, type="session.update", session=told)
            await send(ws, type="input_audio_buffer.append", audio=tone(600))
            await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
            await next_of(ws, "voicepipe.turn")
        call = await ended_call(server, tmp_path)
    assert [turn["user_text"] for turn in call.turns] == ["my card is [card]"]
    assert b"4111 1111" not in await asyncio.to_thread(_whole, tmp_path)


def _whole(folder: Path) -> bytes:
    """All that is in the database's files."""
    return b"".join(file.read_bytes() for file in folder.glob("*.sqlite3*"))
