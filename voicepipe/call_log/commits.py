"""Rows on their way into the database: in order, in batches, again and again until they are in."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError, StatementError

from voicepipe.call_log.contract import Counts
from voicepipe.call_log.rows import Row
from voicepipe.call_log.store import CallStore
from voicepipe.runtime.clock import Clock

log = logging.getLogger(__name__)

BATCH = 200
"""Rows of one transaction at most."""

FIRST_RETRY_S, LAST_RETRY_S = 0.2, 5.0

SAY_AGAIN_S = 60.0
"""A database that stays away is logged so often."""

_TOO_LARGE = "54"
"""PostgreSQL's errors of this class: what an index or a column cannot hold."""

Barrier = Future[None]
"""Done when everything before it is written."""


class Commits:
    """Belongs to the writer's thread; only `problem` and `counts` are read elsewhere."""

    def __init__(
        self, store: CallStore, clock: Clock, counts: Counts, told: Callable[[], None]
    ) -> None:
        """`told`: events for webhooks have been written."""
        self._told = told
        self._store, self._clock, self._counts = store, clock, counts
        self._waiting: deque[Row | Barrier] = deque()
        self._lost_turns: Counter[str] = Counter()  # here, of calls whose end is yet to be written
        self._retry_s = FIRST_RETRY_S
        self._said_at: float | None = None
        self.due_at = 0.0  # not to be tried before
        self.problem: str | None = None  # why rows are not being written just now

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, item: Row | Barrier) -> None:
        self._waiting.append(item)

    def commit(self) -> list[Row | Barrier]:
        """Write the oldest rows; returns what is dealt with, its barriers yet to be told. A
        database that is away leaves all of them and puts `due_at` off."""
        batch = [self._redacted(i) for i in range(min(len(self._waiting), BATCH))]
        try:
            self._write(item for item in batch if isinstance(item, Row))
        except Exception as error:
            if isinstance(error, SQLAlchemyError) and not _is_the_rows_fault(error):
                self._back_off(error)
                return []
            batch = self._write_singly(batch)
        else:
            self._recovered()
        for item in batch:
            self._waiting.popleft()
            if isinstance(item, Row) and item.kind == "end":
                self._lost_turns.pop(item.call_id, None)
        return batch

    def rows(self) -> list[Row]:
        """What is not written yet. May be asked once the thread has ended, or hangs for good."""
        return [item for item in self._waiting.copy() if isinstance(item, Row)]

    def _redacted(self, index: int) -> Row | Barrier:
        """What waits there, redacted once for all attempts and outside of any transaction. A row of
        which that fails cannot be written."""
        item = self._waiting[index]
        if isinstance(item, Row) and item.redact is not None:
            try:
                item = self._waiting[index] = item.redacted()
            except Exception as error:
                log.error("a turn could not be redacted: %s", type(error).__name__)
        return item

    def _write(self, rows: Iterable[Row]) -> None:
        written: Counter[str] = Counter()
        events = 0
        with self._store.transaction() as connection:
            for row in rows:
                self._with_losses(row).write(connection)
                written[row.kind] += 1
                events += row.event is not None
        self._counts.add(calls=written["call"], turns=written["turn"])
        if events:
            self._told()

    def _with_losses(self, row: Row) -> Row:
        """The end of a call tells of the turns that were lost here too."""
        if row.kind != "end" or row.call_id not in self._lost_turns:
            return row
        lost = row.values["lost_turns"] + self._lost_turns[row.call_id]
        return replace(row, values={**row.values, "lost_turns": lost})

    def _write_singly(self, batch: Sequence[Row | Barrier]) -> list[Row | Barrier]:
        """One of them cannot be written ever: it must not keep the others from it. Returns those
        that are dealt with."""
        for index, item in enumerate(batch):
            if isinstance(item, Future):
                continue
            try:
                self._write([item])
            except Exception as error:
                if isinstance(error, SQLAlchemyError) and not _is_the_rows_fault(error):
                    self._back_off(error)
                    return list(batch[:index])
                reason = type(error).__name__  # no more: what a database says may quote the row
                note_lost([item], self._counts, f"it cannot be written: {reason}")
                if item.kind == "turn":
                    self._lost_turns[item.call_id] += 1
        self._recovered()
        return list(batch)

    def _back_off(self, error: SQLAlchemyError) -> None:
        now = self._clock.now()
        self.problem = f"{self._store.place}: {_cause(error)}"
        self._counts.add(retries=1)
        self.due_at = now + self._retry_s
        self._retry_s = min(self._retry_s * 2, LAST_RETRY_S)
        if self._said_at is None or now - self._said_at >= SAY_AGAIN_S:
            self._said_at = now
            log.error("calls are not being written, %d wait: %s", len(self), self.problem)

    def _recovered(self) -> None:
        if self.problem is not None:
            log.warning("calls are being written again")
        self.problem = self._said_at = None
        self._retry_s, self.due_at = FIRST_RETRY_S, 0.0


def note_lost(rows: Sequence[Row], counts: Counts, reason: str) -> None:
    """Rows that will never be written are logged and counted."""
    kinds = Counter(row.kind for row in rows)
    counts.add(lost_calls=kinds["call"], lost_turns=kinds["turn"])
    what = ", ".join(f"{n} x {kind}" for kind, n in kinds.items())
    which = ", ".join(sorted({row.call_id for row in rows})[:5])
    log.error("not written and lost: %s (%s): %s", what, which, reason)


def _is_the_rows_fault(error: SQLAlchemyError) -> bool:
    """Trying it again would not help."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, StatementError)  # never sent
    too_large = str(getattr(error.orig, "sqlstate", "")).startswith(_TOO_LARGE)
    return too_large or isinstance(error, (IntegrityError, DataError))


def _cause(error: SQLAlchemyError) -> str:
    """In a line."""
    said = str(error.orig if isinstance(error, DBAPIError) else error).strip()
    return said.splitlines()[0] if said else "no answer"
