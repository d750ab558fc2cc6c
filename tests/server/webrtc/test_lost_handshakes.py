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
    RTCDtlsTransport,
    RTCPeerConnection,
    RTCSctpTransport,
    rtcsctptransport,
)
from aiortc.rtcsctptransport import InitAckChunk, parse_packet

from tests.server.webrtc.wire import Wire
from voicepipe.server.webrtc import lost_handshakes

CHANGE_CIPHER_SPEC, HANDSHAKE = 20, 22


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RTCDtlsTransport, "_do_handshake", RTCDtlsTransport._do_handshake)
    monkeypatch.setattr(RTCDtlsTransport, "stop", RTCDtlsTransport.stop)
    monkeypatch.setattr(RTCSctpTransport, "_send_chunk", RTCSctpTransport._send_chunk)
    lost_handshakes.be_quick()


@asynccontextmanager
async def calling() -> AsyncIterator[tuple[RTCPeerConnection, RTCPeerConnection]]:
    """One end that has called the other, with a channel for events."""
    ends = [RTCPeerConnection(RTCConfiguration(iceServers=[])) for _ in range(2)]
    near, far = ends
    near.createDataChannel("events")
    await near.setLocalDescription(await near.createOffer())
    await far.setRemoteDescription(near.localDescription)
    await far.setLocalDescription(await far.createAnswer())
    await near.setRemoteDescription(far.localDescription)
    try:
        yield near, far
    finally:
        await asyncio.gather(*(end.close() for end in ends))


@pytest.mark.usefixtures("quick")
async def test_a_handshake_gets_through_that_loses_all_its_packets_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What OpenSSL itself says again, a second later, has another number, and is lost again."""
    sent: Counter[bytes] = Counter()
    send = Connection.send

    async def losing(connection: Connection, data: bytes) -> None:
        sent[data] += 1
        if data[0] not in (CHANGE_CIPHER_SPEC, HANDSHAKE) or sent[data] > 1:
            await send(connection, data)

    monkeypatch.setattr(Connection, "send", losing)
    async with asyncio.timeout(20), calling() as ends:
        while {end.connectionState for end in ends} != {"connected"}:
            await asyncio.sleep(0.02)
    assert sum(times > 1 for times in sent.values()) >= 4  # two flights of each end


@pytest.mark.usefixtures("quick")
async def test_nothing_is_said_again_after_the_call() -> None:
    async with asyncio.timeout(20), calling() as ends:
        while {end.connectionState for end in ends} != {"connected"}:
            await asyncio.sleep(0.02)
    running = {task.get_name() for task in asyncio.all_tasks()}
    assert "webrtc-handshake" not in running


@pytest.mark.virtual_time
@pytest.mark.usefixtures("quick")
async def test_events_come_up_that_lost_both_first_answers() -> None:
    """Both know each other's tag then, and a second INIT must go without it all the same."""
    near, far = Wire("client"), Wire("server")
    near.other, far.other = far, near
    for wire in (near, far):
        wire.loses, wire.losing = _first_answer(), True
    ends = [RTCSctpTransport(wire) for wire in (near, far)]  # type: ignore[arg-type]
    for end, other in (ends, ends[::-1]):
        await end.start(rtcsctptransport.RTCSctpTransport.getCapabilities(), other.port)
    near.losing = far.losing = False  # now that both listen
    async with asyncio.timeout(60):
        while {end.state for end in ends} != {"connected"}:
            await asyncio.sleep(0.1)
    for end in ends:
        await end.stop()


def _first_answer() -> Callable[[bytes], bool]:
    seen = 0

    def loses(data: bytes) -> bool:
        nonlocal seen
        *_, chunks = parse_packet(data)
        answers = any(isinstance(chunk, InitAckChunk) for chunk in chunks)
        seen += answers
        return answers and seen == 1

    return loses


def test_an_aiortc_that_has_moved_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lost_handshakes, "SEND_CHUNK", None)
    lost_handshakes.be_quick()
    assert "not where they were" in caplog.text
