"""Who gets the next connection, and what becomes of one that was on its way to a dead gateway."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.gateways.attendance import Attendance
from voicepipe.server.gateways.channel import Channel, ChannelClosed, Message
from voicepipe.server.gateways.children import SHAKY_S, Deaths, ended
from voicepipe.server.gateways.fleet import RESTS_S, SILENT_S, Gateway, choose
from voicepipe.server.gateways.place import Port, Stage, failure_of, tell_failure


@pytest.fixture
def fleet() -> Iterator[tuple[list[Gateway], list[Channel]]]:
    pairs = [Channel.pair() for _ in range(2)]
    gateways = [
        Gateway(number, f"{number}-{number}", 0, ours, 0.0, 0.0, Stage.READY)
        for number, (ours, _) in enumerate(pairs, 1)
    ]
    yield gateways, [theirs for _, theirs in pairs]
    for one in gateways:
        one.channel.close()
        for _, connection in one.handed:
            connection.close()
    for _, theirs in pairs:
        theirs.close()


def handed(gateways: list[Gateway], count: int) -> list[int]:
    """Numbers of those who were given a new connection each."""
    found = []
    for _ in range(count):
        ours, theirs = socket.socketpair()
        theirs.close()
        chosen = choose(gateways, 0.0)[0]
        assert chosen.hand(Port.HTTP, ours)
        found.append(chosen.number)
    return found


def report(one: Gateway, connections: int, received: int, now_s: float = 0.0) -> None:
    body: dict[str, Any] = {"connections": connections, "calls": 0, "received": received}
    body |= {"lost": [], "declined": []}
    assert one.reported(body, now_s) == []


def test_a_burst_is_spread_before_anybody_has_reported(
    fleet: tuple[list[Gateway], list[Channel]],
) -> None:
    gateways, _ = fleet
    assert sorted(handed(gateways, 6)) == [1, 1, 1, 2, 2, 2]
    report(gateways[0], connections=0, received=3)  # those were short
    assert handed(gateways, 3) == [1, 1, 1]


def test_a_gateway_that_cannot_take_calls_or_says_nothing_is_left_out(
    fleet: tuple[list[Gateway], list[Channel]],
) -> None:
    (one, other), _ = fleet
    one.stage = Stage.SERVING
    assert choose([one, other], 0.0) == [other]
    assert choose([one], 0.0) == [one], "it can say at least that callers have to wait"
    report(one, 0, 0, now_s=SILENT_S)
    assert choose([one, other], SILENT_S) == [one], "the other has hung for so long"
    one.stage = Stage.STARTING
    assert choose([one, other], SILENT_S) == []


def test_a_gateway_that_leaves_gets_what_no_other_can_have(
    fleet: tuple[list[Gateway], list[Channel]],
) -> None:
    (one, other), (theirs, _) = fleet
    going: Stage | None = None
    attendance = Attendance(theirs, {}, lambda: (0, 0), lambda: None, lambda: going)
    attendance.ready()
    going = Stage.LEAVING
    attendance._report()
    stages = []
    while (message := one.channel.receive()) is not None:
        stages.append(message.body["stage"])
    assert stages == ["ready", "leaving"]
    one.stage, other.connections = Stage.LEAVING, 9
    assert choose([one, other], 0.0) == [other]
    other.stage = Stage.SERVING
    assert choose([one, other], 0.0) == [other]
    assert choose([one], 0.0) == [one]
    other.stage = Stage.ENDING
    assert choose([one, other], 0.0) == [one]
    assert choose([other], 0.0) == [other]


def heard(one: Gateway) -> list[socket.socket]:
    """All that it says: what it returns of the connections that it was handed."""
    found = []
    while (message := one.channel.receive()) is not None:
        found += one.reported(message.body, 0.0)
        one.stage = Stage(message.body["stage"])
    return [connection for _, connection in found]


@pytest.mark.parametrize("going", [Stage.LEAVING, Stage.ENDING])
async def test_what_came_before_the_parent_knew_that_a_gateway_goes_is_anothers(
    fleet: tuple[list[Gateway], list[Channel]], going: Stage
) -> None:
    (one, other), (theirs, _) = fleet
    taken: list[bytes] = []

    async def take(connection: socket.socket) -> None:
        with connection:
            taken.append(connection.recv(8))

    takers = {Port.HTTP: take}
    attendance = Attendance(theirs, takers, lambda: (0, 0), lambda: None, lambda: going)
    ours, caller = socket.socketpair()
    caller.send(b"hello")
    assert one.hand(Port.HTTP, ours)
    attendance._read()
    (back,) = heard(one)
    assert (one.stage, len(one.handed), taken) == (going, 0, [])
    assert choose([one, other], 0.0) == [other]
    assert choose([one], 0.0) == [one], "it has no need to rest"
    assert one.hand(Port.HTTP, back)  # there is nobody else
    attendance._read()
    await asyncio.gather(*attendance._taking)
    assert (heard(one), taken) == ([], [b"hello"])
    caller.close()


def test_what_a_gateway_has_not_received_stays_with_the_parent(
    fleet: tuple[list[Gateway], list[Channel]],
) -> None:
    (one, _), (theirs, _) = fleet
    for sent in (b"a", b"b"):
        ours, caller = socket.socketpair()
        assert one.hand(Port.HTTP, ours)
        caller.send(sent)
        caller.close()
    message = theirs.receive()
    assert message is not None
    assert message.body == {"take": "http", "stage": "ready"}
    assert message.connection is not None
    with message.connection as taken:
        assert taken.recv(8) == b"a"
    report(one, connections=1, received=1)
    ((port, kept),) = one.handed  # for another, should this one die now
    assert (port, kept.recv(8)) == (Port.HTTP, b"b")


async def nobody_takes(connection: socket.socket) -> None:
    connection.close()


async def test_what_a_gateway_without_descriptors_cannot_receive_goes_to_another(
    fleet: tuple[list[Gateway], list[Channel]],
) -> None:
    (one, other), (theirs, _) = fleet
    attendance = Attendance(theirs, {Port.HTTP: nobody_takes}, lambda: (0, 0), lambda: None)
    handed([one], 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        attendance._read()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    handed([one], 1)  # that one it receives
    attendance._read()
    await asyncio.gather(*attendance._taking)
    found = []
    while (message := one.channel.receive()) is not None:
        found += one.reported(message.body, 1.0)
    ((port, kept),) = found
    assert (port, one.received, len(one.handed)) == (Port.HTTP, 2, 0)
    assert choose([one, other], 1.0) == [other], "it rests"
    assert choose([one], 1.0 + RESTS_S) == [one]
    kept.close()


def test_a_channel_tells_that_its_other_end_has_gone() -> None:
    ours, theirs = Channel.pair()
    assert ours.receive() is None
    theirs.close()
    with pytest.raises(ChannelClosed):
        ours.receive()
    assert not ours.send({"stage": "ready"})
    before = len(os.listdir("/proc/self/fd"))
    with socket.socket() as connection:
        assert not ours.send({"take": "http"}, connection)
    ours.close()
    assert len(os.listdir("/proc/self/fd")) == before - 1


def test_a_long_explanation_fits_whatever_it_is_written_in() -> None:
    ours, theirs = Channel.pair()
    for text in ("é" * 9000, "\U0001f600" * 9000, "a" * 9000, "short"):
        tell_failure(theirs, VoicepipeError(text))
        message = ours.receive()
        assert message is not None
        told = str(failure_of(message.body))
        assert text.startswith(told)
        assert len(told) >= min(len(text), 600)
    ours.close()
    theirs.close()


def test_what_cannot_be_read_is_skipped() -> None:
    end, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours = Channel(end)
    with socket.socket() as connection:
        socket.send_fds(theirs, [b'{"cut'], [connection.fileno()])
    before = len(os.listdir("/proc/self/fd"))
    theirs.send(b"\xff")
    theirs.send(b'{"stage": "ready"}')
    assert ours.receive() == Message({"stage": "ready"})
    assert ours.receive() is None
    assert len(os.listdir("/proc/self/fd")) == before
    ours.close()
    theirs.close()


def test_who_keeps_dying_is_replaced_ever_later() -> None:
    deaths = Deaths()
    assert [deaths.one_more(0.1) for _ in range(5)] == [0.0, 0.5, 1.0, 2.0, 4.0]
    assert [deaths.one_more(0.1) for _ in range(9)][-1] == 30.0
    assert deaths.one_more(SHAKY_S) == 0.0


def test_how_a_process_ended_is_said_whatever_the_signal() -> None:
    assert ended(-signal.SIGKILL) == "was ended by SIGKILL"
    assert ended(-(signal.SIGRTMIN + 3)) == "was ended by signal 37"


NOBODY_READS = """
import os, sys
from voicepipe.server.gateways.children import fork

class Gone:
    def write(self, text): raise BrokenPipeError
    def flush(self): raise BrokenPipeError

def gone():
    sys.stderr = Gone()
    return 7

def status_of(what):
    return os.waitstatus_to_exitcode(os.waitpid(fork(what, lambda: None), 0)[1])

print(status_of(gone))
gone()
print(status_of(lambda: 7))
"""


def test_parent_and_child_go_on_where_nobody_reads_the_log() -> None:
    """A child that came out of `fork` would go on as if it were the parent."""
    run = [sys.executable, "-c", NOBODY_READS]
    told = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    assert told.stdout.split() == ["7", "7"]
