"""What one server does for the database besides its own calls: says that it lives, ends the calls
of servers that died, deletes what is too old. Runs in the writer's thread.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import socket
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, func, select, update
from sqlalchemy.exc import SQLAlchemyError

from voicepipe import __version__
from voicepipe.call_log.contract import CallStoreError, Counts, WallClock
from voicepipe.call_log.events import CallEvent, Subscriptions, subscribers
from voicepipe.call_log.places import recording_file
from voicepipe.call_log.retention import GONE_AFTER, delete_calls, left_to_another, older_than
from voicepipe.call_log.schema import calls, servers, turns, webhook_events
from voicepipe.call_log.stereo_wav import repair
from voicepipe.call_log.store import CallStore, explained

log = logging.getLogger(__name__)

SILENT_S = 90.0
"""A server on another machine that has not been heard of for so long is dead; it says that it
lives every 20 s."""

RETENTION_EVERY = timedelta(hours=1)

RETENTION_S = 1.0
"""Deleting takes no longer at a time: the thread that does it writes everybody's calls."""

SERVER_STOPPED = "server stopped"
"""End reason of calls that nobody ended."""


class Janitor:
    """`register` once, then `chores` every now and then, `retire` at the end."""

    def __init__(
        self,
        store: CallStore,
        folder: Path,
        now: WallClock,
        counts: Counts,
        retention: timedelta | None,
        webhooks: Subscriptions = MappingProxyType({}),
        recording_rate: int = 8000,
    ) -> None:
        """`retention` None: calls are kept for ever."""
        self._store, self._folder, self._now, self._counts = store, folder, now, counts
        self._retention = retention
        self._webhooks, self._rate = webhooks, recording_rate
        self._retained_at: datetime | None = None
        self._deleting: Iterator[int] | None = None  # what the chores before have not got done
        self.server_id = f"server_{secrets.token_hex(12)}"

    def register(self) -> int:
        """Enter this server; end what a crash left open. Returns how many calls that were.

        Raises SQLAlchemyError.
        """
        _ALIVE_HERE.add(self.server_id)
        with self._store.transaction() as connection:
            self._enter(connection)
        return self._end_orphans()

    def _enter(self, connection: Connection) -> None:
        now = self._now()
        connection.execute(
            servers.insert().values(
                id=self.server_id,
                host=socket.gethostname(),
                pid=os.getpid(),
                version=__version__,
                started_at=now,
                seen_at=now,
            )
        )

    def chores(self) -> None:
        """Whatever fails here is tried again the next time."""
        try:
            if self._store.follow():
                log.error("%s was moved, deleted or replaced: opened anew", self._store.place)
            with self._store.transaction() as connection:
                self._seen(connection)
            self._end_orphans()
            if self._retention is not None and self._retention_is_due():
                self._delete_old(self._retention)
        except SQLAlchemyError as error:
            log.warning("%s", explained(error, self._store.place))
        except CallStoreError as error:
            log.warning("%s", error)
        except Exception as error:  # the thread writes everybody's calls
            problem = type(error).__name__  # no more: it may quote a row
            log.error("%s was not looked after: %s", self._store.place, problem)

    def retire(self) -> None:
        """The server ends by itself; what it has left open is nobody's any more."""
        _ALIVE_HERE.discard(self.server_id)
        with contextlib.suppress(SQLAlchemyError), self._store.transaction() as connection:
            mine = servers.c.id == self.server_id
            connection.execute(update(servers).where(mine).values(stopped_at=self._now()))

    def _seen(self, connection: Connection) -> None:
        """Another may have forgotten a server that was away from the database for very long."""
        mine = servers.c.id == self.server_id
        seen = connection.execute(update(servers).where(mine).values(seen_at=self._now()))
        if not seen.rowcount:
            self._enter(connection)

    def _end_orphans(self) -> int:
        ended = 0
        with self._store.transaction() as connection:
            having_open_calls = select(calls.c.server_id).where(calls.c.ended_at.is_(None))
            having_events = select(webhook_events.c.server_id).where(~webhook_events.c.dead)
            others = (
                select(servers)
                .where(
                    servers.c.id.in_(having_open_calls) | servers.c.id.in_(having_events),
                    servers.c.id != self.server_id,
                )
                .order_by(servers.c.id)
                .with_for_update()  # several may look after the same dead one: PostgreSQL makes
            )  # them take turns here, and SQLite has done so already
            for server in connection.execute(others).all():
                if self._is_dead(server):
                    ended += self._end_calls_of(server, connection)
                    self._adopt_events_of(server, connection)
        if ended:
            log.warning("calls that a stopped server had left open, ended now: %d", ended)
        return ended

    def _is_dead(self, server: Row[Any]) -> bool:
        if server.stopped_at is not None:
            return True
        if server.host == socket.gethostname():
            if server.pid == os.getpid():  # a container's next life has the same number
                return server.id not in _ALIVE_HERE
            if not _process_is_alive(server.pid):
                return True
        silent: timedelta = self._now() - server.seen_at
        return silent.total_seconds() > SILENT_S

    def _end_calls_of(self, server: Row[Any], connection: Connection) -> int:
        """Their end is the last that is known of them."""
        last_turn = func.coalesce(func.max(turns.c.recorded_at), calls.c.started_at)
        query = (
            select(calls.c.id, calls.c.recording, last_turn.label("last_turn"))
            .join(turns, turns.c.call_id == calls.c.id, isouter=True)
            .where(calls.c.server_id == server.id, calls.c.ended_at.is_(None))
            .group_by(calls.c.id)
        )
        found = connection.execute(query).all()
        for call in found:
            ended_at = max(call.last_turn, server.stopped_at or server.seen_at)
            change = update(calls).where(calls.c.id == call.id)
            connection.execute(change.values(ended_at=ended_at, end_reason=SERVER_STOPPED))
            self._tell_of_end(call.id, connection)
            self._mend(call.recording)
        return len(found)

    def _tell_of_end(self, call_id: str, connection: Connection) -> None:
        webhooks = subscribers(self._webhooks, "call.ended")
        event = CallEvent("call.ended", call_id, webhooks, self.server_id, self._now())
        event.write(connection)

    def _adopt_events_of(self, server: Row[Any], connection: Connection) -> None:
        """From now on it is up to us to deliver what that one has not; what is for a webhook that
        the settings do not name any more is given up."""
        left = and_(webhook_events.c.server_id == server.id, ~webhook_events.c.dead)
        unknown = and_(left, webhook_events.c.webhook.not_in(tuple(self._webhooks)))
        problem = "the settings name no such webhook any more"
        connection.execute(update(webhook_events).where(unknown).values(dead=True, problem=problem))
        connection.execute(update(webhook_events).where(left).values(server_id=self.server_id))

    def _mend(self, path: str | None) -> None:
        """A recording whose writer died is as long as its file. Another machine's is not here."""
        if path is None:
            return
        try:
            repair(recording_file(self._folder, path), self._store.seal, self._rate)
        except (OSError, CallStoreError) as error:
            log.warning("recording %s was not looked after: %s", path, error)

    def _retention_is_due(self) -> bool:
        """A wall clock may be set back: then it is due too."""
        if self._deleting is not None or self._retained_at is None:
            return True
        return not timedelta(0) <= self._now() - self._retained_at < RETENTION_EVERY

    def _delete_old(self, kept: timedelta) -> None:
        """As far as `RETENTION_S` goes; the next chores go on with it."""
        before, self._retained_at = self._now() - kept, self._now()
        anothers = left_to_another(socket.gethostname(), self._now() - GONE_AFTER)
        which = and_(older_than(before), ~anothers)
        deleting = self._deleting or delete_calls(self._store, self._folder, which, self._now)
        self._deleting = None  # one that fails begins anew the next time
        until = time.monotonic() + RETENTION_S
        for count in deleting:
            self._counts.add(deleted_calls=count)
            log.info("calls older than %d days, deleted: %d", kept.days, count)
            if time.monotonic() >= until:
                self._deleting = deleting
                return
        forgotten = and_(
            servers.c.seen_at < before,
            servers.c.id != self.server_id,
            servers.c.id.not_in(select(calls.c.server_id)),
            servers.c.id.not_in(select(webhook_events.c.server_id)),
        )
        with self._store.transaction() as connection:
            connection.execute(delete(servers).where(forgotten))


_ALIVE_HERE: set[str] = set()
"""Servers of this process: tests and embedders may run several."""


def _process_is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
