"""Handshakes that lost packets: how a call is set up soon all the same, and at all.

**DTLS.** What one end sends in one go is a flight. OpenSSL says a lost one again only after 1, 2,
4, 8 s, and Python cannot tell it otherwise. So the last flight is sent again as it is, sooner: a
receiver that had it drops the repetition (RFC 6347, 4.1.2.6), one that had not goes on. The end
that has the last word would hear only a second later that it was lost, so it repeats that as well.
Not helped is a call whose *peer* lost its last word and does nothing of the kind: OpenSSL's second
it is.

**SCTP.** An INIT carries no verification tag (RFC 9260, 8.5.1), but aiortc sends it again with the
peer's once it knows it, and receivers, aiortc among them, drop such: where two ends of aiortc lose
both first answers, neither hears the other any more and the call has no events. It goes without a
tag here. One that comes when all is set up must not change anything (5.2.2), where aiortc would
begin to count anew.

aiortc's methods are replaced, for the whole process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from aiortc import RTCDtlsTransport, RTCSctpTransport, rtcsctptransport

log = logging.getLogger(__name__)

PAUSES_S = (0.15, 0.3, 0.6, 1.2, 2.4)
"""Before each repetition. A peer farther away gets packets that it had, and drops them."""

HANDSHAKE: Final = vars(RTCDtlsTransport).get("_do_handshake")
STOP: Final = vars(RTCDtlsTransport).get("stop")
SEND_CHUNK: Final = vars(RTCSctpTransport).get("_send_chunk")
RECEIVE_CHUNK: Final = vars(RTCSctpTransport).get("_receive_chunk")
"""aiortc's own."""

_PARTS: Final = ("InitChunk", "serialize_packet")
_FLIGHT: Final = "_voicepipe_flight"


def be_quick() -> None:
    """For all connections that are made from now on."""
    stock = (HANDSHAKE, STOP, SEND_CHUNK, RECEIVE_CHUNK)
    if None in stock or not all(hasattr(rtcsctptransport, name) for name in _PARTS):
        log.warning("aiortc's handshakes are not where they were: lost packets hold calls up")
        return
    ours: dict[Any, dict[str, Any]] = {
        RTCDtlsTransport: {"_do_handshake": _handshake, "stop": _stop},
        RTCSctpTransport: {"_send_chunk": _send_chunk, "_receive_chunk": _receive_chunk},
    }
    for kind, methods in ours.items():
        for name, method in methods.items():
            setattr(kind, name, method)


class Flight:
    """What was said last, said again until something else is said."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._repeating: asyncio.Task[None] | None = None
        self._over = False

    async def say(self, data: bytes) -> None:
        """Send it, in place of what went before."""
        self._quiet()
        await self._send(data)
        self._quiet()
        if not self._over:
            self._repeating = asyncio.create_task(self._repeat(data), name="webrtc-handshake")

    def end(self) -> None:
        """It was heard, or nobody listens any more."""
        self._over = True
        self._quiet()

    def _quiet(self) -> None:
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
    ice: Any = dtls.transport
    send = ice._send
    flight = Flight(send)
    setattr(dtls, _FLIGHT, flight)
    ice._send = flight.say
    has_last_word = False
    try:
        await HANDSHAKE(dtls)
        has_last_word = dtls.encrypted and dtls._role == "server"
    finally:
        ice._send = send
        if not has_last_word:
            flight.end()


async def _stop(dtls: RTCDtlsTransport) -> None:
    assert STOP is not None
    flight: Flight | None = getattr(dtls, _FLIGHT, None)
    if flight is not None:
        flight.end()
    await STOP(dtls)


async def _send_chunk(sctp: RTCSctpTransport, chunk: Any) -> None:
    assert SEND_CHUNK is not None
    to = sctp._remote_port
    if not isinstance(chunk, rtcsctptransport.InitChunk) or to is None:
        await SEND_CHUNK(sctp, chunk)
        return
    packet = rtcsctptransport.serialize_packet(sctp._local_port, to, 0, chunk)
    await sctp.transport._send_data(packet)


async def _receive_chunk(sctp: RTCSctpTransport, chunk: Any) -> None:
    assert RECEIVE_CHUNK is not None
    late = sctp._association_state == sctp.State.ESTABLISHED
    if not (late and isinstance(chunk, rtcsctptransport.InitChunk)):
        await RECEIVE_CHUNK(sctp, chunk)
