"""An event that the network lost comes again soon: two of aiortc's own ends, no network between."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiortc import RTCDataChannel, RTCDataChannelParameters, RTCSctpTransport, rtcsctptransport

from voicepipe.server.webrtc import lost_events

pytestmark = pytest.mark.virtual_time


class Wire:
    """What an SCTP transport asks of DTLS. `losing`: what is sent goes nowhere."""

    def __init__(self, role: str) -> None:
        self._role = role
        self.state, self.losing = "connected", False
        self.other: Wire
        self.end: Any = None

    def _register_data_receiver(self, end: Any) -> None:
        self.end = end

    def _unregister_data_receiver(self, end: Any) -> None:
        self.end = None

    async def _send_data(self, data: bytes) -> None:
        if not self.losing and self.other.end is not None:
            asyncio.get_running_loop().call_soon(self.other.deliver, data)

    def deliver(self, data: bytes) -> None:
        if self.end is not None:
            self.arriving = asyncio.ensure_future(self.end._handle_data(data))


async def late_s() -> float:
    """How much later than it was said an event is heard whose first packet is lost."""
    near, far = Wire("client"), Wire("server")
    near.other, far.other = far, near
    ends = [RTCSctpTransport(wire) for wire in (near, far)]  # type: ignore[arg-type]
    heard: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    loop = asyncio.get_running_loop()

    def arrived(channel: RTCDataChannel) -> None:
        channel.on("message", lambda _: heard.set_result(loop.time()))

    ends[1].on("datachannel", arrived)
    for end, other in (ends, ends[::-1]):
        await end.start(rtcsctptransport.RTCSctpTransport.getCapabilities(), other.port)
    channel = RTCDataChannel(ends[0], RTCDataChannelParameters(label="events", id=1))
    async with asyncio.timeout(20):
        while channel.readyState != "open":
            await asyncio.sleep(0.01)
        near.losing = True
        channel.send("a caption")
        said = loop.time()
        await asyncio.sleep(0.05)
        near.losing = False
        late = await heard - said
        for end in ends:
            await end.stop()
    return late


async def test_a_lost_event_comes_in_half_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in lost_events.WAITS_S:
        monkeypatch.setattr(rtcsctptransport, name, getattr(rtcsctptransport, name))
    lost_events.be_quick()
    assert await late_s() < 0.8


async def test_an_aiortc_that_has_moved_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delattr(rtcsctptransport, "SCTP_RTO_MIN")
    lost_events.be_quick()
    assert "not where it was" in caplog.text
