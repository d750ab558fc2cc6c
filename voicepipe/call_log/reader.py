"""Reads the calls' database for those who ask over the network: in threads, a few at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.places import recording_file
from voicepipe.call_log.query import CallFilter, CallWithTurns, Known, read_rows, with_turns
from voicepipe.call_log.retention import call_ids, delete_calls
from voicepipe.call_log.schema import calls
from voicepipe.call_log.sound_file import SoundFile, open_file
from voicepipe.call_log.stereo_wav import length
from voicepipe.call_log.store import CallStore, explained
from voicepipe.call_log.summaries import Cursor, Page, page_of_calls
from voicepipe.privacy.seal import Seal
from voicepipe.privacy.sealed_file import is_sealed

log = logging.getLogger(__name__)

AT_ONCE = 2
"""Readers that hold a thread and a connection; calls go on beside them."""

DEADLINE_S = 20.0
"""Whoever waits longer for the others to have read is sent away."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RecordingFile:
    """A call's sound as it lies on the disk. Left the caller, right the agent."""

    path: Path
    size: int  # bytes
    rate: int  # Hz
    seconds: float
    seal: Seal | None = None  # None: the file is as it is

    def open(self) -> SoundFile:
        """To be closed. Raises OSError."""
        return open_file(self.path, self.seal)


class CallReader:
    """Every method raises CallStoreError where the database cannot be read."""

    def __init__(self, store: CallStore, folder: Path) -> None:
        """`folder`: where the recordings are."""
        self._store, self._folder = store, folder
        self._free = asyncio.Semaphore(AT_ONCE)
        self._running: set[asyncio.Task[Any]] = set()

    async def page(self, wanted: CallFilter, limit: int, after: Cursor | None) -> Page:
        """Calls, newest first."""
        return await self._read(lambda c: page_of_calls(c, wanted, limit, after))

    async def call(self, call_id: str) -> CallWithTurns | None:
        """All that is known of a call; None: there is none of exactly this id."""
        return await self._read(lambda connection: _call(connection, call_id))

    async def recording(self, call: Known) -> RecordingFile | None:
        """None: there is none, or it is not on this machine."""
        return await self._in_thread(
            lambda: _recording(self._folder, call["recording"], self._store.seal)
        )

    async def delete(self, call_id: str) -> bool:
        """Delete an ended call, its turns and its recording; False: there was none to delete."""
        return await self._in_thread(lambda: self._delete(call_id))

    async def aclose(self, timeout_s: float) -> None:
        """Wait for those that are reading."""
        if self._running:
            await asyncio.wait(self._running, timeout=timeout_s)

    def _delete(self, call_id: str) -> bool:
        try:
            return sum(delete_calls(self._store, self._folder, call_ids([call_id]))) > 0
        except SQLAlchemyError as error:
            raise CallStoreError(explained(error, self._store.place)) from None

    async def _read(self, query: Callable[[Connection], T]) -> T:
        def run() -> T:
            with self._store.reading() as connection:
                return query(connection)

        return await self._in_thread(run)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            async with asyncio.timeout(DEADLINE_S):
                await self._free.acquire()
        except TimeoutError:
            raise CallStoreError("too many read the calls just now; try again later") from None
        task = asyncio.create_task(asyncio.to_thread(work), name="reading-calls")
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)  # a thread cannot be cancelled: `aclose` awaits it

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        self._free.release()
        if not task.cancelled():
            task.exception()  # whoever asked may have gone


def _call(connection: Connection, call_id: str) -> CallWithTurns | None:
    found = read_rows(connection, select(calls).where(calls.c.id == call_id))
    return with_turns(connection, found)[0] if found else None


def _recording(folder: Path, path: str | None, seal: Seal | None) -> RecordingFile | None:
    if path is None:
        return None
    file = recording_file(folder, path)
    try:
        sealed = is_sealed(file)
        with closing(open_file(file, seal)) as sound:
            found = length(sound)
            size = sound.size
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            log.warning("the recording %s cannot be read: %s", path, error.strerror)
        return None
    if found is None:
        return None
    return RecordingFile(file, size, *found, seal if sealed else None)
