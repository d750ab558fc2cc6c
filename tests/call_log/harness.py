"""Books, calls and turns for the tests of the calls' record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import URL, select, update

from voicepipe.audio.formats import PCM_16K, AudioFormat
from voicepipe.call_log import schema
from voicepipe.call_log.contract import CallInfo
from voicepipe.call_log.log import CallLog
from voicepipe.call_log.query import CallFilter, CallWithTurns, every_call
from voicepipe.call_log.store import CallStore
from voicepipe.config import Settings
from voicepipe.ledger.records import TurnRecord
from voicepipe.ledger.trace import Attempt, Ended, Final, Trace
from voicepipe.runtime.clock import Clock, MonotonicClock

DEADLINE_S = 30.0
"""For what takes milliseconds on a quiet machine."""

START = datetime(2026, 11, 21, 14, 30, tzinfo=UTC)


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def in_files(folder: Path, words: bytes) -> bool:
    """Whether any file below holds them."""
    return any(words in path.read_bytes() for path in files_in(folder))


class WallTime:
    """A wall clock that stands where it is put."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def advance(self, **by: float) -> None:
        self.at += timedelta(**by)


def call_settings(folder: Path, **changes: Any) -> Settings:
    """Calls are kept in `folder`."""
    calls = {"enabled": True, "database": sqlite_url(folder), "recordings_dir": folder / "sound"}
    return Settings.model_validate({"calls": {**calls, **changes}})


def sqlite_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'calls.sqlite3'}"


def opened_store(folder: Path, *, create: bool = False) -> CallStore:
    return CallStore(URL.create("sqlite", database=str(folder / "calls.sqlite3")), create=create)


@asynccontextmanager
async def open_log(
    settings: Settings, now: WallTime | None = None, clock: Clock | None = None
) -> AsyncIterator[CallLog]:
    log = CallLog(settings, clock or MonotonicClock(), now or WallTime())
    await log.start()
    try:
        yield log
    finally:
        await log.aclose(DEADLINE_S)


def info(session_id: str = "sess_1", **changes: Any) -> CallInfo:
    wire: AudioFormat = changes.pop("wire", PCM_16K)
    fields: dict[str, Any] = {
        "transport": "twilio",
        "carrier_call_id": "CA1",
        "caller": "+4912345",
        "called": "+4967890",
        "input_format": wire,
        "output_format": wire,
    }
    return CallInfo(session_id=session_id, **{**fields, **changes})


def stored_calls(folder: Path) -> list[CallWithTurns]:
    """All that the database holds, in order, read through a connection of its own."""
    store = opened_store(folder)
    try:
        with store.reading() as connection:
            found = list(every_call(connection, CallFilter()))
    finally:
        store.close()
    return sorted(found, key=lambda one: (one.call["started_at"], one.call["session_id"]))


def set_columns(folder: Path, call_id: str, **values: Any) -> None:
    """Change a stored call behind everybody's back."""
    store = opened_store(folder)
    with store.transaction() as connection:
        change = update(schema.calls).where(schema.calls.c.id == call_id)
        connection.execute(change.values(**values))
    store.close()


def call_columns(call_id: str, server_id: str, **changes: Any) -> dict[str, Any]:
    """A row of the table of calls, of one that has not ended."""
    texts = ("session_id", "transport", "carrier_call_id", "caller", "called", "profile", "version")
    fixed = {"id": call_id, "server_id": server_id, "started_at": START, "answered": True}
    return {**dict.fromkeys(texts, ""), **fixed, **changes}


def stored_servers(folder: Path) -> Sequence[Any]:
    store = opened_store(folder)
    try:
        with store.reading() as connection:
            return connection.execute(select(schema.servers)).all()
    finally:
        store.close()


def turn_record(number: int = 1, session_id: str = "sess_1", **changes: Any) -> TurnRecord:
    """A spoken turn as a session measures it: answered in 302 ms, replayable by `whatif`."""
    marks = {
        "speech_end": 0,
        "eager_end": 120_000,
        "endpoint": 300_000,
        "asr_final": 180_000,
        "llm_request": 181_000,
        "llm_first_token": 230_000,
        "first_clause": 240_000,
        "tts_first_audio": 280_000,
        "audio_out": 302_000,
    }
    critical = dict.fromkeys(("asr", "llm", "clause", "tts"), 0)
    critical |= {"endpoint": 300_000, "output": 2_000}
    stages = {"asr": 60_000, "prompt": 1_000, "llm": 49_000, "clause": 10_000, "tts": 40_000}
    trace = Trace(
        start_ms=1000,
        runs_ms=((800, 300),),
        finals=(Final(800, 980, 60_000, "complete", 1),),
        attempts=(Attempt(920, 800, "committed", 182_000, stages),),  # type: ignore[arg-type]
        ended=Ended(800, 1100, "silence"),
        options={},
    )
    fields: dict[str, Any] = {
        "turn_id": f"turn_{number}",
        "session_id": session_id,
        "origin": "speech",
        "end": "completed",
        "marks": marks,
        "critical": critical,
        "work": {"asr": 60_000, "llm": 49_000, "clause": 10_000, "tts": 40_000},
        "budget": {"endpoint": 320_000, "asr": 60_000, "llm": 100_000},
        "preemption": "hit",
        "route": {"llm": "primary"},
        "trace": trace,
    }
    return TurnRecord(**{**fields, **changes})
