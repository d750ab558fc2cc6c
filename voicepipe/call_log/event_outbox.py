"""Events that wait in the database to be delivered to webhooks. Blocking: for threads and commands.

Of one call and webhook they go one after the other: the next is due only when the one before it is
delivered or given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, true, update

from voicepipe.call_log.contract import WallClock
from voicepipe.call_log.query import Known, read_rows
from voicepipe.call_log.rows import storable
from voicepipe.call_log.schema import webhook_events
from voicepipe.call_log.store import CallStore
from voicepipe.privacy.seal import UNREADABLE

FIRST_PAUSE_S, LAST_PAUSE_S = 1.0, 3600.0

NO_KEY_PAUSE_S = 60.0
"""Between two looks whether the key of an event has come back to the settings."""

_ONE = webhook_events.c


def pause_s(attempts: int) -> float:
    """How long to wait after so many failed attempts."""
    return float(min(LAST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempts - 1)))


@dataclass(frozen=True, slots=True)
class Waiting:
    """An event that is due."""

    number: int
    id: str
    webhook: str
    call_id: str
    type: str
    body: str
    traceparent: str
    attempts: int  # that have failed


class EventOutbox:
    """Of one server. All methods raise SQLAlchemyError or CallStoreError."""

    def __init__(self, store: CallStore, server_id: str, now: WallClock) -> None:
        self._store, self._server_id, self._now = store, server_id, now

    def due(self, webhook: str, limit: int) -> list[Waiting]:
        """The oldest of each call, as far as its time has come. What was sealed with a key that is
        not there stays, and those of its call behind it; it counts as no attempt."""
        while True:
            found = self._oldest(webhook, limit)
            sealed = [event for event in found if event.body == UNREADABLE]
            if not sealed:
                return found
            self._put_off(sealed)
            if len(sealed) < len(found):
                return [event for event in found if event.body != UNREADABLE]

    def _oldest(self, webhook: str, limit: int) -> list[Waiting]:
        mine = and_(_ONE.server_id == self._server_id, _ONE.webhook == webhook, ~_ONE.dead)
        heads = select(func.min(_ONE.number)).where(mine).group_by(_ONE.call_id)
        columns = [_ONE[name] for name in Waiting.__dataclass_fields__]
        query = select(*columns).where(_ONE.number.in_(heads), self._is_due())
        with self._store.reading() as connection:
            found = connection.execute(query.order_by(_ONE.number).limit(limit)).all()
        return [Waiting(*row) for row in found]

    def _is_due(self) -> ColumnElement[bool]:
        """No pause is longer than `LAST_PAUSE_S`: what is due later was put off by a wall clock
        that has been set back since."""
        now = self._now()
        return or_(_ONE.due_at <= now, _ONE.due_at > now + timedelta(seconds=LAST_PAUSE_S))

    def _put_off(self, sealed: Sequence[Waiting]) -> None:
        due_at = self._now() + timedelta(seconds=NO_KEY_PAUSE_S)
        change = update(webhook_events).where(_ONE.number.in_([event.number for event in sealed]))
        with self._store.transaction() as connection:
            connection.execute(change.values(problem=UNREADABLE, due_at=due_at))

    def delivered(self, event: Waiting) -> None:
        """It is forgotten: nothing of what was said stays here."""
        with self._store.transaction() as connection:
            connection.execute(delete(webhook_events).where(_ONE.number == event.number))

    def failed(self, event: Waiting, problem: str, *, final: bool) -> None:
        """To be tried again after a pause, or (`final`) never."""
        attempts = event.attempts + 1
        due_at = self._now() + timedelta(seconds=pause_s(attempts))
        change = update(webhook_events).where(_ONE.number == event.number)
        values = {"attempts": attempts, "problem": problem, "due_at": due_at, "dead": final}
        with self._store.transaction() as connection:
            connection.execute(change.values(**values))


def waiting_events(store: CallStore, *, dead: bool, limit: int) -> list[Known]:
    """The oldest that have not been delivered, without their bodies; `dead`: only those given up.
    Raises CallStoreError."""
    columns = [column for column in _ONE if column.name != "body"]
    which: ColumnElement[bool] = _ONE.dead if dead else true()
    query = select(*columns).where(which).order_by(_ONE.number).limit(limit)
    with store.reading() as connection:
        return read_rows(connection, query)


def retry_events(store: CallStore, ids: Sequence[str], now: datetime) -> int:
    """Events that were given up, by `ids` or all, are due now; how many. Raises SQLAlchemyError."""
    named = [storable(one) for one in ids]
    which = and_(_ONE.dead, _ONE.id.in_(named)) if ids else _ONE.dead
    change = update(webhook_events).where(which)
    with store.transaction() as connection:
        return connection.execute(change.values(dead=False, attempts=0, due_at=now)).rowcount
