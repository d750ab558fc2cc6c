"""The calls' database: opened, checked, written. Blocking: for the writer's thread and commands."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Insert,
    Table,
    create_engine,
    event,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError, SQLAlchemyError, StatementError

from voicepipe.call_log import schema
from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.sealed_columns import seal_with
from voicepipe.privacy.seal import Seal

BUSY_S = 5.0
"""Another process may hold SQLite's write lock so long; PostgreSQL gets it to connect."""

STATEMENT_S = 30
"""PostgreSQL gives up a statement that takes longer; the writer tries again."""


class CallStore:
    """Opens the database at once. Raises CallStoreError saying which one and what to do.

    `create`: make what is missing (a server); else the database must be there (a command). `seal`:
    what is private in it is written under a key.
    """

    def __init__(self, url: URL, *, create: bool, seal: Seal | None = None) -> None:
        self.place, self.seal = _place(url), seal
        self._engine = _engine(url, create=create)
        if seal is not None:
            seal_with(self._engine.dialect, seal)
        self._file = url.database if url.get_backend_name() == "sqlite" else None
        try:
            with self.transaction() as connection:
                schema.prepare(connection, self.place, create=create)
            self._opened = self._identity()
        except SQLAlchemyError as error:
            self.close()
            raise CallStoreError(explained(error, self.place)) from None
        except CallStoreError:
            self.close()
            raise

    def follow(self) -> bool:
        """Whether the file was deleted or replaced: SQLite would go on writing into the one that
        nobody finds any more, so what is there now is opened. Raises as `transaction` and
        `CallStore` do."""
        if self._file is None or self._identity() == self._opened:
            return False
        self._engine.dispose()
        _make_file(Path(self._file), create=True)
        with self.transaction() as connection:
            schema.prepare(connection, self.place, create=True)
        self._opened = self._identity()
        return True

    def _identity(self) -> tuple[int, int] | None:
        """Of the file; None: there is none."""
        try:
            found = os.stat(self._file or "")
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Committed where the block ends well. Raises SQLAlchemyError."""
        with self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """For people's commands. Raises CallStoreError."""
        try:
            opened = self._engine.connect().execution_options(reads=True)
            with opened as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise CallStoreError(explained(error, self.place)) from None
        except UnicodeEncodeError:  # of a terminal's arguments: bytes are half surrogate pairs
            raise CallStoreError("what is asked for is no UTF-8 text") from None

    def close(self) -> None:
        self._engine.dispose()


def insert_once(table: Table, dialect: str) -> Insert:
    """An INSERT that may be sent again when nobody knows whether it went through."""
    make = postgresql.insert if dialect == "postgresql" else sqlite.insert
    return make(table).on_conflict_do_nothing()


def _engine(url: URL, *, create: bool) -> Engine:
    def dumps(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"))

    # hide_parameters: they are what people said, and errors are logged
    if url.get_backend_name() == "sqlite":
        _make_file(Path(url.database or ""), create=create)
        engine = create_engine(
            url,
            json_serializer=dumps,
            hide_parameters=True,
            connect_args={"timeout": BUSY_S, "isolation_level": None},
        )
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        return create_engine(
            url,
            json_serializer=dumps,
            hide_parameters=True,
            pool_pre_ping=True,
            connect_args={
                "connect_timeout": round(BUSY_S),
                "tcp_user_timeout": STATEMENT_S * 1000,  # of a server that is gone without a
                "keepalives_idle": 10,  # word; the kernel alone would wait for a quarter of an hour
                "keepalives_interval": 5,
                "keepalives_count": 4,
                "options": f"-c statement_timeout={STATEMENT_S}s",
                "application_name": "voicepipe",
            },
        )
    except ModuleNotFoundError as error:
        raise CallStoreError(
            f"calls.database is PostgreSQL, whose driver is missing ({error.name}); "
            "get it: pip install 'psycopg[binary]'"
        ) from None


def _make_file(path: Path, *, create: bool) -> None:
    """Only the owner may read it; SQLite gives its side files the same mode."""
    try:
        if path.exists():
            return
    except OSError as error:
        raise CallStoreError(f"{path} cannot be looked at: {error.strerror}") from None
    if not create:
        raise CallStoreError(
            f"there is no calls' database at {path}; calls are written once the server runs "
            "with calls.enabled = true (or name the database: --set calls.database=URL)"
        )
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise CallStoreError(
            f"the calls' database cannot be made at {path}: {error.strerror}; "
            "set calls.database to a place that the server may write to"
        ) from None


def _set_up_sqlite(connection: sqlite3.Connection, record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")  # commands read while the server writes
    cursor.execute("PRAGMA synchronous=FULL")  # a commit survives even a power cut; the writer's
    # thread pays for it, once for a batch
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA secure_delete=ON")  # what retention deletes is not left in free pages
    cursor.close()
    # SQLite's own knows no letters but those of English
    connection.create_function("lower", 1, _lower, deterministic=True)


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _begin_sqlite(connection: Connection) -> None:
    """Python's own transactions begin too late to wait for the lock properly; so do it here."""
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _place(url: URL) -> str:
    """The database as people know it, without its passwords, which may be options too."""
    if url.get_backend_name() == "sqlite":
        return f"the calls' database {url.database}"
    told = {name: value for name, value in url.query.items() if "password" not in name}
    shown = url.set(drivername="postgresql", query=told)
    return f"the calls' database {shown.render_as_string()}"


def explained(error: SQLAlchemyError, place: str) -> str:
    """What a person should know of it, without the statement."""
    cause = str(error.orig).strip() if isinstance(error, StatementError) else str(error)
    if "locked" in cause:
        return f"{place} is locked by another process for over {BUSY_S:.0f} s; try again later"
    if "not a database" in cause:
        return f"{place} is not an SQLite database; give calls.database another file"
    if "malformed" in cause:
        return f"{place} is damaged ({cause}); restore it from a backup or move it away"
    if isinstance(error, OperationalError):
        return f"{place} cannot be opened: {cause}"
    return f"{place} cannot be used: {cause}"
