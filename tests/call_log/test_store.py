"""The database as it is found: made, foreign, newer, older, locked; and who may read it."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from tests.call_log.harness import (
    call_settings,
    info,
    open_log,
    opened_store,
    stored_calls,
    turn_record,
)
from voicepipe.call_log import schema, store
from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.places import database_url, recordings_dir
from voicepipe.call_log.query import CallFilter
from voicepipe.call_log.store import CallStore, _place
from voicepipe.call_log.summaries import page_of_calls
from voicepipe.config import CallSettings
from voicepipe.runtime.paths import data_dir

FIRST_SCHEMA = (
    "DROP TABLE webhook_events",
    "ALTER TABLE calls DROP COLUMN live_id",
    "ALTER TABLE calls DROP COLUMN agent",
    "ALTER TABLE calls DROP COLUMN key_name",
    "ALTER TABLE turns DROP COLUMN waited_us",
    "ALTER TABLE turns DROP COLUMN tool_calls",
    "UPDATE voicepipe_schema SET version = 1",
)
"""Today's tables as they were at the beginning; PostgreSQL reads it too."""


def file_of(folder: Path) -> Path:
    return folder / "calls.sqlite3"


def test_it_is_made_with_its_folder_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "place"
    opened = opened_store(folder, create=True)
    with opened.transaction() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    files = sorted(path.name for path in folder.iterdir())
    assert files == ["calls.sqlite3", "calls.sqlite3-shm", "calls.sqlite3-wal"]
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    opened.close()
    opened_store(folder).close()  # the second time it is there
    assert stored_calls(folder) == []


def test_a_command_makes_no_database(tmp_path: Path) -> None:
    with pytest.raises(CallStoreError, match=r"no calls' database at .*calls\.enabled = true"):
        opened_store(tmp_path)
    assert list(tmp_path.iterdir()) == []
    file_of(tmp_path).touch()
    with pytest.raises(CallStoreError, match="is empty: no calls were ever written"):
        opened_store(tmp_path)


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(file_of(tmp_path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    with pytest.raises(CallStoreError, match=r"not voicepipe's \(recipes\); give calls\.database"):
        opened_store(tmp_path, create=True)
    with sqlite3.connect(file_of(tmp_path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
    connection.close()
    assert names == ["recipes"]


def test_what_is_no_database_says_so(tmp_path: Path) -> None:
    file_of(tmp_path).write_bytes(b"a letter to my aunt, of some length\n" * 50)
    with pytest.raises(CallStoreError, match="is not an SQLite database; give"):
        opened_store(tmp_path, create=True)


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CallStoreError, match=r"cannot be made at .*set calls\.database"):
        opened_store(tmp_path / "file", create=True)


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    opened = opened_store(tmp_path, create=True)
    with opened.transaction() as connection:
        connection.execute(schema.schema_info.update().values(version=schema.VERSION + 1))
    opened.close()
    knows = schema.VERSION
    told = rf"newer voicepipe \(schema {knows + 1}; this one knows {knows}\)"
    with pytest.raises(CallStoreError, match=told):
        opened_store(tmp_path, create=True)


def test_an_older_schema_is_brought_forward_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_store(tmp_path, create=True).close()
    now = schema.VERSION
    steps: Mapping[int, tuple[str, ...]] = {
        now: ("ALTER TABLE calls ADD COLUMN language TEXT",),
        now + 1: (
            "CREATE INDEX calls_language ON calls (language)",
            "UPDATE calls SET language = 'en'",
        ),
    }
    monkeypatch.setattr(schema, "VERSION", now + 2)
    monkeypatch.setattr(schema, "MIGRATIONS", steps)
    for _ in range(2):  # the second time there is nothing to do, and the ALTER would fail
        opened = opened_store(tmp_path)
        with opened.reading() as connection:
            found = connection.execute(text("SELECT version FROM voicepipe_schema")).scalar()
            assert found == now + 2
            connection.execute(text("SELECT language FROM calls"))
        opened.close()


async def test_calls_of_the_first_schema_are_read_with_todays_columns(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path)) as log:
        call = log.begin(info())
        call.turn(turn_record(1), "what time is it", "Half past seven.")
        call.end("lost")
    opened = opened_store(tmp_path)
    with opened.transaction() as connection:
        for statement in FIRST_SCHEMA:
            connection.execute(text(statement))
    opened.close()
    (stored,) = stored_calls(tmp_path)
    named = [stored.call[name] for name in ("live_id", "agent", "key_name")]
    assert named == [None, None, ""]
    assert stored.turns[0]["waited_us"] is None
    opened = opened_store(tmp_path)
    with opened.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM webhook_events")).scalar() == 0
        page = page_of_calls(connection, CallFilter(slowest_ms=302), 10, None)
    opened.close()
    assert page.calls[0]["slowest_ms"] == 302.0  # the server's part, which is all that was kept


def test_a_migration_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_store(tmp_path, create=True).close()
    broken = ("ALTER TABLE calls ADD COLUMN language TEXT", "UPDATE nowhere SET a = 1")
    monkeypatch.setattr(schema, "MIGRATIONS", {schema.VERSION: broken})
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    with pytest.raises(CallStoreError, match="no such table: nowhere"):
        opened_store(tmp_path)
    monkeypatch.undo()
    opened = opened_store(tmp_path)
    with opened.reading() as connection:
        columns = connection.execute(text("PRAGMA table_info(calls)")).all()
    opened.close()
    assert "language" not in {column.name for column in columns}


def test_a_locked_database_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened_store(tmp_path, create=True).close()
    monkeypatch.setattr(store, "BUSY_S", 0.05)
    holder = sqlite3.connect(file_of(tmp_path), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(CallStoreError, match="is locked by another process"):
        opened_store(tmp_path)
    holder.rollback()
    holder.close()


def test_reading_goes_on_while_somebody_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_S", 0.05)
    writer, reader = opened_store(tmp_path, create=True), opened_store(tmp_path)
    with writer.transaction(), reader.reading() as connection:
        assert connection.execute(schema.calls.select()).all() == []
    writer.close()
    reader.close()


def settings(url: str) -> CallSettings:
    return CallSettings.model_validate({"database": url})


def test_urls_are_understood_or_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert data_dir() == Path("/data/voicepipe")
    assert database_url(settings("")).database == "/data/voicepipe/calls.sqlite3"
    assert recordings_dir(settings("")) == Path("/data/voicepipe/recordings")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert data_dir() == Path.home() / ".local" / "share" / "voicepipe"
    home = os.path.expanduser("~/calls.sqlite3")
    assert database_url(settings("sqlite:///~/calls.sqlite3")).database == home
    url = database_url(settings("postgresql://u:p@db/voice"))
    assert url.drivername == "postgresql+psycopg"
    for wrong, says in {
        "calls.sqlite3": "not a database URL; write it as sqlite:",
        "sqlite://": "must name a file",
        "mysql://u:p@db/voice": "mysql is not supported; write it as",
        "postgresql://u:p@db:p/voice": "not a database URL; write it as sqlite:",
        "sqlite:///~nobody-here/calls.sqlite3": "home directory",
    }.items():
        with pytest.raises(CallStoreError, match=says):
            database_url(settings(wrong))


def test_no_password_in_messages() -> None:
    url = database_url(settings("postgresql://u:hunter2@127.0.0.1:9/voice"))
    with pytest.raises(CallStoreError) as caught:
        CallStore(url, create=True)
    assert "hunter2" not in str(caught.value)
    assert "postgresql://u:***@127.0.0.1:9/voice cannot be opened" in str(caught.value)


def test_the_transport_keeps_the_column_that_it_had_as_a_door(tmp_path: Path) -> None:
    """Older servers write into the same database, and people have queries of their own."""
    opened_store(tmp_path, create=True).close()
    row = {
        "id": "call_1", "server_id": "s1", "session_id": "sess_1", "door": "twilio",
        "carrier_call_id": "", "caller": "", "called": "", "started_at": "2026-11-01 12:00:00",
        "answered": 1, "lost_turns": 0, "lost_sound_s": 0.0, "profile": "cpu", "version": "0.1",
    }  # fmt: skip
    server = ("s1", "host", 1, "0.1", row["started_at"], row["started_at"])
    with closing(sqlite3.connect(file_of(tmp_path))) as old, old:
        old.execute("INSERT INTO servers VALUES (?, ?, ?, ?, ?, ?, NULL)", server)
        columns, values = ", ".join(row), ", ".join(f":{name}" for name in row)
        old.execute(f"INSERT INTO calls ({columns}) VALUES ({values})", row)
    (stored,) = stored_calls(tmp_path)
    assert stored.call["transport"] == "twilio"
    assert "door" not in stored.call


def test_no_password_in_messages_that_is_said_as_an_option() -> None:
    place = _place(database_url(settings("postgresql:///voice?host=/run&password=hunter2")))
    assert "hunter2" not in place
    assert "host=%2Frun" in place


@pytest.mark.parametrize("create", [False, True])
def test_a_path_that_cannot_be_looked_at_says_so(create: bool) -> None:
    url = database_url(settings(f"sqlite:////tmp/{'a' * 300}/calls.sqlite3"))
    with pytest.raises(CallStoreError, match="File name too long"):
        CallStore(url, create=create)


def test_a_server_that_is_gone_without_a_word_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a commit waits for a quarter of an hour, until the kernel gives up."""
    asked: dict[str, Any] = {}

    def connect(*args: object, **options: Any) -> None:
        asked.update(options)
        raise psycopg.OperationalError("nobody is here")

    monkeypatch.setattr(psycopg, "connect", connect)
    with pytest.raises(CallStoreError, match="nobody is here"):
        CallStore(database_url(settings("postgresql://u@db/voice")), create=True)
    assert 1000 <= asked["tcp_user_timeout"] <= 60_000
    assert asked["keepalives_idle"] + asked["keepalives_interval"] * asked["keepalives_count"] <= 60


async def test_words_are_found_in_any_case_of_any_alphabet(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path)) as log:
        call = log.begin(info())
        call.turn(turn_record(), "Wann sind die Öffnungszeiten?", "В Москве, Über Mittag.")
        call.end("caller hung up")
    opened = opened_store(tmp_path)
    with opened.reading() as connection:
        for words in ("öffnungs", "ÖFFNUNGS", "über mittag", "в москве", "wann"):
            assert page_of_calls(connection, CallFilter(text=words), 1, None).calls, words
    opened.close()
