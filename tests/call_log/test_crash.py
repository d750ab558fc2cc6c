"""What a kill -9 leaves behind, and what the next server makes of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.call_log.harness import (
    DEADLINE_S,
    START,
    WallTime,
    call_columns,
    call_settings,
    info,
    open_log,
    opened_store,
    set_columns,
    stored_calls,
    turn_record,
)
from tests.call_log.test_recording import read_stereo
from voicepipe.call_log import schema
from voicepipe.call_log.janitor import SERVER_STOPPED, SILENT_S

ROOT = Path(__file__).resolve().parents[2]
ENOUGH_S = 1.5
"""Sound is handed to the writer once a second."""


async def test_a_killed_server_loses_no_turn_it_had_committed(tmp_path: Path) -> None:
    call_id, committed = _run_and_kill(tmp_path)
    (left,) = stored_calls(tmp_path)
    assert left.call["ended_at"] is None
    texts = [turn["user_text"] for turn in left.turns]
    assert texts[:committed] == [f"question {n}" for n in range(1, committed + 1)]
    async with open_log(call_settings(tmp_path)) as log:
        next_call = log.begin(info("sess_2"))
        next_call.end("done")
        assert await log.flush(DEADLINE_S)
        mended = {one.call["id"]: one for one in stored_calls(tmp_path)}[call_id]
    assert mended.call["end_reason"] == SERVER_STOPPED
    assert mended.call["ended_at"] >= mended.turns[-1]["recorded_at"]
    assert len(mended.turns) == len(left.turns)
    samples, _ = read_stereo(tmp_path / "sound" / mended.call["recording"])
    assert samples[:, 0].any()


def _run_and_kill(folder: Path) -> tuple[str, int]:
    """The call's id, and how many turns its process said were committed when it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.call_log.crashing", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    call_id = process.stdout.readline().strip()
    committed = 0
    while committed < 50 or not _has_sound(folder):
        line = process.stdout.readline()
        assert line, "the process ended by itself"
        committed = int(line)
    os.kill(process.pid, signal.SIGKILL)
    rest, _ = process.communicate(timeout=DEADLINE_S)
    said = [int(line) for line in rest.splitlines() if line]
    assert process.returncode == -signal.SIGKILL
    return call_id, max([committed, *said])


def _has_sound(folder: Path) -> bool:
    return any(path.stat().st_size > 1000 for path in folder.glob("sound/*/*.wav"))


def _leave_a_call(folder: Path, **server: object) -> None:
    """As a server left it that began at START, was seen last a minute later, and is gone."""
    fields = {
        "id": "server_gone",
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "version": "0",
        "started_at": START,
        "seen_at": START + timedelta(minutes=1),
    }
    store = opened_store(folder, create=True)
    with store.transaction() as connection:
        connection.execute(schema.servers.insert().values(**(fields | server)))
        connection.execute(schema.calls.insert().values(**call_columns("call_left", "server_gone")))
    store.close()


def _dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait(timeout=DEADLINE_S)
    return process.pid


async def _reason_after_a_start(folder: Path, now: WallTime) -> str | None:
    async with open_log(call_settings(folder), now) as log:
        assert await log.flush(DEADLINE_S)
        (stored,) = stored_calls(folder)
        reason: str | None = stored.call["end_reason"]
        return reason


SOON = START + timedelta(minutes=1, seconds=5)
LATE = START + timedelta(minutes=1, seconds=SILENT_S + 5)


async def test_calls_of_a_dead_process_end_at_the_last_sign_of_life(tmp_path: Path) -> None:
    _leave_a_call(tmp_path, pid=_dead_pid())
    assert await _reason_after_a_start(tmp_path, WallTime(SOON)) == SERVER_STOPPED
    (stored,) = stored_calls(tmp_path)
    assert stored.call["ended_at"] == START + timedelta(minutes=1)


async def test_a_container_that_starts_again_with_the_same_number_is_another_server(
    tmp_path: Path,
) -> None:
    _leave_a_call(tmp_path, pid=os.getpid())
    assert await _reason_after_a_start(tmp_path, WallTime(SOON)) == SERVER_STOPPED


@pytest.mark.parametrize(("at", "reason"), [(SOON, None), (LATE, SERVER_STOPPED)])
async def test_another_machines_server_is_dead_when_it_has_been_silent_for_long(
    tmp_path: Path, at: object, reason: str | None
) -> None:
    _leave_a_call(tmp_path, host="another-machine", pid=_dead_pid())
    assert await _reason_after_a_start(tmp_path, WallTime(at)) == reason  # type: ignore[arg-type]


async def test_a_living_process_keeps_its_calls(tmp_path: Path) -> None:
    _leave_a_call(tmp_path, pid=os.getppid())
    assert await _reason_after_a_start(tmp_path, WallTime(SOON)) is None


async def test_two_servers_at_one_database_leave_each_others_calls_alone(tmp_path: Path) -> None:
    settings = call_settings(tmp_path)
    async with open_log(settings) as first:
        call = first.begin(info("sess_1"))
        assert await first.flush(DEADLINE_S)
        async with open_log(settings) as second:
            other = second.begin(info("sess_2"))
            assert call.turn(turn_record(1), "still here", "")
            other.turn(turn_record(1, "sess_2"), "me too", "")
            other.end("done")
        ends = {c.call["id"]: c.call["end_reason"] for c in stored_calls(tmp_path)}
        assert ends == {call.id: None, other.id: "done"}
        call.end("caller hung up")
    first_call, second_call = sorted(stored_calls(tmp_path), key=lambda c: c.call["session_id"])
    assert first_call.call["end_reason"] == "caller hung up"
    assert second_call.call["end_reason"] == "done"
    assert [turn["user_text"] for turn in first_call.turns] == ["still here"]


async def test_an_end_that_was_guessed_is_replaced_by_the_real_one(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path)) as log:
        call = log.begin(info())
        assert await log.flush(DEADLINE_S)
        set_columns(tmp_path, call.id, ended_at=START, end_reason=SERVER_STOPPED)
        call.end("caller hung up")
    (stored,) = stored_calls(tmp_path)
    assert stored.call["end_reason"] == "caller hung up"
