"""Reading the calls' database: which calls, and all that is known of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, exists, func, select, true

from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.schema import calls, turns
from voicepipe.call_log.sealed_columns import equals, seal_of

waited_us = func.coalesce(turns.c.waited_us, turns.c.voice_to_voice_us)
"""Older rows have the server's part alone."""

PAGE = 100
"""Calls whose turns are read at a time."""

Known = dict[str, Any]
"""Columns by name, as `schema.py` has them."""


class NotSearchable(CallStoreError):
    """What is asked for is written under a key."""


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls are meant; what is left out does not matter. `until` is not included; texts are
    found anywhere in the column."""

    since: datetime | None = None
    until: datetime | None = None
    caller: str = ""
    reason: str = ""
    transport: str = ""
    agent: str = ""
    key: str = ""
    text: str = ""
    slowest_ms: float | None = None  # of at least one turn, in the caller's ear

    def condition(self, connection: Connection) -> ColumnElement[bool]:
        """For a WHERE. Raises CallStoreError for what a sealed database cannot tell."""
        seal = seal_of(connection.dialect)
        parts: list[ColumnElement[bool]] = [true()]
        if self.since is not None:
            parts.append(calls.c.started_at >= self.since)
        if self.until is not None:
            parts.append(calls.c.started_at < self.until)
        if self.caller and seal is None:
            parts.append(calls.c.caller.contains(self.caller, autoescape=True))
        elif self.caller:
            parts.append(equals(calls.c.caller, self.caller, seal))
        if self.reason:
            parts.append(calls.c.end_reason.icontains(self.reason, autoescape=True))
        if self.transport:
            parts.append(calls.c.transport == self.transport)
        if self.agent:
            parts.append(calls.c.agent == self.agent)
        if self.key:
            parts.append(calls.c.key_name == self.key)
        if self.text and seal is not None:
            raise NotSearchable("text cannot be searched for where calls.encryption_key is set")
        if self.text:
            said = turns.c.user_text.icontains(self.text, autoescape=True)
            answered = turns.c.agent_text.icontains(self.text, autoescape=True)
            parts.append(_has_turn(said | answered))
        if self.slowest_ms is not None:
            parts.append(_has_turn(waited_us >= round(self.slowest_ms * 1000)))
        condition, *others = parts
        for part in others:
            condition &= part
        return condition


@dataclass(frozen=True, slots=True)
class CallWithTurns:
    """A call and its turns in order, as stored."""

    call: Known
    turns: Sequence[Known]

    def as_dict(self) -> dict[str, Any]:
        """JSON shape: one line of an export, which `voicepipe whatif` reads."""
        return {
            "call": {name: _json(value) for name, value in self.call.items()},
            "turns": [
                {name: _json(value) for name, value in turn.items() if name != "call_id"}
                for turn in self.turns
            ],
        }


def _has_turn(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(turns.c.call_id == calls.c.id, condition)


def count_calls(connection: Connection, which: ColumnElement[bool]) -> int:
    query = select(func.count()).select_from(calls).where(which)
    return int(connection.execute(query).scalar_one())


def newest_calls(connection: Connection, wanted: CallFilter, limit: int) -> list[CallWithTurns]:
    """The newest `limit` calls, the oldest of them first."""
    query = (
        select(calls)
        .where(wanted.condition(connection))
        .order_by(calls.c.started_at.desc())
        .limit(limit)
    )
    return with_turns(connection, list(reversed(read_rows(connection, query))))


def every_call(connection: Connection, wanted: CallFilter) -> Iterator[CallWithTurns]:
    """All that are wanted, oldest first, read in pages."""
    ids = (
        select(calls.c.id)
        .where(wanted.condition(connection))
        .order_by(calls.c.started_at, calls.c.id)
    )
    found = list(connection.execute(ids).scalars())
    for start in range(0, len(found), PAGE):
        page = calls.c.id.in_(found[start : start + PAGE])
        query = select(calls).where(page).order_by(calls.c.started_at, calls.c.id)
        yield from with_turns(connection, read_rows(connection, query))


def find_call(connection: Connection, call_id: str) -> CallWithTurns:
    """By its id or the beginning of it. Raises CallStoreError where that names none or several."""
    wanted = call_id if call_id.startswith("call_") else f"call_{call_id}"
    query = select(calls).where(calls.c.id.startswith(wanted, autoescape=True)).limit(3)
    found = read_rows(connection, query)
    if not found:
        raise CallStoreError(f"there is no call {call_id}; voicepipe calls list shows them")
    if len(found) > 1:
        names = ", ".join(row["id"] for row in found)
        raise CallStoreError(f"{call_id} is the beginning of several calls: {names} ...; give more")
    return with_turns(connection, found)[0]


def read_rows(connection: Connection, query: Select[Any]) -> list[Known]:
    """Rows by our names of the columns; the database has an older one for `transport`."""
    columns = {column.key: column for column in query.selected_columns}
    found = connection.execute(query).mappings()
    return [{str(name): row[column] for name, column in columns.items()} for row in found]


def with_turns(connection: Connection, found: list[Known]) -> list[CallWithTurns]:
    """Rows of `calls`, each with its turns."""
    query = select(turns).where(turns.c.call_id.in_([row["id"] for row in found]))
    by_call: dict[str, list[Known]] = {row["id"]: [] for row in found}
    for turn in read_rows(connection, query.order_by(turns.c.call_id, turns.c.number)):
        by_call[turn["call_id"]].append(turn)
    return [CallWithTurns(row, by_call[row["id"]]) for row in found]


def _json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
