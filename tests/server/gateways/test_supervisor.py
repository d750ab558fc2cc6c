"""What the parent does about a gateway that hangs or ends, or whose end could not be written
down."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.server.gateways.channel import Channel
from voicepipe.server.gateways.engine_process import EngineProcess
from voicepipe.server.gateways.fleet import HUNG_S, Gateway
from voicepipe.server.gateways.place import Port, Stage, tell_failure
from voicepipe.server.gateways.reception import ACCEPT_AT_ONCE
from voicepipe.server.gateways.supervisor import AGAIN_S, ASLEEP_S, Supervisor


def new_supervisor(
    folder: Path,
    on_death: Callable[[str], bool] = lambda gateway_id: True,
    listeners: Mapping[Port, socket.socket] | None = None,
) -> Supervisor:
    listeners = listeners or {}
    return Supervisor(listeners, 1, folder, lambda place: 0, stop_s=1.0, on_death=on_death)


def put_away(supervisor: Supervisor) -> None:
    supervisor._selector.close()
    supervisor._wake.close()
    supervisor._woken.close()


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[tuple[Supervisor, Gateway, subprocess.Popen[bytes]]]:
    """A gateway that was ready at 0 and has said nothing since; it stands for a process."""
    supervisor = new_supervisor(tmp_path)
    ours, theirs = Channel.pair()
    with subprocess.Popen(["sleep", "60"]) as process:
        one = Gateway(1, "1-1", process.pid, ours, 0.0, 0.0, ready_s=0.0)
        supervisor._gateways[1] = one
        yield supervisor, one, process
        process.kill()
    ours.close()
    theirs.close()
    put_away(supervisor)


def test_a_gateway_that_hangs_is_killed_once(
    hanging: tuple[Supervisor, Gateway, subprocess.Popen[bytes]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    supervisor, _, process = hanging
    for now in (HUNG_S - 1, HUNG_S):
        supervisor._looked_s = now
        supervisor._kill_hung(now)
    assert process.poll() is None
    with caplog.at_level(logging.ERROR):
        supervisor._kill_hung(HUNG_S + 1)
        assert process.wait(10) == -signal.SIGKILL
        supervisor._kill_hung(HUNG_S + 2)
    assert [record.message for record in caplog.records] == [
        "gateway 1 has hung for 30 s and is killed"
    ]


def test_a_parent_that_slept_believes_no_silence(
    hanging: tuple[Supervisor, Gateway, subprocess.Popen[bytes]],
) -> None:
    supervisor, one, process = hanging
    supervisor._looked_s = 0.0
    supervisor._kill_hung(100 * HUNG_S)
    assert one.heard_s == 100 * HUNG_S
    supervisor._kill_hung(100 * HUNG_S + ASLEEP_S)
    assert process.poll() is None


def test_a_gateway_that_starts_may_be_silent() -> None:
    ours, theirs = Channel.pair()
    assert not Gateway(1, "1-1", 0, ours, 0.0, 0.0).hung(100 * HUNG_S)
    ours.close()
    theirs.close()


def test_what_a_dead_gateway_held_is_freed_until_that_succeeds(tmp_path: Path) -> None:
    answers = [False, False, True]
    told: list[str] = []

    def on_death(gateway_id: str) -> bool:
        told.append(gateway_id)
        return answers[len(told) - 1]

    supervisor = new_supervisor(tmp_path, on_death)
    supervisor._died("1-1")
    supervisor._mourn(time.monotonic())
    assert told == ["1-1"], "not at once"
    for _ in range(3):
        supervisor._mourn(time.monotonic() + 2 * AGAIN_S)
    assert told == ["1-1"] * 3
    put_away(supervisor)


def test_callers_wait_for_the_next_gateway_and_are_refused_where_there_will_be_none(
    hanging: tuple[Supervisor, Gateway, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    _, ending, _ = hanging
    ending.stage, ending.heard_s = Stage.ENDING, time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        supervisor = new_supervisor(tmp_path, listeners={Port.HTTP: listener})
        supervisor._gateways[1] = ending
        address = listener.getsockname()
        with socket.create_connection(address):
            supervisor._step()
            assert not ending.handed
            supervisor._stop_at = time.monotonic() + 60.0
            supervisor._step()
            ((_, connection),) = ending.handed
            connection.close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address)
    put_away(supervisor)


def test_all_who_wait_when_the_last_gateway_ends_come_in(
    hanging: tuple[Supervisor, Gateway, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    _, ending, _ = hanging
    ending.stage, ending.heard_s = Stage.ENDING, time.monotonic()
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener, ExitStack() as callers:
        supervisor = new_supervisor(tmp_path, listeners={Port.HTTP: listener})
        supervisor._gateways[1] = ending
        for _ in range(2 * ACCEPT_AT_ONCE + 1):
            callers.enter_context(socket.create_connection(listener.getsockname()))
        supervisor._stop_at = time.monotonic() + 60.0
        supervisor._step()
        assert len(ending.handed) == 2 * ACCEPT_AT_ONCE + 1
        for _, connection in ending.handed:
            connection.close()
    put_away(supervisor)


def test_a_process_that_the_system_has_no_room_for_is_started_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The parent ended over it, and all calls with it."""

    def no_room(*args: object) -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("voicepipe.server.gateways.supervisor.fork", no_room)
    monkeypatch.setattr("voicepipe.server.gateways.engine_process.fork", no_room)
    supervisor = Supervisor({}, 1, tmp_path, lambda place: 0, engines=lambda channel: 0, stop_s=1.0)
    before = len(os.listdir("/proc/self/fd"))
    supervisor._start(1)
    supervisor._look_at_engines()
    assert len(os.listdir("/proc/self/fd")) == before
    assert not supervisor._gateways
    assert supervisor._due[1] > time.monotonic()
    supervisor._look_at_engines()  # not yet
    assert [record.message for record in caplog.records] == [
        "gateway 1 cannot be started now: Resource temporarily unavailable; it is tried again",
        "the engines' process cannot be started now: Resource temporarily unavailable; it is tried "
        "again",
    ]
    put_away(supervisor)


def test_engines_that_load_for_long_and_fail_are_tried_ever_later() -> None:
    """Loading is not being well: it went on and on, beside the calls."""
    process = EngineProcess(lambda channel: 0, lambda: None, lambda how, why: True)
    pauses = []
    for _ in range(3):
        ours, theirs = Channel.pair()
        tell_failure(theirs, EngineUnavailable("no room on the GPU", stage="llm"))
        theirs.close()
        with subprocess.Popen(["false"]) as child:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            process._pid, process._channel, process._born_s = child.pid, ours, 0.0
            process._bury_if_dead(100.0)
            child.returncode = 1  # it was waited for
        pauses.append(process._due_s - 100.0)
    assert pauses == [0.0, 0.5, 1.0]


def test_a_gateway_that_starts_is_told_of_a_reload_when_it_can_hear_it(
    hanging: tuple[Supervisor, Gateway, subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was forked with the agents of before, and hears no signal until it serves."""
    supervisor, one, _ = hanging
    told: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: told.append(number))
    report = {"connections": 0, "calls": 0, "received": 0, "lost": [], "declined": []}
    for end in (supervisor._wake, supervisor._woken):
        end.setblocking(False)
    supervisor._wake.send(bytes([signal.SIGHUP]))
    supervisor._read_signals()
    told.clear()
    for stage in (Stage.SERVING, Stage.READY, Stage.READY):
        supervisor._told(one, {"stage": stage, **report})
    assert told == [signal.SIGHUP], "once"
    supervisor._wake.send(bytes([signal.SIGHUP]))
    supervisor._read_signals()
    supervisor._told(one, {"stage": Stage.READY, **report})
    assert told == [signal.SIGHUP] * 2
    monkeypatch.undo()
