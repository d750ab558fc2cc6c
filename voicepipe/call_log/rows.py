"""What is written down of a call, one change at a time. Each may be sent twice without harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, update

from voicepipe.call_log.events import CallEvent
from voicepipe.call_log.schema import calls, turns
from voicepipe.call_log.store import insert_once
from voicepipe.privacy.redactor import Redactor

RowKind = Literal["call", "turn", "recording", "end"]
TEXTS = ("user_text", "agent_text")

MAX_TOOL_CHARS = 4000
"""Of a tool call's arguments, and of its result, that are kept."""


@dataclass(frozen=True, slots=True)
class Row:
    """`values`: columns. A "call" and a "turn" are inserted, the others change their call. `event`:
    what webhooks are told of it, written with it or not at all. `redact`: for a turn's texts; since
    it may take long, `redacted` is called before, on the thread that writes."""

    kind: RowKind
    call_id: str
    values: Mapping[str, Any]
    event: CallEvent | None = None
    redact: Redactor | None = None

    def redacted(self) -> Row:
        """As it may be written. Raises what the redactor does."""
        if (redact := self.redact) is None:
            return self
        values = dict(self.values)
        said = {name: values[name] for name in TEXTS if values[name]}
        values |= {name: storable(redact(text)) for name, text in said.items()}
        values["tool_calls"] = [_without(redact, call) for call in values["tool_calls"]]
        return replace(self, values=values, redact=None)

    def write(self, connection: Connection) -> None:
        """Raises SQLAlchemyError, or ValueError for what was not redacted."""
        if self.redact is not None:
            raise ValueError("its texts were not redacted")
        if self.kind == "call":
            self._insert(calls, {"id": self.call_id}, connection)
        elif self.kind == "turn":
            self._write_turn(connection)
            return
        else:
            change = update(calls).where(calls.c.id == self.call_id)
            connection.execute(change, dict(self.values))
        if self.event is not None:
            self.event.write(connection)

    def _write_turn(self, connection: Connection) -> None:
        values = dict(self.values)
        values["tool_calls"] = [_cut(call) for call in values.get("tool_calls", ())]
        replace(self, values=values)._insert(turns, {"call_id": self.call_id}, connection)
        if self.event is not None:
            replace(self.event, data=_told(values)).write(connection)

    def _insert(self, table: Any, key: Mapping[str, str], connection: Connection) -> None:
        connection.execute(
            insert_once(table, connection.dialect.name), {**key, **dict(self.values)}
        )


def _without(redact: Redactor, call: Mapping[str, str]) -> dict[str, str]:
    """What a tool was asked and answered, without personal data."""
    return {name: text if name == "name" else storable(redact(text)) for name, text in call.items()}


def _cut(call: Mapping[str, str]) -> dict[str, str]:
    """After it was redacted: half a number would not be known for one."""
    return {name: text[:MAX_TOOL_CHARS] for name, text in call.items()}


def _told(turn: Mapping[str, Any]) -> dict[str, object]:
    """What webhooks are told of a turn: what is written down of it."""
    figures = {name: turn[name] for name in ("number", "turn_id", "end", "voice_to_voice_us")}
    said = {"user": turn["user_text"], "agent": turn["agent_text"]}
    return {"turn": {**figures, **said, "tool_calls": turn["tool_calls"], "ledger": turn["ledger"]}}


def recording_row(call_id: str, path: str, started_at: datetime) -> Row:
    """Sound is kept from `started_at` on, at `path` below the recordings folder."""
    return Row("recording", call_id, {"recording": path, "recording_started_at": started_at})


def storable(text: str) -> str:
    """Without what a database refuses: NUL (PostgreSQL) and half surrogate pairs (both)."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
