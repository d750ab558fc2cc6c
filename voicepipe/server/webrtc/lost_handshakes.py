"""Handshakes that lost packets: how a call is set up soon all the same, and at all.

**DTLS.** OpenSSL waits 1, 2, 4, 8 s before it says again what was lost, and Python cannot tell it
otherwise; libwebrtc waits 0.05 s. So the last flight is sent again as it is, sooner: a receiver
that had it drops the repetition (RFC 6347, 4.1.2.6), one that had not goes on. The end that has the
last word would never learn that it was lost, so it repeats that as well.

**SCTP.** An INIT carries no verification tag (RFC 9260, 8.5.1), but aiortc sends it again with the
peer's once it knows it, and its own kind drops such: where two ends of aiortc lose both first
answers, neither hears the other any more and the call has no events.

aiortc's methods are replaced, for the whole process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from aiortc import RTCDtlsTransport, RTCSctpTransport
from aiortc.rtcsctptransport import Chunk, InitChunk, serialize_packet

log = logging.getLogger(__name__)

PAUSES_S: Final = (0.15, 0.3, 0.6, 1.2, 2.4)
"""Before each repetition; a peer that is farther away gets a few packets twice."""

HANDSHAKE: Final = vars(RTCDtlsTransport).get("_do_handshake")
STOP: Final = vars(RTCDtlsTransport).get("stop")
SEND_CHUNK: Final = vars(RTCSctpTransport).get("_send_chunk")
"""aiortc's own."""

_FLIGHT: Final = "_voicepipe_flight"


def be_quick() -> None:
    """For all connections that are made from now on."""
    if HANDSHAKE is None or STOP is None or SEND_CHUNK is None:
        log.warning("aiortc's handshakes are not where they were: lost packets hold calls up")
        return
    RTCDtlsTransport._do_handshake = _handshake  # type: ignore[method-assign, assignment]
    RTCDtlsTransport.stop = _stop  # type: ignore[method-assign, assignment]
    RTCSctpTransport._send_chunk = _send_chunk  # type: ignore[method-assign, assignment]


class Flight:
    """What was said last, said again until something else is."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._repeating: asyncio.Task[None] | None = None

    async def say(self, data: bytes) -> None:
        """Send it, in place of what went before."""
        self.end()
        await self._send(data)
        self._repeating = asyncio.create_task(self._repeat(data), name="webrtc-handshake")

    def end(self) -> None:
        """It was heard, or nobody listens any more."""
        if self._repeating is not None:
            self._repeating.cancel()
            self._repeating = None

    async def _repeat(self, data: bytes) -> None:
        for pause_s in PAUSES_S:
            await asyncio.sleep(pause_s)
            try:
                await self._send(data)
            except ConnectionError:
                return


async def _handshake(dtls: RTCDtlsTransport) -> None:
    assert HANDSHAKE is not None
    ice = dtls.transport
    send = ice._send
    flight = Flight(send)
    setattr(dtls, _FLIGHT, flight)
    ice._send = flight.say
    try:
        await HANDSHAKE(dtls)
    finally:
        ice._send = send
    if dtls._role == "client":  # the server's last word has come
        flight.end()


async def _stop(dtls: RTCDtlsTransport) -> None:
    assert STOP is not None
    flight: Flight | None = getattr(dtls, _FLIGHT, None)
    if flight is not None:
        flight.end()
    await STOP(dtls)


async def _send_chunk(sctp: RTCSctpTransport, chunk: Chunk) -> None:
    assert SEND_CHUNK is not None
    to = sctp._remote_port
    if not isinstance(chunk, InitChunk) or to is None:
        await SEND_CHUNK(sctp, chunk)
        return
    packet = serialize_packet(sctp._local_port, to, 0, chunk)
    await sctp.transport._send_data(packet)
