"""Which webhooks have had their call, remembered across restarts and between processes of a host.

Twilio's, SignalWire's and Plivo's signatures carry no time, so a captured request is good for ever
unless it is known to be spent. Only digests are kept: nothing here says who called.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from voicepipe.config import TelephonySettings
from voicepipe.runtime.paths import data_dir

log = logging.getLogger(__name__)

LOOKUP_S = 2.0
"""A webhook waits no longer for the file; what this process remembers by itself still holds."""

FORGET_EVERY_S = 3600.0
"""What is older than it is remembered leaves the file so often; each time all of it is read."""

_TABLE = """CREATE TABLE IF NOT EXISTS spent (request BLOB PRIMARY KEY, at REAL) WITHOUT ROWID"""


class SpentRequests:
    """One file, opened at the first webhook. `days` = 0: nothing is written or read.

    A file that cannot be used is said once; calls go on, protected by this process's memory.
    """

    def __init__(self, file: Path, days: int, wall_s: Callable[[], float]) -> None:
        """`wall_s`: seconds since 1970."""
        self._file, self._days, self._wall_s = file, days, wall_s
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spent-webhooks")
        self._connection: sqlite3.Connection | None = None
        self._forgot_at = 0.0  # when what is too old was deleted
        self._broken = False

    async def holds(self, request: str) -> bool:
        """Whether `request` has had its call, in this process or another."""
        if not self._days:
            return False
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(LOOKUP_S):
                return await loop.run_in_executor(self._thread, self._look_up, _digest(request))
        except (TimeoutError, sqlite3.Error, OSError) as error:
            self._say(error)
            return False

    def add(self, request: str) -> None:
        """It has its call now. Written in the background."""
        if self._days:
            self._thread.submit(self._insert, _digest(request)).add_done_callback(self._check)

    async def aclose(self) -> None:
        """What was added is on disk, or a warning is in the log."""
        await asyncio.to_thread(self._close)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
            connection = sqlite3.connect(
                self._file, timeout=LOOKUP_S, isolation_level=None, check_same_thread=False
            )
            connection.execute(_TABLE)
            self._connection = connection
        return self._connection

    def _look_up(self, digest: bytes) -> bool:
        found = self._open().execute("SELECT 1 FROM spent WHERE request = ?", (digest,))
        return found.fetchone() is not None

    def _insert(self, digest: bytes) -> None:
        now, connection = self._wall_s(), self._open()
        connection.execute("INSERT OR IGNORE INTO spent VALUES (?, ?)", (digest, now))
        if now - self._forgot_at >= FORGET_EVERY_S:
            connection.execute("DELETE FROM spent WHERE at < ?", (now - self._days * 86_400,))
            self._forgot_at = now

    def _check(self, done: Future[None]) -> None:
        error = done.exception()
        if error is not None:
            self._say(error)

    def _say(self, error: BaseException) -> None:
        if not self._broken:
            self._broken = True
            log.warning(
                "spent webhooks cannot be remembered in %s (%s): after a restart a captured one "
                "would be taken again",
                self._file,
                str(error) or "it does not answer",
            )

    def _close(self) -> None:
        self._thread.shutdown()
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def spent_requests(settings: TelephonySettings, wall_s: Callable[[], float]) -> SpentRequests:
    """In `telephony.replay_file`, else in the user's data directory."""
    file = settings.replay_file or data_dir() / "spent_webhooks.sqlite3"
    return SpentRequests(file.expanduser(), settings.replay_days, wall_s)


def _digest(request: str) -> bytes:
    return hashlib.sha256(request.encode("utf-8", "surrogatepass")).digest()[:16]
