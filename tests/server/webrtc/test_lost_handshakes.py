"""A call comes up although its handshakes lose packets: aiortc's own ends."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aioice.ice import Connection
from aiortc import (
    RTCConfiguration,
    RTCDataChannel,
    RTCDataChannelParameters,
    RTCDtlsTransport,
    RTCPeerConnection,
    RTCSctpTransport,
)
from aiortc.rtcsctptransport import InitAckChunk, InitChunk, parse_packet

from tests.server.webrtc.wire import Wire
from voicepipe.server.webrtc import lost_handshakes

CHANGE_CIPHER_SPEC, HANDSHAKE = 20, 22


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_do_handshake", "stop"):
        monkeypatch.setattr(RTCDtlsTransport, name, getattr(RTCDtlsTransport, name))
    for name in ("_send_chunk", "_receive_chunk"):
        monkeypatch.setattr(RTCSctpTransport, name, getattr(RTCSctpTransport, name))
    lost_handshakes.be_quick()


@asynccontextmanager
async def calling() -> AsyncIterator[tuple[RTCPeerConnection, RTCPeerConnection]]:
    """One end that has called the other, with a channel for events."""
    near, far = (RTCPeerConnection(RTCConfiguration(iceServers=[])) for _ in range(2))
    near.createDataChannel("events")
    await near.setLocalDescription(await near.createOffer())
    await far.setRemoteDescription(near.localDescription)
    await far.setLocalDescription(await far.createAnswer())
    await near.setRemoteDescription(far.localDescription)
    try:
        yield near, far
    finally:
        await asyncio.gather(near.close(), far.close())


async def up(*ends: RTCPeerConnection) -> None:
    while {end.connectionState for end in ends} != {"connected"}:
        await asyncio.sleep(0.02)


def handshake(data: bytes) -> bool:
    return data[0] in (CHANGE_CIPHER_SPEC, HANDSHAKE)


@pytest.mark.usefixtures("quick")
async def test_a_handshake_gets_through_that_loses_all_its_packets_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What OpenSSL itself says again, a second later, has another number, and is lost again."""
    sent: Counter[bytes] = Counter()
    send = Connection.send

    async def losing(connection: Connection, data: bytes) -> None:
        sent[data] += 1
        if not handshake(data) or sent[data] > 1:
            await send(connection, data)

    monkeypatch.setattr(Connection, "send", losing)
    async with asyncio.timeout(20), calling() as ends:
        await up(*ends)
        for end in ends:
            ssl = end.sctp.transport._ssl  # type: ignore[union-attr]
            assert ssl is not None
            assert ssl.get_protocol_version_name() == "DTLSv1.2"  # whose server speaks last
    # A longer flight would go in two packets, and only its second would be said again.
    assert max(len(data) for data in sent if handshake(data)) < 1500


@pytest.mark.usefixtures("quick")
async def test_nothing_is_said_again_once_it_was_heard() -> None:
    async with asyncio.timeout(20), calling() as ends:
        await up(*ends)
        speaking = [task for task in asyncio.all_tasks() if task.get_name() == "webrtc-handshake"]
        assert len(speaking) <= 1  # the last word
        for end in ends:
            ice = end.sctp.transport.transport  # type: ignore[union-attr]
            assert ice._send == ice._connection.send
    await asyncio.sleep(0)
    assert "webrtc-handshake" not in {task.get_name() for task in asyncio.all_tasks()}


@pytest.mark.virtual_time
async def test_a_flight_is_repeated_until_the_next_and_never_after_its_end() -> None:
    said: list[bytes] = []

    async def send(data: bytes) -> None:
        said.append(data)

    flight = lost_handshakes.Flight(send)
    await flight.say(b"first")
    await asyncio.sleep(0.5)
    assert said == [b"first"] * 3
    await flight.say(b"second")
    await asyncio.sleep(10)
    assert said == [b"first"] * 3 + [b"second"] * 6
    flight.end()
    await flight.say(b"alert")
    await asyncio.sleep(10)
    assert said[9:] == [b"alert"]


@asynccontextmanager
async def associating(near: Wire, far: Wire) -> AsyncIterator[list[RTCSctpTransport]]:
    """Two transports that are there at the same time."""
    near.other, far.other = far, near
    near.losing = far.losing = True
    ends = [RTCSctpTransport(wire) for wire in (near, far)]  # type: ignore[arg-type]
    for end, other in (ends, ends[::-1]):
        await end.start(RTCSctpTransport.getCapabilities(), other.port)
    near.losing = far.losing = False  # now that both listen
    async with asyncio.timeout(60):
        while {end.state for end in ends} != {"connected"}:
            await asyncio.sleep(0.1)
        yield ends
    for end in ends:
        await end.stop()


@pytest.mark.virtual_time
@pytest.mark.usefixtures("quick")
async def test_events_come_up_that_lost_both_first_answers() -> None:
    """Both know each other's tag then, and a second INIT must go without it all the same."""
    near, far = Wire("client"), Wire("server")
    near.loses, far.loses = _first_answer(), _first_answer()
    async with associating(near, far) as ends:
        assert [end.state for end in ends] == ["connected", "connected"]


@pytest.mark.virtual_time
@pytest.mark.usefixtures("quick")
async def test_an_init_that_comes_late_changes_nothing() -> None:
    """aiortc itself begins to count anew: of 60 events behind it, four arrived."""
    near, far = Wire("client"), Wire("server")
    sent: list[bytes] = []

    def noted(data: bytes) -> bool:
        sent.append(data)
        return False

    near.loses = noted
    async with associating(near, far) as ends:
        heard: list[str] = []
        ends[1].on("datachannel", lambda channel: channel.on("message", heard.append))
        channel = RTCDataChannel(ends[0], RTCDataChannelParameters(label="events", id=1))
        while channel.readyState != "open":
            await asyncio.sleep(0.1)
        channel.send("first")
        await asyncio.sleep(1)
        await ends[1]._handle_data(next(data for data in sent if _holds(data, InitChunk)))
        for _ in range(60):
            channel.send("x" * 1000)
        await asyncio.sleep(30)
        assert len(heard) == 61


def _first_answer() -> Callable[[bytes], bool]:
    seen = 0

    def loses(data: bytes) -> bool:
        nonlocal seen
        seen += _holds(data, InitAckChunk)
        return seen == 1 and _holds(data, InitAckChunk)

    return loses


def _holds(data: bytes, kind: type[InitChunk | InitAckChunk]) -> bool:
    return any(isinstance(chunk, kind) for chunk in parse_packet(data)[3])


def test_it_says_so_where_aiortc_has_changed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = RTCDtlsTransport._do_handshake
    monkeypatch.setattr(lost_handshakes, "SEND_CHUNK", None)
    lost_handshakes.be_quick()
    assert "not where they were" in caplog.text
    assert RTCDtlsTransport._do_handshake is before
