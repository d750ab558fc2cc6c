"""The database that gateways share: SQLite, in the server's own folder, gone with the server.

It is asked on the event loop. A statement is short, since nothing is ever waited for but another
gateway's statement: no commit is synced to the disk (what is in here dies with the server anyway),
and each change is one statement, so nobody holds the lock while it thinks. A gateway that is killed
in the middle of one leaves no trace of it.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server.gateways.place import Place
from voicepipe.server.shared import sums

log = logging.getLogger(__name__)

FILE = "shared.sqlite3"

BUSY_S = 1.0
"""How long another gateway may hold the lock, before a caller is refused."""

MAX_OWED = 4096
"""Changes that failed and are made later; of more, the oldest are forgotten."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS gateways (id TEXT PRIMARY KEY, number INTEGER, pid INTEGER);
CREATE TABLE IF NOT EXISTS seats (session TEXT PRIMARY KEY, gateway TEXT, key TEXT);
CREATE TABLE IF NOT EXISTS begun (key TEXT, at REAL);
CREATE INDEX IF NOT EXISTS begun_key ON begun (key, at);
CREATE TABLE IF NOT EXISTS held (name TEXT PRIMARY KEY, gateway TEXT);
CREATE TABLE IF NOT EXISTS secrets (
    digest BLOB PRIMARY KEY, expires_at REAL, size INTEGER, session TEXT);
CREATE INDEX IF NOT EXISTS secrets_size ON secrets (size);
CREATE TABLE IF NOT EXISTS tickets (
    number INTEGER PRIMARY KEY, text TEXT UNIQUE, request TEXT UNIQUE, carrier TEXT, caller TEXT,
    called TEXT, agent TEXT, rings INTEGER, issued_at REAL, valid_s REAL, used INTEGER);
CREATE INDEX IF NOT EXISTS tickets_issued_at ON tickets (issued_at);
CREATE TABLE IF NOT EXISTS counted (gateway TEXT PRIMARY KEY, families TEXT);
"""


class StateUnavailable(LimitExceeded):
    """The shared database does not answer: nothing new can be admitted just now."""


class Database:
    """One connection to it, for one thread."""

    def __init__(self, file: Path | str) -> None:
        """Raises StateUnavailable."""
        try:
            self._database = _opened(file)
        except sqlite3.Error as error:
            raise _unavailable(error) from None
        weakref.finalize(self, self._database.close)

    def run(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Change something; how many rows that were. Raises StateUnavailable."""
        try:
            return self._database.execute(statement, values).rowcount
        except sqlite3.Error as error:
            raise _unavailable(error) from None

    def rows(self, question: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Raises StateUnavailable."""
        try:
            return self._database.execute(question, values).fetchall()
        except sqlite3.Error as error:
            raise _unavailable(error) from None

    def number(self, question: str, values: Sequence[Any] = ()) -> int:
        """The answer to a question for one. Raises StateUnavailable."""
        return int(self.rows(question, values)[0][0] or 0)

    def close(self) -> None:
        self._database.close()


def _unavailable(error: sqlite3.Error) -> StateUnavailable:
    return StateUnavailable(f"the gateways' shared state cannot be used: {error}")


class SharedState(Database):
    """`place`: of this gateway among others; None: it is alone."""

    def __init__(self, place: Place | None = None) -> None:
        self.place = place
        self._owed: deque[tuple[str, Sequence[Any]]] = deque(maxlen=MAX_OWED)
        super().__init__(":memory:" if place is None else place.folder / FILE)
        if place is not None:
            self.run("INSERT INTO gateways VALUES (?, ?, ?)", (place.id, place.number, os.getpid()))

    @property
    def alone(self) -> bool:
        return self.place is None

    @property
    def gateway(self) -> str:
        """Its id; "" where it is alone."""
        return "" if self.place is None else self.place.id

    @property
    def first(self) -> bool:
        """Whether what should be done once is done here."""
        return self.place is None or self.place.first

    def apart(self) -> closing[Database]:
        """A connection of its own, for a thread. Raises StateUnavailable."""
        assert self.place is not None
        return closing(Database(self.place.folder / FILE))

    def run(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Change something, after all that is owed; how many rows that were. Raises
        StateUnavailable."""
        self.settle()
        return super().run(statement, values)

    def settle(self) -> None:
        """Make the changes that are owed. Raises StateUnavailable."""
        while self._owed:
            super().run(*self._owed[0])
            self._owed.popleft()

    def let_go(self, statement: str, values: Sequence[Any] = ()) -> None:
        """As `run`, for what ends anyway: a failure is logged and made good before the next
        change, and what was held is free when its gateway ends at the latest."""
        try:
            self.run(statement, values)
        except StateUnavailable as error:
            log.error("%s", error)
            self._owed.append((statement, values))

    def others(self) -> list[str]:
        """Ids of the other gateways that live."""
        found = self.rows("SELECT id FROM gateways WHERE id != ? ORDER BY number", (self.gateway,))
        return [gateway for (gateway,) in found]

    def gateways(self) -> list[dict[str, Any]]:
        """All that live: `id`, `number`, `pid`, `sessions`."""
        found = self.rows(
            "SELECT id, number, pid, (SELECT count(*) FROM seats WHERE gateway = gateways.id) "
            "FROM gateways ORDER BY number"
        )
        return [dict(zip(("id", "number", "pid", "sessions"), row, strict=True)) for row in found]

    def own_door(self, gateway: str) -> Path:
        """Of a gateway: the Unix socket by which the others reach it."""
        assert self.place is not None
        return self.place.folder / f"{gateway}.sock"


def prepare(folder: Path) -> None:
    """For the parent, before the first gateway. Raises StateUnavailable."""
    Database(folder / FILE).close()


def forget(folder: Path, gateway: str) -> bool:
    """For the parent: a gateway is no more. What it held is free, what it counted stays. False: not
    yet, it has to be tried again."""
    (folder / f"{gateway}.sock").unlink(missing_ok=True)
    try:
        _forget(_opened(folder / FILE), gateway)
    except sqlite3.Error as error:
        log.error("what gateway %s held cannot be freed now: %s", gateway, error)
        return False
    return True


def _forget(database: sqlite3.Connection, gateway: str) -> None:
    try:
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("DELETE FROM gateways WHERE id = ?", (gateway,))
            database.execute("DELETE FROM seats WHERE gateway = ?", (gateway,))
            database.execute("DELETE FROM held WHERE gateway = ?", (gateway,))
            _depart(database, gateway)
    finally:
        database.close()


def _depart(database: sqlite3.Connection, gateway: str) -> None:
    rows = dict(database.execute("SELECT gateway, families FROM counted").fetchall())
    if gateway in rows:
        row = (sums.DEPARTED, sums.fold(rows.get(sums.DEPARTED), gateway, rows[gateway]))
        database.execute("INSERT OR REPLACE INTO counted VALUES (?, ?)", row)
        database.execute("DELETE FROM counted WHERE gateway = ?", (gateway,))


def _opened(place: Path | str) -> sqlite3.Connection:
    database = sqlite3.connect(place, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=OFF")
    database.executescript(SCHEMA)
    return database
