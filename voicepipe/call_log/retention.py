"""Calls that are deleted: rows and recordings together, a few at a time."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import ColumnElement, and_, delete, select

from voicepipe.call_log.contract import CallStoreError, WallClock, utc_now
from voicepipe.call_log.places import recording_file
from voicepipe.call_log.schema import calls, servers, turns, webhook_events
from voicepipe.call_log.sealed_columns import equals
from voicepipe.call_log.store import CallStore
from voicepipe.privacy.seal import Seal

log = logging.getLogger(__name__)

BATCH = 50
"""Calls of one transaction: the writer waits for no longer than these take."""

GONE_AFTER = timedelta(days=1)
"""A machine that was not heard of for so long does not delete its recordings any more."""


def older_than(moment: datetime) -> ColumnElement[bool]:
    """Calls that ended before it. A call that still runs is never deleted."""
    return and_(calls.c.ended_at.is_not(None), calls.c.ended_at < moment)


def left_to_another(host: str, heard_since: datetime) -> ColumnElement[bool]:
    """Calls that were recorded on another machine than `host` which is there to delete them: only
    it can reach the recordings. Those of one that is gone for good are gone with it."""
    there = servers.alias()
    hosts = select(there.c.host).where(there.c.host != host, there.c.seen_at >= heard_since)
    theirs = select(servers.c.id).where(servers.c.host.in_(hosts))
    return and_(calls.c.recording.is_not(None), calls.c.server_id.in_(theirs))


def of_caller(caller: str, seal: Seal | None) -> ColumnElement[bool]:
    """All that this caller has left here; the number exactly as it came."""
    return equals(calls.c.caller, caller, seal)


def call_ids(ids: Sequence[str]) -> ColumnElement[bool]:
    """These calls."""
    return calls.c.id.in_(ids)


def delete_calls(
    store: CallStore, folder: Path, which: ColumnElement[bool], now: WallClock = utc_now
) -> Iterator[int]:
    """Delete ended calls and their recordings below `folder`; yields how many at a time.

    A recording goes first: if it cannot be deleted, or lies on another machine, its call stays and
    is not tried again in this run. Raises CallStoreError (at the end) naming how many those were,
    SQLAlchemyError.
    """
    stuck, last = 0, ""
    elsewhere: list[str] = []  # the machines, once for each call
    while True:
        wanted = and_(which, calls.c.ended_at.is_not(None), calls.c.id > last)
        anothers = left_to_another(socket.gethostname(), now() - GONE_AFTER).label("anothers")
        columns = (calls.c.id, calls.c.recording, servers.c.host, anothers)
        query = select(*columns).join(servers, isouter=True).where(wanted)
        query = query.order_by(calls.c.id).limit(BATCH)
        with store.transaction() as connection:
            found = connection.execute(query).all()
            gone: list[str] = []
            for call in found:
                if call.anothers and _is_out_of_reach(folder, call.recording):
                    elsewhere.append(call.host)
                elif _unlink(folder, call.recording):
                    gone.append(call.id)
                else:
                    stuck += 1
            connection.execute(delete(webhook_events).where(webhook_events.c.call_id.in_(gone)))
            connection.execute(delete(turns).where(turns.c.call_id.in_(gone)))
            connection.execute(delete(calls).where(calls.c.id.in_(gone)))
        if gone:
            yield len(gone)
        if len(found) < BATCH:
            break
        last = found[-1].id
    if stuck or elsewhere:
        raise CallStoreError("; ".join(_left_behind(folder, stuck, elsewhere)))


def _left_behind(folder: Path, stuck: int, elsewhere: Sequence[str]) -> Iterator[str]:
    if stuck:
        yield (
            f"{stuck} calls were not deleted, since their recordings below {folder} could not "
            "be: see the log, and set calls.recordings_dir as it was when they were made"
        )
    if elsewhere:
        machines = ", ".join(sorted(set(elsewhere)))
        yield (
            f"{len(elsewhere)} calls were not deleted, since their recordings lie on {machines}: "
            "delete them there"
        )


def _is_out_of_reach(folder: Path, path: str) -> bool:
    """Another machine's recording: its disk may be here, too."""
    try:
        return not recording_file(folder, path).exists()
    except (OSError, CallStoreError):
        return False  # `_unlink` tells why


def _unlink(folder: Path, path: str | None) -> bool:
    """Whether the recording is gone; the folder of its day goes with the last of them."""
    if path is None:
        return True
    try:
        file = recording_file(folder, path)
        file.unlink(missing_ok=True)
    except (OSError, CallStoreError) as error:
        log.error("the recording %s cannot be deleted: %s", path, error)
        return False
    _remove_if_empty(file.parent, folder)
    return True


def _remove_if_empty(day: Path, folder: Path) -> None:
    if day != folder:
        try:
            day.rmdir()
        except OSError:
            return  # it has others, or was never there
