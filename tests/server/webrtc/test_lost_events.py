"""An event that the network lost comes again soon: two of aiortc's own ends, no network between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiortc import RTCDataChannel, RTCDataChannelParameters, RTCSctpTransport, rtcsctptransport

from tests.server.webrtc.wire import Wire
from voicepipe.server.webrtc import lost_events

pytestmark = pytest.mark.virtual_time


Heard = asyncio.Future[str]


@asynccontextmanager
async def connected(deaf_s: float = 0.0) -> AsyncIterator[tuple[RTCDataChannel, Wire, Heard]]:
    """A channel that is open, the wire that it goes by, and what the other end hears. `deaf_s`: so
    long nothing gets through at first."""
    near, far = Wire("client"), Wire("server")
    near.other, far.other = far, near
    ends = [RTCSctpTransport(wire) for wire in (near, far)]  # type: ignore[arg-type]
    heard: Heard = asyncio.get_running_loop().create_future()
    ends[1].on("datachannel", lambda channel: channel.on("message", heard.set_result))
    near.losing = deaf_s > 0
    for end, other in (ends, ends[::-1]):
        await end.start(rtcsctptransport.RTCSctpTransport.getCapabilities(), other.port)
    channel = RTCDataChannel(ends[0], RTCDataChannelParameters(label="events", id=1))
    await asyncio.sleep(deaf_s)
    near.losing = False
    async with asyncio.timeout(20):
        while channel.readyState != "open":
            await asyncio.sleep(0.01)
        yield channel, near, heard
    for end in ends:
        await end.stop()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*lost_events.WAITS_S, *lost_events.KNOCKS):
        monkeypatch.setattr(rtcsctptransport, name, getattr(rtcsctptransport, name))
    lost_events.be_quick()


@pytest.mark.usefixtures("quick")
async def test_a_lost_event_comes_in_half_a_second() -> None:
    loop = asyncio.get_running_loop()
    async with connected() as (channel, wire, heard):
        wire.losing = True
        channel.send("a caption")
        said = loop.time()
        await asyncio.sleep(0.05)
        wire.losing = False
        assert await heard == "a caption"
        assert loop.time() - said < 0.8


@pytest.mark.usefixtures("quick")
async def test_a_peer_that_hears_nothing_for_ten_seconds_has_events_all_the_same() -> None:
    async with connected(deaf_s=10) as (channel, _, heard):
        channel.send("a caption")
        assert await heard == "a caption"


async def test_an_aiortc_that_has_moved_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delattr(rtcsctptransport, "SCTP_RTO_MIN")
    lost_events.be_quick()
    assert "not where it was" in caplog.text
