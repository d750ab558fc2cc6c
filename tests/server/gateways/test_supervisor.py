"""What the parent does about a gateway that hangs, or whose end could not be written down."""

from __future__ import annotations

import logging
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from voicepipe.server.gateways.channel import Channel
from voicepipe.server.gateways.fleet import HUNG_S, Gateway
from voicepipe.server.gateways.supervisor import ASLEEP_S, Supervisor


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[tuple[Supervisor, Gateway, subprocess.Popen[bytes]]]:
    """A gateway that was ready at 0 and has said nothing since; it stands for a process."""
    supervisor = Supervisor({}, 1, tmp_path, lambda place: 0, stop_s=1.0)
    ours, theirs = Channel.pair()
    with subprocess.Popen(["sleep", "60"]) as process:
        one = Gateway(1, "1-1", process.pid, ours, 0.0, 0.0, ready_s=0.0)
        supervisor._gateways[1] = one
        yield supervisor, one, process
        process.kill()
    ours.close()
    theirs.close()
    supervisor._selector.close()
    supervisor._wake.close()
    supervisor._woken.close()


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
