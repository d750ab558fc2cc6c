"""Calls as a list shows them, a page at a time: each with a figure per turn, without its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from voicepipe.call_log.query import CallFilter, Known, read_rows, waited_us
from voicepipe.call_log.schema import calls, turns
from voicepipe.ledger.percentiles import percentile
from voicepipe.runtime.errors import VoicepipeError

OPEN_CALLS = 1000
"""Calls under way that are shown at most."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last call of a page: the next begins behind it."""

    started_at: datetime
    call_id: str

    def __str__(self) -> str:
        return f"{self.started_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}~{self.call_id}"

    @staticmethod
    def of(text: str) -> Cursor:
        """Raises VoicepipeError."""
        began, _, call_id = text.partition("~")
        try:
            started_at = datetime.fromisoformat(began)
            utc = None if started_at.tzinfo is None else started_at.astimezone(UTC)
        except (ValueError, OverflowError):
            utc = None
        if utc is None or not call_id:
            raise VoicepipeError("cursor must be the next_cursor of the page before")
        return Cursor(utc, call_id)

    def behind(self) -> ColumnElement[bool]:
        """Calls that began before it."""
        same = and_(calls.c.started_at == self.started_at, calls.c.id < self.call_id)
        return or_(calls.c.started_at < self.started_at, same)


@dataclass(frozen=True, slots=True)
class Page:
    """`calls`: newest first, those under way before all others."""

    calls: Sequence[Known]
    next: Cursor | None


def page_of_calls(
    connection: Connection, wanted: CallFilter, limit: int, after: Cursor | None
) -> Page:
    """At most `limit` calls that have ended; the first page has those under way besides."""
    ended = and_(wanted.condition(connection), calls.c.ended_at.is_not(None))
    if after is not None:
        ended = and_(ended, after.behind())
    found = _newest(connection, ended, limit + 1)
    more, found = len(found) > limit, found[:limit]
    under_way = []
    if after is None:
        open_ones = and_(wanted.condition(connection), calls.c.ended_at.is_(None))
        under_way = _newest(connection, open_ones, OPEN_CALLS)
    last = Cursor(found[-1]["started_at"], found[-1]["id"]) if more else None
    return Page(_summaries(connection, [*under_way, *found]), last)


def _newest(connection: Connection, which: ColumnElement[bool], limit: int) -> list[Known]:
    order = (calls.c.started_at.desc(), calls.c.id.desc())
    return read_rows(connection, select(calls).where(which).order_by(*order).limit(limit))


def _summaries(connection: Connection, found: Sequence[Known]) -> list[Known]:
    query = (
        select(
            turns.c.call_id,
            turns.c.number,
            turns.c.end,
            waited_us.label("waited_us"),
            turns.c.ledger["critical_ms"].label("critical_ms"),
            turns.c.ledger["network_ms"].label("network_ms"),
        )
        .where(turns.c.call_id.in_([row["id"] for row in found]))
        .order_by(turns.c.call_id, turns.c.number)
    )
    by_call: dict[str, list[Known]] = {row["id"]: [] for row in found}
    for row in connection.execute(query).mappings():
        by_call[row["call_id"]].append(_figure(row))
    return [{**row, **_figures(by_call[row["id"]])} for row in found]


def _figure(row: Any) -> Known:
    """One turn: how long it was waited for, and for what the longest."""
    us = row["waited_us"]
    return {
        "number": row["number"],
        "end": row["end"],
        "waited_ms": None if us is None else us / 1000,
        "longest": _longest(row["critical_ms"], row["network_ms"]),
    }


def _longest(critical_ms: dict[str, float] | None, network_ms: dict[str, float] | None) -> str:
    if not critical_ms:
        return ""
    stages = {**critical_ms, "network": sum((network_ms or {}).values())}
    return max(stages, key=lambda name: stages[name])


def _figures(told: Sequence[Known]) -> Known:
    waits = [one["waited_ms"] for one in told if one["waited_ms"] is not None]
    return {
        "turns": list(told),
        "p50_ms": percentile(waits, 0.5) if waits else None,
        "slowest_ms": max(waits, default=None),
        "interrupted": sum(one["end"] == "interrupted" for one in told),
    }
