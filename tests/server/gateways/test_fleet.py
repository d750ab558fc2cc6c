"""Who gets the next connection, and what becomes of one that was on its way to a dead gateway."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from voicepipe.server.gateways.channel import Channel, ChannelClosed
from voicepipe.server.gateways.children import SHAKY_S, Deaths
from voicepipe.server.gateways.fleet import SILENT_S, Gateway, choose
from voicepipe.server.gateways.place import Port, Stage


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
    one.reported({"connections": connections, "calls": 0, "received": received}, now_s)


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
    assert message.body == {"take": "http"}
    assert message.connection is not None
    with message.connection as taken:
        assert taken.recv(8) == b"a"
    report(one, connections=1, received=1)
    ((port, kept),) = one.handed  # for another, should this one die now
    assert (port, kept.recv(8)) == (Port.HTTP, b"b")


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


def test_who_keeps_dying_is_replaced_ever_later() -> None:
    deaths = Deaths()
    assert [deaths.one_more(0.1) for _ in range(5)] == [0.0, 0.5, 1.0, 2.0, 4.0]
    assert [deaths.one_more(0.1) for _ in range(9)][-1] == 30.0
    assert deaths.one_more(SHAKY_S) == 0.0
