"""What webhooks are told of calls, written into the database in the transaction of what it tells
of: neither is there without the other, whatever dies in between.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from voicepipe.call_log.query import Known, read_rows
from voicepipe.call_log.schema import calls, turns, webhook_events
from voicepipe.call_log.store import insert_once
from voicepipe.ledger.percentiles import percentile

Subscriptions = Mapping[str, Collection[str]]
"""The events that each webhook is told of, by its name."""


@dataclass(frozen=True, slots=True)
class CallEvent:
    """One event for some webhooks. `number`: tells those of a type and call apart. `data`: what it
    says of the call; what only the database knows is added."""

    type: str
    call_id: str
    webhooks: Sequence[str]
    server_id: str
    at: datetime
    number: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)
    traceparent: str = ""

    def write(self, connection: Connection) -> None:
        """Raises SQLAlchemyError. It may be written twice without harm."""
        if not self.webhooks:  # a call may have thousands of turns to read
            return
        body = event_body(self.type, self.at, {**self._call(connection), **self.data})
        for webhook in self.webhooks:
            values = {
                "id": _id(webhook, self),
                "webhook": webhook,
                "call_id": self.call_id,
                "server_id": self.server_id,
                "type": self.type,
                "body": body,
                "traceparent": self.traceparent,
                "created_at": self.at,
                "due_at": self.at,
            }
            connection.execute(insert_once(webhook_events, connection.dialect.name), values)

    def _call(self, connection: Connection) -> dict[str, Any]:
        query = select(calls).where(calls.c.id == self.call_id)
        call = next(iter(read_rows(connection, query)), None)
        if call is None:
            return {"record_id": self.call_id}
        if self.type != "call.ended":
            return of_call(call)
        said = select(turns).where(turns.c.call_id == self.call_id).order_by(turns.c.number)
        return {**of_call(call), **of_its_end(call, read_rows(connection, said))}


def event_body(kind: str, at: datetime, data: Mapping[str, Any]) -> str:
    """The JSON of one event."""
    return json.dumps({"type": kind, "timestamp": at.isoformat(), "data": data})


def of_call(call: Known) -> dict[str, Any]:
    """What every event says."""
    return {
        "call_id": call["live_id"] or call["session_id"],
        "record_id": call["id"],
        "session_id": call["session_id"],
        "transport": call["transport"],
        "carrier_call_id": call["carrier_call_id"],
        "caller": call["caller"],
        "called": call["called"],
        "agent": call["agent"] or "",
        "started_at": call["started_at"].isoformat(),
    }


def of_its_end(call: Known, said: Sequence[Known]) -> dict[str, Any]:
    """The transcript as heard, figures, and where the recording is (below `recordings_dir`)."""
    ended_at: datetime | None = call["ended_at"]
    waits = sorted(t["voice_to_voice_us"] for t in said if t["voice_to_voice_us"] is not None)
    lasted = None if ended_at is None else (ended_at - call["started_at"]).total_seconds()
    return {
        "ended_at": None if ended_at is None else ended_at.isoformat(),
        "duration_s": lasted,
        "end_reason": call["end_reason"],
        "transcript": [
            {"turn": turn["number"], "user": turn["user_text"], "agent": turn["agent_text"]}
            for turn in said
        ],
        "turns": len(said),
        "lost_turns": call["lost_turns"],
        "voice_to_voice_ms": {"n": len(waits), "p50": _ms(waits, 0.50), "p95": _ms(waits, 0.95)},
        "recording": call["recording"],
    }


def _ms(waits: Sequence[int], share: float) -> float | None:
    return round(percentile(waits, share) / 1000, 1) if waits else None


def _id(webhook: str, event: CallEvent) -> str:
    """The same whenever the same event is written."""
    text = f"{webhook}\n{event.call_id}\n{event.type}\n{event.number}"
    return f"msg_{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def subscribers(subscriptions: Subscriptions, kind: str) -> tuple[str, ...]:
    """The webhooks that are told of such events."""
    return tuple(name for name, kinds in subscriptions.items() if kind in kinds)
