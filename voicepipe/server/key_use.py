"""How long each named key has talked on a day: kept over restarts, and counted over all gateways of
a server, since they write into one file.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Protocol

from voicepipe.config import Settings
from voicepipe.runtime.paths import data_dir

log = logging.getLogger(__name__)

BUSY_S = 2.0

_TABLE = """CREATE TABLE IF NOT EXISTS used (
    key TEXT, day TEXT, seconds REAL, PRIMARY KEY (key, day)) WITHOUT ROWID"""
_ADD = """INSERT INTO used VALUES (?, ?, ?)
    ON CONFLICT (key, day) DO UPDATE SET seconds = seconds + excluded.seconds"""


class KeyUse(Protocol):
    """Where it is written down."""

    def seconds(self, key: str, day: date) -> float:
        """So far."""
        ...

    def add(self, key: str, day: date, seconds: float) -> None:
        """Never waits."""
        ...

    def close(self) -> None: ...


class ForgottenKeyUse:
    """In memory: where no key has minutes, nobody asks for it later."""

    def __init__(self) -> None:
        self._used: defaultdict[tuple[str, date], float] = defaultdict(float)

    def seconds(self, key: str, day: date) -> float:
        """See `KeyUse`."""
        return self._used[key, day]

    def add(self, key: str, day: date, seconds: float) -> None:
        """See `KeyUse`."""
        self._used[key, day] += seconds

    def close(self) -> None:
        """See `KeyUse`."""


class StoredKeyUse:
    """In one SQLite file, which a thread writes; days before today are forgotten. A file that
    cannot be used is said once, and the minutes are this process's own then."""

    def __init__(self, file: Path, today: date) -> None:
        self._file, self._today = file, today
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="key-use")
        self._reading: sqlite3.Connection | None = None
        self._writing: sqlite3.Connection | None = None
        self._unwritten = ForgottenKeyUse()
        self._counting = threading.Lock()  # of what is unwritten, which the thread takes off
        self._broken = False

    def seconds(self, key: str, day: date) -> float:
        """See `KeyUse`. Reading waits for no writer."""
        question = "SELECT seconds FROM used WHERE key = ? AND day = ?"
        try:
            self._reading = self._reading or self._open()
            row = self._reading.execute(question, (key, day.isoformat())).fetchone()
        except (sqlite3.Error, OSError) as error:
            self._say(error)
            row = None
        return (0.0 if row is None else float(row[0])) + self._unwritten.seconds(key, day)

    def add(self, key: str, day: date, seconds: float) -> None:
        """See `KeyUse`. It counts at once: who has used up the day may come again before the file
        has it."""

        def written(done: Future[None]) -> None:
            if (error := done.exception()) is not None:
                self._say(error)
            else:
                self._count_unwritten(key, day, -seconds)

        self._count_unwritten(key, day, seconds)
        row = (key, day.isoformat(), seconds)
        self._thread.submit(self._write, row).add_done_callback(written)

    def close(self) -> None:
        """What was added is on disk, or a warning is in the log."""
        self._thread.shutdown()
        for connection in (self._reading, self._writing):
            if connection is not None:
                connection.close()

    def _count_unwritten(self, key: str, day: date, seconds: float) -> None:
        with self._counting:
            self._unwritten.add(key, day, seconds)

    def _write(self, row: tuple[str, str, float]) -> None:
        if self._writing is None:
            self._writing = self._open()
            before = (self._today.isoformat(),)
            self._writing.execute("DELETE FROM used WHERE day < ?", before)
        self._writing.execute(_ADD, row)

    def _open(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self._file, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_TABLE)
        return connection

    def _say(self, error: BaseException) -> None:
        if not self._broken:
            self._broken = True
            log.warning(
                "what keys have used cannot be kept in %s (%s): after a restart their minutes of "
                "today begin anew",
                self._file,
                error,
            )


def key_use(settings: Settings, today: date) -> KeyUse:
    """In `server.key_use_file`, else in the user's data directory; nowhere, if no key has minutes
    that could be used up."""
    if all(one.minutes_a_day is None for one in settings.keys.values()):
        return ForgottenKeyUse()
    file = settings.server.key_use_file or data_dir() / "key_use.sqlite3"
    return StoredKeyUse(file.expanduser(), today)
