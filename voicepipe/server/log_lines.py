"""What the log says: a line a turn, without a word of what was said, and all lines as JSON where
that is wanted.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from voicepipe.ledger.records import TurnRecord

log = logging.getLogger("voicepipe.turns")

PROCESS = "from_process"
"""Name under which a record says which process of several it is from: "[2] "."""

_TURN = "turn"
"""Name under which a log record brings a turn's, of which JSON shows more than words do."""


def log_turn(record: TurnRecord) -> None:
    """For `TurnLog.watch`."""
    if log.isEnabledFor(logging.INFO):
        log.info("%s", turn_line(record), extra={_TURN: record})


def turn_line(record: TurnRecord) -> str:
    """Such as "turn_1 of sess_1: 612 ms = endpoint 400 + asr 30 + ..., completed, hit"."""
    total = record.voice_to_voice_us
    if record.critical is None or total is None:
        took = "no figures" if record.note is None else f"no figures ({record.note})"
    else:
        parts = " + ".join(f"{name} {us / 1000:.0f}" for name, us in record.critical.items())
        took = f"{total / 1000:.0f} ms = {parts}"
    facts: list[str] = [record.end]
    if record.preemption != "none":
        facts.append(record.preemption)
    if record.over_budget:
        facts.append(f"over budget: {', '.join(record.over_budget)}")
    facts += [f"{stage} by {route}" for stage, route in record.decisions.items()]
    return f"{record.turn_id} of {record.session_id}: {took}, {', '.join(facts)}"


def turn_fields(record: TurnRecord) -> dict[str, Any]:
    """The same for machines."""
    told = record.as_dict()
    names = ("turn_id", "session_id", "origin", "end", "voice_to_voice_ms", "overhead_ms")
    more = ("critical_ms", "over_budget", "preemption", "discards", "tokens", "route", "note")
    return {name: told[name] for name in (*names, *more)}


def text_lines() -> logging.Formatter:
    """For people at a terminal, which shows time and level beside."""
    return logging.Formatter(f"%({PROCESS})s%(message)s", "%H:%M:%S", defaults={PROCESS: ""})


def whole_lines() -> logging.Formatter:
    """For people who read a file: as a terminal shows it, but not cut to any width. A line a turn
    costs 4 us so; laid out for a terminal it took 600 of the time in which callers are heard."""
    shown = f"[%(asctime)s] %(levelname)-8s %({PROCESS})s%(message)s"
    return logging.Formatter(shown, "%H:%M:%S", defaults={PROCESS: ""})


def _process(record: logging.LogRecord) -> dict[str, str]:
    name: str = getattr(record, PROCESS, "")
    return {"process": name.strip("[] ")} if name else {}


class JsonLines(logging.Formatter):
    """One JSON object a line; `time` in UTC, tracebacks as text."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told: dict[str, Any] = {
            "time": at,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_process(record),
        }
        turn = getattr(record, _TURN, None)
        if isinstance(turn, TurnRecord):
            told |= turn_fields(turn)
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told, default=str)
