"""The writer under trouble: locked, refused, full, slow; nothing is lost without a word."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.call_log.harness import (
    DEADLINE_S,
    call_settings,
    files_in,
    info,
    open_log,
    stored_calls,
    turn_record,
)
from voicepipe.audio import files, pcm
from voicepipe.audio.formats import PCM_8K
from voicepipe.call_log import log as book_module
from voicepipe.call_log import store as store_module
from voicepipe.call_log.contract import Counts
from voicepipe.call_log.janitor import Janitor
from voicepipe.call_log.log import CallLog
from voicepipe.call_log.recorder import Begin, End, Recorder, SoundJob
from voicepipe.call_log.recording import Heard, Sound
from voicepipe.call_log.rows import Row
from voicepipe.call_log.writer import CallWriter
from voicepipe.config import Settings
from voicepipe.runtime.clock import MonotonicClock


@pytest.fixture(autouse=True)
def _short_wait_for_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "BUSY_S", 0.02)


@contextmanager
def locked(folder: Path) -> Iterator[sqlite3.Connection]:
    """Somebody else holds the write lock."""
    holder = sqlite3.connect(folder / "calls.sqlite3", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield holder
    finally:
        holder.rollback()
        holder.close()


def is_free(folder: Path) -> bool:
    """Whether nobody holds the write lock."""
    other = sqlite3.connect(folder / "calls.sqlite3", isolation_level=None, timeout=0)
    with closing(other):
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        return True


async def until(true: Any) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not true():
            await asyncio.sleep(0.005)


async def test_turns_wait_for_a_locked_database_and_are_all_there_in_order(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path)) as log:
        call = log.begin(info())
        assert await log.flush(DEADLINE_S)
        with locked(tmp_path):
            for number in range(1, 301):  # more than one batch
                assert call.turn(turn_record(number), f"question {number}", "answer")
            await until(lambda: log.counts.retries)
            assert not await log.flush(0.01)
            assert log.problem is not None
            assert "locked" in log.problem
        assert await log.flush(DEADLINE_S)
        assert log.problem is None
        assert log.counts.turns == 300
        assert log.counts.lost_turns == 0
    (stored,) = stored_calls(tmp_path)
    assert [turn["number"] for turn in stored.turns] == list(range(1, 301))
    assert stored.turns[299]["user_text"] == "question 300"


async def test_when_too_many_wait_the_transport_is_told_and_the_loss_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def small(*args: Any, **options: Any) -> CallWriter:
        return CallWriter(*args, **options, max_rows=10)

    monkeypatch.setattr(book_module, "CallWriter", small)
    async with open_log(call_settings(tmp_path)) as log:
        call = log.begin(info())
        assert await log.flush(DEADLINE_S)
        with locked(tmp_path), caplog.at_level(logging.ERROR):
            kept = [call.turn(turn_record(n), "secret words", "") for n in range(1, 16)]
            refused = log.begin(info("sess_2"))
            assert not refused.turn(turn_record(1, "sess_2"), "", "")
            call.end("caller hung up")  # an end is always taken
        assert kept == [True] * 10 + [False] * 5
        assert await log.flush(DEADLINE_S)
        assert log.counts.lost_turns == 6
        assert log.counts.lost_calls == 1
    (stored,) = stored_calls(tmp_path)
    assert len(stored.turns) == 10
    assert stored.call["lost_turns"] == 5
    assert stored.call["end_reason"] == "caller hung up"
    assert f"not written and lost: 1 x turn ({call.id})" in caplog.text
    assert "secret words" not in caplog.text


async def test_a_row_that_can_never_be_written_does_not_hold_up_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_log(call_settings(tmp_path)) as log:
        call = log.begin(info())
        assert await log.flush(DEADLINE_S)
        writer = log._writer
        assert writer is not None
        with locked(tmp_path):  # so that they come in one batch
            call.turn(turn_record(1), "before", "")
            writer.row(Row("turn", "call_of_nobody", {"number": 1, "turn_id": "t"}))
            writer.row(Row("turn", call.id, {"number": 9, "turn_id": "\ud83d"}))
            call.turn(turn_record(2), "after", "")
        assert await log.flush(DEADLINE_S)
        assert log.counts.lost_turns == 2
    (stored,) = stored_calls(tmp_path)
    assert [turn["user_text"] for turn in stored.turns] == ["before", "after"]
    assert "call_of_nobody" in caplog.text
    assert "it cannot be written: IntegrityError" in caplog.text


async def test_words_are_redacted_once_and_before_the_transaction(tmp_path: Path) -> None:
    free: list[bool] = []

    def redact(text: str) -> str:
        free.append(is_free(tmp_path))
        return text.replace("secret", "[word]")

    async with open_log(call_settings(tmp_path)) as log:
        log._context = replace(log._context, redact=redact)
        call = log.begin(info())
        assert await log.flush(DEADLINE_S)
        call.turn(turn_record(1), "my secret", "")
        assert await log.flush(DEADLINE_S)
        assert free == [True], "nobody holds the database meanwhile"
        with locked(tmp_path):
            call.turn(turn_record(2), "secret", "")
            await until(lambda: log.counts.retries >= 2)
        assert await log.flush(DEADLINE_S)
        assert len(free) == 2, "each text once, however often it is tried"
    (stored,) = stored_calls(tmp_path)
    assert [turn["user_text"] for turn in stored.turns] == ["my [word]", "[word]"]


async def test_words_that_cannot_be_redacted_are_not_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(text: str) -> str:
        raise RuntimeError(text)

    async with open_log(call_settings(tmp_path)) as log:
        plain = log._context
        log._context = replace(plain, redact=broken)
        log.begin(info()).turn(turn_record(1), "my secret", "")
        log._context = plain
        log.begin(info("sess_2")).turn(turn_record(1, "sess_2"), "hello", "")
        assert await log.flush(DEADLINE_S)
        assert log.counts.lost_turns == 1
    assert [len(one.turns) for one in stored_calls(tmp_path)] == [0, 1]
    assert "could not be redacted: RuntimeError" in caplog.text
    assert "my secret" not in caplog.text


async def test_a_call_knows_of_the_turns_that_could_not_be_written(tmp_path: Path) -> None:
    def broken(text: str) -> str:
        raise RuntimeError(text)

    hook = {
        "url": "https://example.com/hook",
        "secret": "whsec_" + "A" * 32,
        "events": ["call.ended"],
    }
    kept = call_settings(tmp_path).model_dump()
    settings = Settings.model_validate({**kept, "webhooks": {"crm": hook}})
    async with open_log(settings) as log:
        plain = log._context
        first, second = log.begin(info()), log.begin(info("sess_2"))
        log._context = replace(plain, redact=broken)
        third = log.begin(info("sess_3"))
        for number in (1, 2):
            third.turn(turn_record(number, "sess_3"), "my secret", "")
        for call in (first, second, third):
            call.turn(turn_record(9), "hello", "")
            call.end("caller hung up")
        assert await log.flush(DEADLINE_S)
        assert log.outbox is not None
        told = [json.loads(event.body)["data"] for event in log.outbox.due("crm", 9)]
    assert [one.call["lost_turns"] for one in stored_calls(tmp_path)] == [0, 0, 3]
    assert [one["lost_turns"] for one in told] == [0, 0, 3]


async def test_what_cannot_be_written_before_the_end_is_logged_as_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = CallLog(call_settings(tmp_path), MonotonicClock())
    await log.start()
    call = log.begin(info())
    assert await log.flush(DEADLINE_S)
    with locked(tmp_path):
        call.turn(turn_record(1), "", "")
        assert not await log.aclose(0.2)
    assert log.counts.lost_turns == 1
    assert "not written and lost: 1 x turn, 1 x end" in caplog.text
    assert not call.turn(turn_record(2), "", "")  # too late, and said so
    assert log.counts.lost_turns == 2


async def test_chores_that_fail_in_any_way_do_not_end_the_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(janitor: Janitor) -> None:
        raise ValueError("secret words")

    async with open_log(call_settings(tmp_path)) as log:
        assert log._janitor is not None
        monkeypatch.setattr(Janitor, "_end_orphans", broken)
        log._janitor.chores()
    assert "was not looked after: ValueError" in caplog.text
    assert "secret words" not in caplog.text


async def test_sound_beyond_the_bound_is_missing_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def small(*args: Any, **options: Any) -> CallWriter:
        return CallWriter(*args, **options, max_sound_bytes=100)

    monkeypatch.setattr(book_module, "CallWriter", small)
    async with open_log(call_settings(tmp_path, record_audio=True)) as log:
        call = log.begin(info())
        call.heard_from_caller(bytes(32_000), log._clock.now())
        call.end("done")
        assert await log.flush(DEADLINE_S)
        assert log.counts.lost_sound_s == pytest.approx(1.0)
    (stored,) = stored_calls(tmp_path)
    assert stored.call["lost_sound_s"] == pytest.approx(1.0)


async def test_a_disk_that_refuses_the_recording_leaves_the_call_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sound").write_text("a file where the folder should be")
    async with open_log(call_settings(tmp_path, record_audio=True)) as log:
        call = log.begin(info())
        call.heard_from_caller(bytes(3200), log._clock.now())
        assert call.turn(turn_record(1), "hello", "hi")
        call.end("done")
    (stored,) = stored_calls(tmp_path)
    assert stored.call["recording"] is None
    assert stored.call["lost_sound_s"] == pytest.approx(0.1)
    assert len(stored.turns) == 1
    assert f"call {call.id} is not recorded" in caplog.text


async def test_a_disk_that_is_full_for_a_while_leaves_a_gap_and_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = Counts()
    recorder = Recorder(tmp_path, 8000, counts)
    wires = (PCM_8K, PCM_8K)
    second = pcm.to_bytes(np.full(8000, 1000, dtype=np.int16))

    def said(at_s: float) -> None:
        recorder.do(SoundJob("call", Sound(caller=[Heard(at_s + 1, second)])))

    assert recorder.do(SoundJob("call", Begin("call.wav", wires, datetime.now(UTC))))
    said(0.0)
    with monkeypatch.context() as disk:
        disk.setattr(os, "pwrite", lambda file, data, place: len(data) // 2)
        said(1.0)
        said(2.0)
    said(3.0)
    (row,) = recorder.do(SoundJob("call", End(4.0, 0.0)))
    assert row.values == {"lost_sound_s": 2.0}
    samples = files.read(tmp_path / "call.wav", 8000)
    loud = [bool(np.abs(samples[n * 8000 + 4000 : n * 8000 + 4100]).max()) for n in range(4)]
    assert (loud[0], loud[2], loud[3]) == (True, False, True)
    assert samples.size == 4 * 8000
    assert caplog.text.count("has a gap from here on") == 1
    assert caplog.text.count("goes on") == 1


async def test_half_a_sample_ends_the_recording_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_log(call_settings(tmp_path, record_audio=True)) as log:
        call = log.begin(info())
        call.heard_from_caller(b"\x01\x02\x03", log._clock.now())
        call.end("done")
        next_call = log.begin(info("sess_2"))
        next_call.end("done")
    assert [one.call["end_reason"] for one in stored_calls(tmp_path)] == ["done", "done"]
    assert f"the recording of call {call.id} ends here: 16-bit PCM needs an even" in caplog.text


@pytest.mark.parametrize("restored", [False, True])
async def test_a_database_that_is_deleted_or_replaced_under_the_server_is_noticed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, restored: bool
) -> None:
    """SQLite itself goes on writing into the file that nobody finds any more."""
    file, backup = tmp_path / "calls.sqlite3", tmp_path / "backup" / "calls.sqlite3"
    backup.parent.mkdir()
    async with open_log(call_settings(backup.parent)):
        pass
    async with open_log(call_settings(tmp_path)) as log:
        log.begin(info("sess_1")).end("done")
        assert await log.flush(DEADLINE_S)
        for part in files_in(tmp_path):
            if part.parent == tmp_path:
                part.unlink()
        if restored:
            backup.rename(file)
        assert log._janitor is not None
        log._janitor.chores()
        log.begin(info("sess_2")).end("done")
        assert await log.flush(DEADLINE_S)
        assert log.counts.lost_calls == 0
    assert [one.call["session_id"] for one in stored_calls(tmp_path)] == ["sess_2"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "was moved, deleted or replaced" in caplog.text
