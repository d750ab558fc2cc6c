"""Old calls go, with what was said and recorded; running and young ones stay."""

from __future__ import annotations

import socket
import sqlite3
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest

from tests.call_log.harness import (
    DEADLINE_S,
    START,
    WallTime,
    call_columns,
    call_settings,
    files_in,
    in_files,
    info,
    open_log,
    opened_store,
    set_columns,
    stored_calls,
    stored_servers,
    turn_record,
)
from voicepipe.call_log import janitor, retention, schema
from voicepipe.call_log.contract import CallStoreError, Counts
from voicepipe.call_log.janitor import Janitor
from voicepipe.call_log.retention import call_ids, delete_calls, older_than


async def make_calls(folder: Path, now: WallTime, count: int) -> list[str]:
    """Calls a day apart, each with a turn and a recording; the newest ends now."""
    ids: list[str] = []
    now.at = START - timedelta(days=count - 1)
    async with open_log(call_settings(folder, record_audio=True, retention_days=0), now) as log:
        for _ in range(count):
            call = log.begin(info(f"sess_{len(ids)}"))
            call.heard_from_caller(bytes(3200), log._clock.now())
            call.turn(turn_record(1), "what only I know", "indeed")
            call.end("done")
            assert await log.flush(DEADLINE_S)
            ids.append(call.id)
            now.advance(days=1)
    now.at = START
    return ids


def recordings(folder: Path) -> list[str]:
    return sorted(path.stem for path in files_in(folder / "sound"))


async def test_a_server_deletes_what_is_too_old_when_it_starts(tmp_path: Path) -> None:
    now = WallTime()
    ids = await make_calls(tmp_path, now, 10)
    now.advance(hours=1)
    async with open_log(call_settings(tmp_path, retention_days=3), now) as log:
        running = log.begin(info("sess_now"))
        while log.counts.deleted_calls < 7:
            assert await log.flush(DEADLINE_S)
        now.advance(days=30)  # it has been running all the time
    assert [one.call["id"] for one in stored_calls(tmp_path)] == [*ids[7:], running.id]
    assert recordings(tmp_path) == sorted(ids[7:])
    days = sorted(path.name for path in (tmp_path / "sound").iterdir())
    assert days == ["2026-11-19", "2026-11-20", "2026-11-21"]  # empty ones went too


async def test_what_was_said_is_wiped_from_the_file(tmp_path: Path) -> None:
    now = WallTime()
    await make_calls(tmp_path, now, 2)
    assert in_files(tmp_path, b"what only I know")
    store = opened_store(tmp_path)
    assert sum(delete_calls(store, tmp_path / "sound", older_than(START + timedelta(days=9)))) == 2
    store.close()  # the last to close writes the log back into the file
    assert not in_files(tmp_path, b"what only I know")
    assert recordings(tmp_path) == []


async def test_many_are_deleted_in_small_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    await make_calls(tmp_path, WallTime(), 5)
    store = opened_store(tmp_path)
    steps = delete_calls(store, tmp_path / "sound", older_than(START + timedelta(days=9)))
    assert list(steps) == [2, 2, 1]
    store.close()
    assert stored_calls(tmp_path) == []


async def test_a_call_whose_recording_cannot_be_deleted_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    ids = await make_calls(tmp_path, WallTime(), 5)
    (stuck,) = (path for path in files_in(tmp_path) if path.stem == ids[1])
    stuck.unlink()
    stuck.mkdir()  # unlink refuses it, for root too
    store = opened_store(tmp_path)
    with pytest.raises(CallStoreError, match=r"1 calls were not deleted.*recordings_dir"):
        list(delete_calls(store, tmp_path / "sound", older_than(START + timedelta(days=9))))
    store.close()
    assert [one.call["id"] for one in stored_calls(tmp_path)] == [ids[1]]


async def test_a_recording_that_is_gone_already_is_no_obstacle(tmp_path: Path) -> None:
    await make_calls(tmp_path, WallTime(), 1)
    for path in files_in(tmp_path / "sound"):
        path.unlink()
    store = opened_store(tmp_path)
    assert sum(delete_calls(store, tmp_path / "sound", older_than(START + timedelta(days=9)))) == 1
    store.close()


async def test_a_call_that_has_not_ended_is_never_deleted(tmp_path: Path) -> None:
    store = opened_store(tmp_path, create=True)
    server = {"host": "h", "pid": 1, "version": "", "started_at": START, "seen_at": START}
    with store.transaction() as connection:
        connection.execute(schema.servers.insert().values(id="server_x", **server))
        connection.execute(schema.calls.insert().values(**call_columns("call_x", "server_x")))
    every = schema.calls.c.id.is_not(None)
    assert list(delete_calls(store, tmp_path, every)) == []
    store.close()
    assert len(stored_calls(tmp_path)) == 1


async def test_servers_without_calls_are_forgotten_in_time(tmp_path: Path) -> None:
    now = WallTime()
    async with open_log(call_settings(tmp_path), now):
        pass
    now.advance(days=91)
    async with open_log(call_settings(tmp_path), now) as log:
        assert await log.flush(DEADLINE_S)  # the first chores are done before anything is written
        assert await log.flush(DEADLINE_S)
    assert [server.started_at for server in stored_servers(tmp_path)] == [now.at]


async def test_chores_that_fail_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = WallTime()
    await make_calls(tmp_path, now, 2)
    store = opened_store(tmp_path)
    counts = Counts()
    keeper = Janitor(store, tmp_path / "sound", now, counts, timedelta(hours=1))
    keeper.register()
    with sqlite3.connect(tmp_path / "calls.sqlite3") as holder:
        holder.execute("ALTER TABLE turns RENAME TO hidden")
    keeper.chores()
    assert "no such table: turns" in caplog.text
    with sqlite3.connect(tmp_path / "calls.sqlite3") as holder:
        holder.execute("ALTER TABLE hidden RENAME TO turns")
    holder.close()
    now.advance(hours=2)
    keeper.chores()
    assert counts.deleted_calls == 2
    keeper.retire()
    store.close()


async def test_what_another_machine_recorded_is_left_to_it_while_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several share a database; the recordings lie where they were made."""
    now = WallTime()
    monkeypatch.setattr(socket, "gethostname", lambda: "two")
    ids = await make_calls(tmp_path, now, 3)
    set_columns(tmp_path, ids[0], recording=None)
    now.advance(days=1)
    store = opened_store(tmp_path)
    two = Janitor(store, tmp_path / "sound", now, Counts(), timedelta(hours=1))
    two.register()
    monkeypatch.setattr(socket, "gethostname", lambda: "one")
    one = Janitor(store, tmp_path / "elsewhere", now, Counts(), timedelta(hours=1))
    one.register()
    one.chores()
    assert [kept.call["id"] for kept in stored_calls(tmp_path)] == ids[1:], "the first has no sound"
    set_columns(tmp_path, ids[1], ended_at=START + timedelta(days=1))
    monkeypatch.setattr(socket, "gethostname", lambda: "two")
    two.chores()
    assert [kept.call["id"] for kept in stored_calls(tmp_path)] == [ids[1]]
    assert set(recordings(tmp_path)) == {ids[0], ids[1]}
    two.retire()
    monkeypatch.setattr(socket, "gethostname", lambda: "one")
    now.advance(days=2)  # it does not come back
    one.chores()
    assert stored_calls(tmp_path) == []
    one.retire()
    store.close()


async def test_who_deletes_a_call_whose_sound_is_on_another_machine_is_told_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = WallTime()
    monkeypatch.setattr(socket, "gethostname", lambda: "two")
    ids = await make_calls(tmp_path, now, 3)
    set_columns(tmp_path, ids[0], recording=None)
    store = opened_store(tmp_path)
    Janitor(store, tmp_path / "sound", now, Counts(), None).register()
    monkeypatch.setattr(socket, "gethostname", lambda: "one")
    every = call_ids(ids)
    steps = delete_calls(store, tmp_path / "elsewhere", every, now)
    assert next(steps) == 1, "the first has no sound"
    with pytest.raises(CallStoreError, match=r"2 calls were not deleted.* lie on two: "):
        next(steps)
    assert [kept.call["id"] for kept in stored_calls(tmp_path)] == ids[1:]
    shared = delete_calls(store, tmp_path / "sound", call_ids(ids[1:2]), now)
    assert sum(shared) == 1, "its disk is within reach"
    now.advance(days=2)  # that machine does not come back
    assert sum(delete_calls(store, tmp_path / "elsewhere", every, now)) == 1
    store.close()


async def test_a_path_that_leads_elsewhere_is_never_touched(tmp_path: Path) -> None:
    (call_id,) = await make_calls(tmp_path, WallTime(), 1)
    precious = tmp_path / "precious.wav"
    precious.write_bytes(b"mine")
    for path in ("../precious.wav", str(precious)):
        set_columns(tmp_path, call_id, recording=path)
        store = opened_store(tmp_path)
        with pytest.raises(CallStoreError, match="1 calls were not deleted"):
            list(delete_calls(store, tmp_path / "sound", older_than(START + timedelta(days=9))))
        store.close()
    assert precious.read_bytes() == b"mine"


async def test_a_server_that_others_have_forgotten_writes_its_calls_again(tmp_path: Path) -> None:
    """It was away from the database for longer than calls are kept."""
    async with open_log(call_settings(tmp_path)) as log:
        assert await log.flush(DEADLINE_S)
        store = opened_store(tmp_path)
        with store.transaction() as connection:
            connection.execute(schema.servers.delete())
        store.close()
        assert log._janitor is not None
        log._janitor.chores()
        log.begin(info()).end("done")
        assert await log.flush(DEADLINE_S)
        assert (log.counts.calls, log.counts.lost_calls) == (1, 0)


async def test_a_clock_that_is_set_back_puts_nothing_off(tmp_path: Path) -> None:
    now = WallTime(START + timedelta(days=3000))  # until the network has told the time
    store, counts = opened_store(tmp_path, create=True), Counts()
    keeper = Janitor(store, tmp_path / "sound", now, counts, timedelta(days=3))
    keeper.register()
    keeper.chores()
    await make_calls(tmp_path, now, 2)
    now.advance(days=9)
    keeper.chores()
    assert counts.deleted_calls == 2
    keeper.retire()
    store.close()


async def test_calls_are_written_while_very_many_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def for_ever(*args: object) -> Iterator[int]:
        while not stop.is_set():
            time.sleep(0.01)
            yield 1

    stop = Event()
    monkeypatch.setattr(janitor, "delete_calls", for_ever)
    try:
        async with open_log(call_settings(tmp_path)) as log:
            log.begin(info()).end("done")
            assert await log.flush(10)
    finally:
        stop.set()
