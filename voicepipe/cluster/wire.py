"""One connection between a gateway and an engine host: messages both ways, many calls in it.

The messages are those of `workers/wire.py`. Nothing here blocks or waits: what is sent within one
turn of the event loop leaves in one system call, and a peer that does not read is let go.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, cast

from voicepipe.workers.wire import MAX_MESSAGE_BYTES, Decoder, Packet, WireError, encode

log = logging.getLogger(__name__)

MAX_UNSENT_BYTES = 64 * 1024 * 1024
"""A peer that leaves so much unread is taken for dead."""


class Wire(asyncio.Protocol):
    """Either end. `on_packet` gets each message, `on_lost` the reason once it is over."""

    def __init__(
        self,
        on_packet: Callable[[Packet], None],
        on_lost: Callable[[str], None],
        max_message_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        """`max_message_bytes`: of what comes in; a peer that sends a larger one is let go."""
        self._on_packet, self._on_lost = on_packet, on_lost
        self._decoder = Decoder(max_message_bytes)
        self._transport: asyncio.Transport | None = None
        self._unsent: list[bytes] = []
        self._reason = "the connection was closed"
        self.lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are of another class
        if self.lost:  # dropped while it was on its way here
            self._transport.abort()

    def trust(self) -> None:
        """The peer is known: its messages may be as large as any."""
        self._decoder.max_message_bytes = MAX_MESSAGE_BYTES

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None  # asyncio says so before anything else
        return self._transport

    def data_received(self, data: bytes) -> None:
        try:
            packets = self._decoder.feed(data)
        except WireError as error:
            self.drop(f"the peer broke the protocol: {error}")
            return
        for packet in packets:
            if self.lost:
                return
            self._on_packet(packet)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost:
            self.lost = True
            self._on_lost(self._reason)

    def send(self, header: Mapping[str, Any], payload: bytes = b"") -> None:
        """Queue a message; dropped when the connection is over. Raises WireError: too large."""
        if self.lost:
            return
        data = encode(header, payload)
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._flush)
        self._unsent.append(data)

    def drop(self, reason: str) -> None:
        """End it now; `on_lost` is told why."""
        self._reason = reason
        if self._transport is not None:
            self._transport.abort()
        self.connection_lost(None)

    def close(self) -> None:
        """End it once what was sent has left."""
        if self._transport is None:  # it is on its way here
            self.drop(self._reason)
        elif not self.lost:
            self._flush()
            self.transport.close()

    def _flush(self) -> None:
        data, self._unsent = b"".join(self._unsent), []
        if self.lost or not data:
            return
        self.transport.write(data)
        if self.transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self.drop(f"the peer leaves more than {MAX_UNSENT_BYTES} bytes unread")
