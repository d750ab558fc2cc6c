"""The same record in a real PostgreSQL: schema, turns, crash recovery, retention, commands."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.call_log.harness import (
    DEADLINE_S,
    START,
    WallTime,
    call_columns,
    call_settings,
    info,
    open_log,
    turn_record,
)
from tests.call_log.postgres_server import postgres
from tests.call_log.test_store import FIRST_SCHEMA
from voicepipe.call_log import retention, schema
from voicepipe.call_log.contract import CallStoreError, utc_now
from voicepipe.call_log.event_outbox import retry_events, waiting_events
from voicepipe.call_log.janitor import SERVER_STOPPED
from voicepipe.call_log.places import database_url
from voicepipe.call_log.query import CallFilter, CallWithTurns, every_call, find_call, newest_calls
from voicepipe.call_log.retention import delete_calls, of_caller, older_than
from voicepipe.call_log.rows import Row
from voicepipe.call_log.store import CallStore
from voicepipe.config import CallSettings, Settings


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture
def url(server: str) -> str:
    """An empty database."""
    execute(server, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return server


def execute(url: str, *statements: str) -> None:
    engine = create_engine(database_url(CallSettings.model_validate({"database": url})))
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def opened(url: str, *, create: bool = True) -> CallStore:
    return CallStore(database_url(CallSettings.model_validate({"database": url})), create=create)


def stored(url: str) -> list[CallWithTurns]:
    store = opened(url, create=False)
    with store.reading() as connection:
        found = list(every_call(connection, CallFilter()))
    store.close()
    return found


async def test_a_call_is_written_and_read_back(url: str, tmp_path: Path) -> None:
    now = WallTime()
    settings = call_settings(tmp_path, database=url, record_audio=True)
    async with open_log(settings, now) as log:
        call = log.begin(info(caller="nul\x00"))
        call.heard_from_caller(bytes(3200), log._clock.now())
        record = turn_record(1)
        call.turn(record, "half \ud83d nul \x00", 'It\'s 50 % "off"')
        now.advance(seconds=9)
        call.end("caller hung up")
        assert await log.flush(DEADLINE_S)
    (found,) = stored(url)
    assert found.call["ended_at"] - found.call["started_at"] == timedelta(seconds=9)
    assert found.call["started_at"] == START
    assert found.call["caller"] == "nul\ufffd"
    assert (tmp_path / "sound" / found.call["recording"]).exists()
    assert found.turns[0]["user_text"] == "half ? nul \ufffd"
    assert found.turns[0]["agent_text"] == 'It\'s 50 % "off"'
    assert found.turns[0]["ledger"] == record.as_dict()
    assert found.turns[0]["voice_to_voice_us"] == 302_000


async def test_questions_are_answered(url: str, tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path, database=url)) as log:
        kept = log.begin(info("sess_1"))
        kept.turn(turn_record(1), "", "")
        kept.end("Caller hung up")
        gone = log.begin(info("sess_2", caller="+49_%"))
        gone.end("lost")
    store = opened(url, create=False)
    with store.reading() as connection:
        assert find_call(connection, kept.id[:14]).call["id"] == kept.id
        by_reason = newest_calls(connection, CallFilter(reason="caller HUNG"), 10)
        by_caller = newest_calls(connection, CallFilter(caller="_%", since=START), 10)
        of_ledger = text("SELECT (ledger->'marks_ms'->>'endpoint')::float FROM turns")
        assert connection.execute(of_ledger).scalars().all() == [300.0]
    assert [one.call["id"] for one in by_reason] == [kept.id]
    assert [one.call["id"] for one in by_caller] == [gone.id]
    assert sum(delete_calls(store, tmp_path, of_caller("+49_%", store.seal))) == 1
    store.close()
    assert [one.call["id"] for one in stored(url)] == [kept.id]


async def test_older_tables_are_brought_forward_and_summed_up(url: str, tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path, database=url)) as log:
        call = log.begin(info())
        call.turn(turn_record(1), "what time is it", "Half past seven.")
        call.end("lost")
    execute(url, *FIRST_SCHEMA)
    async with open_log(call_settings(tmp_path, database=url)) as log:
        call = log.begin(info("sess_2", agent="desk"))
        record = turn_record(1, "sess_2", network={"playout": 40_000})
        call.turn(record, "what TIME is it", "Half past seven.")
        call.end("lost")
        assert await log.flush(DEADLINE_S)
        assert log.reader is not None
        wanted = CallFilter(text="time IS", slowest_ms=302)
        first = await log.reader.page(wanted, 1, None)
        assert first.next is not None
        second = await log.reader.page(wanted, 1, first.next)
    told = [(one["agent"] or "", one["slowest_ms"]) for one in (*first.calls, *second.calls)]
    assert sorted(told) == [("", 302.0), ("desk", 342.0)]


async def test_calls_of_a_silent_server_are_ended(url: str, tmp_path: Path) -> None:
    store = opened(url)
    seen = START + timedelta(minutes=1)
    server = {"id": "server_gone", "host": "another", "pid": 1, "version": "0"}
    with store.transaction() as connection:
        row = schema.servers.insert().values(**server, started_at=START, seen_at=seen)
        connection.execute(row)
        row = schema.calls.insert().values(**call_columns("call_left", "server_gone"))
        connection.execute(row)
    store.close()
    async with open_log(call_settings(tmp_path, database=url), WallTime(seen)):
        assert stored(url)[0].call["ended_at"] is None
    late = WallTime(seen + timedelta(minutes=5))
    async with open_log(call_settings(tmp_path, database=url), late):
        (found,) = stored(url)
    assert (found.call["end_reason"], found.call["ended_at"]) == (SERVER_STOPPED, seen)


async def test_a_lost_connection_loses_no_turn(url: str, tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path, database=url)) as log:
        call = log.begin(info())
        assert await log.flush(DEADLINE_S)
        for number in range(1, 6):
            execute(
                url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'voicepipe'",
            )
            call.turn(turn_record(number), f"question {number}", "")
        assert await log.flush(DEADLINE_S)
        call.end("done")
    (found,) = stored(url)
    assert [turn["number"] for turn in found.turns] == [1, 2, 3, 4, 5]


async def test_servers_that_start_at_once_make_one_schema(url: str) -> None:
    stores = await asyncio.gather(*(asyncio.to_thread(opened, url) for _ in range(4)))
    for store in stores:
        store.close()
    assert stored(url) == []


def test_tables_of_others_stay_if_their_names_are_free(url: str) -> None:
    execute(url, "CREATE TABLE recipes (name TEXT)")
    opened(url).close()
    execute(url, "DROP TABLE webhook_events, turns, calls, servers, voicepipe_schema")
    execute(url, "CREATE TABLE calls (name TEXT)")
    with pytest.raises(CallStoreError, match=r"not voicepipe's \(calls\)"):
        opened(url)


def test_a_missing_server_says_so(tmp_path: Path) -> None:
    with pytest.raises(CallStoreError, match=r"cannot be opened: connection .*No such file"):
        opened(f"postgresql://voice@/voice?host={tmp_path}")


async def test_events_for_webhooks_wait_in_order_and_change_hands(url: str, tmp_path: Path) -> None:
    hook = {"url": "https://example.com/hook", "secret": "whsec_" + "A" * 32}
    kept = call_settings(tmp_path, database=url).model_dump()
    settings = Settings.model_validate({**kept, "webhooks": {"mine": hook}})
    async with open_log(settings) as log:
        for session_id in ("sess_1", "sess_2"):
            call = log.begin(info(session_id))
            call.turn(turn_record(1, session_id), "question", "answer")
            call.end("done")
    async with open_log(settings) as next_log:  # its first look adopts them
        outbox = next_log.outbox
        assert outbox is not None
        seen = []
        for _ in range(3):
            due = outbox.due("mine", 10)
            assert len({one.call_id for one in due}) == len(due) == 2
            seen.append({one.type for one in due})
            outbox.failed(due[0], "no answer", final=True)
            outbox.delivered(due[1])
        assert seen == [{"call.answered"}, {"turn.completed"}, {"call.ended"}]
        assert outbox.due("mine", 10) == []
        store = opened(url, create=False)
        assert len(waiting_events(store, dead=True, limit=10)) == 3
        assert retry_events(store, (), utc_now()) == 3
        store.close()


async def test_a_caller_without_end_does_not_keep_the_others_from_being_written(
    url: str, tmp_path: Path
) -> None:
    """An index takes some 2,700 bytes; what it refuses is not the database's fault."""
    async with open_log(call_settings(tmp_path, database=url)) as log:
        log.begin(info("sess_1", caller=secrets.token_hex(4000))).end("done")
        log.begin(info("sess_2")).end("done")
        assert await log.flush(DEADLINE_S)
        assert log.counts.calls == 2
        assert log._writer is not None
        values = {
            **call_columns("call_x", log._context.server_id),
            "caller": secrets.token_hex(4000),
        }
        del values["id"]
        log._writer.row(Row("call", "call_x", values))
        log.begin(info("sess_3")).end("done")
        assert await log.flush(DEADLINE_S)
        assert (log.counts.calls, log.counts.lost_calls) == (3, 1)


def test_recordings_that_cannot_be_deleted_may_be_very_many(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement takes so many values and no more: 65,535."""
    store = opened(url)
    execute(
        url,
        "INSERT INTO servers VALUES ('server_1', 'h', 1, '1', now(), now(), NULL)",
        "INSERT INTO calls (id, server_id, session_id, door, carrier_call_id, caller, called, "
        "started_at, answered, ended_at, recording, lost_turns, lost_sound_s, profile, version) "
        "SELECT 'call_' || n, 'server_1', '', '', '', '', '', now(), true, now(), 'day/x.wav', "
        "0, 0, '', '' FROM generate_series(1, 66001) n",
    )
    monkeypatch.setattr(retention, "BATCH", 66_000)
    monkeypatch.setattr(retention, "_unlink", lambda folder, path: False)
    with pytest.raises(CallStoreError, match="66001 calls were not deleted"):
        list(delete_calls(store, tmp_path, older_than(utc_now() + timedelta(days=1))))
    store.close()
