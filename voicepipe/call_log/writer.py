"""The thread that writes: rows to the database, sound to files. The event loop never waits for it.

Two bounds. Rows wait up to `MAX_ROWS`: a database that is slow, locked or full is tried again, and
only when so many wait is a row refused, logged, counted, and its transport told. Sound waits up to
`MAX_SOUND_BYTES`; what comes then is missing in its recording, which is counted too.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from voicepipe.call_log.commits import BATCH, Barrier, Commits, note_lost
from voicepipe.call_log.contract import Counts
from voicepipe.call_log.recorder import Recorder, SoundJob
from voicepipe.call_log.rows import Row
from voicepipe.call_log.store import CallStore
from voicepipe.runtime.clock import Clock

MAX_ROWS = 5000
"""Some 25 MB; at a hundred busy calls four minutes without a database."""

MAX_SOUND_BYTES = 64 * 1024 * 1024
"""A hundred telephone calls for 40 s."""

CHORES_S = 20.0


class CallWriter:
    """`start` it, give it rows and sound from the loop's thread, `aclose` it.

    `chores` is called on the thread at the start and every `CHORES_S`, between two batches; it
    handles its own errors. `told`, likewise: events for webhooks have been written.
    """

    def __init__(
        self,
        store: CallStore,
        recorder: Recorder,
        clock: Clock,
        counts: Counts,
        *,
        chores: Callable[[], None] = lambda: None,
        told: Callable[[], None] = lambda: None,
        max_rows: int = MAX_ROWS,
        max_sound_bytes: int = MAX_SOUND_BYTES,
    ) -> None:
        self._commits = Commits(store, clock, counts, told)
        self._recorder, self._clock, self._counts = recorder, clock, counts
        self._chores = chores
        self._max_rows, self._max_sound_bytes = max_rows, max_sound_bytes
        self._changed = threading.Condition()  # holds the next four
        self._inbox: deque[Row | SoundJob | Barrier] = deque()
        self._rows_waiting = 0
        self._sound_waiting = 0
        self._stop_at: float | None = None
        self._thread = threading.Thread(target=self._run, name="calls-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def problem(self) -> str | None:
        """Why rows are not being written just now."""
        return self._commits.problem

    # -- from the loop ----------------------------------------------------------------------------

    def row(self, row: Row) -> bool:
        """Never waits. False: too many wait already; the row is lost, and that is logged. The end
        of a call is taken always."""
        with self._changed:
            room = row.kind == "end" or self._rows_waiting < self._max_rows
            if room and self._stop_at is None:
                self._rows_waiting += 1
                self._put(row)
                return True
        note_lost([row], self._counts, self.problem or f"{self._max_rows} rows wait already")
        return False

    def sound(self, job: SoundJob) -> bool:
        """Never waits. False: this sound will be missing in the recording."""
        with self._changed:
            room = self._sound_waiting + job.size <= self._max_sound_bytes
            if not room or self._stop_at is not None:
                return False
            self._sound_waiting += job.size
            self._put(job)
            return True

    async def flush(self, timeout_s: float) -> bool:
        """Everything given so far is on disk; False if that takes longer."""
        barrier: Barrier = Future()
        with self._changed:
            self._put(barrier)
        try:
            await asyncio.wait_for(asyncio.wrap_future(barrier), timeout_s)
        except TimeoutError:
            return False
        return True

    async def aclose(self, timeout_s: float) -> bool:
        """Write what there is, then end; what takes longer is lost and logged (False). Nothing is
        taken any more."""
        with self._changed:
            self._stop_at = self._clock.now() + timeout_s
            self._changed.notify()
        await asyncio.to_thread(self._thread.join, timeout_s)
        with self._changed:
            inbox = list(self._inbox)
        left = [*self._commits.rows(), *(item for item in inbox if isinstance(item, Row))]
        if left:
            note_lost(left, self._counts, self.problem or "the server stopped before it was done")
        return not left

    def _put(self, item: Row | SoundJob | Barrier) -> None:
        self._inbox.append(item)
        self._changed.notify()

    # -- on the thread ----------------------------------------------------------------------------

    def _run(self) -> None:
        chores_at = self._clock.now()
        while not self._is_over():
            for item in self._receive(chores_at):
                if isinstance(item, SoundJob):
                    self._record(item)
                else:
                    self._commits.add(item)
            if self._commits and self._clock.now() >= self._commits.due_at:
                self._dealt_with(self._commits.commit())
            if self._clock.now() >= chores_at and self._stop_at is None:
                self._chores()
                chores_at = self._clock.now() + CHORES_S
        self._recorder.close_all()

    def _dealt_with(self, items: Sequence[Row | Barrier]) -> None:
        with self._changed:
            self._rows_waiting -= sum(isinstance(item, Row) for item in items)
        for item in items:
            if isinstance(item, Future) and item.set_running_or_notify_cancel():
                item.set_result(None)

    def _is_over(self) -> bool:
        with self._changed:
            if self._stop_at is None:
                return False
            return self._clock.now() >= self._stop_at or not (self._inbox or self._commits)

    def _receive(self, chores_at: float) -> list[Row | SoundJob | Barrier]:
        """Wait for something to do; take some of what has come."""
        with self._changed:
            until_s = chores_at if self._stop_at is None else self._stop_at
            if self._commits:
                until_s = min(until_s, self._commits.due_at)
            elif self._stop_at is not None:
                until_s = 0.0
            wait_s = until_s - self._clock.now()
            if not self._inbox and wait_s > 0:
                self._changed.wait(wait_s)
            return [self._inbox.popleft() for _ in range(min(len(self._inbox), BATCH))]

    def _record(self, job: SoundJob) -> None:
        rows = self._recorder.do(job)
        for row in rows:
            self._commits.add(row)
        with self._changed:
            self._sound_waiting -= job.size
            self._rows_waiting += len(rows)
