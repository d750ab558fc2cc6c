"""uvicorn's WebSocket protocol, told to go on reading while a few messages wait.

As shipped it takes the socket off the event loop's selector with every message and puts it back
when the application has taken it: two system calls and their bookkeeping for each 20 ms of each
call, a sixth of all that the server did at 80 calls.
"""

from __future__ import annotations

import logging
from asyncio.transports import BaseTransport
from collections.abc import Awaitable

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_WAITING = 32
"""Messages not yet taken by the application; with so many the socket is left alone as before."""

SMALL = 16 * 1024
"""Bytes; after a larger message reading stops at once, so that what waits is bounded in memory."""


PIECE = 4 * 1024
"""Bytes read from a socket before others get their turn: the loop's own 256 KB may hold thousands
of tiny messages, which take a quarter of a second."""


def _without_traceback(record: logging.LogRecord) -> bool:
    """What a client sends is no reason for a traceback in our log; bytes that are no UTF-8 are."""
    if str(record.msg).startswith("Invalid UTF-8"):
        record.exc_info, record.levelno, record.levelname = None, logging.INFO, "INFO"
    return True


logging.getLogger("uvicorn.error").addFilter(_without_traceback)


class ReadingProtocol(WebSocketsSansIOProtocol):
    """Reads ahead, up to `MOST_WAITING` messages of up to `SMALL` bytes."""

    def connection_made(self, transport: BaseTransport) -> None:
        """As the base class has it, on a transport that reads less at a time."""
        encrypted = getattr(transport, "_ssl_protocol", None)
        for reader in (transport, encrypted):
            if hasattr(reader, "max_size"):
                setattr(reader, "max_size", PIECE)  # noqa: B010 - asyncio's, without a type
        super().connection_made(transport)

    def send_receive_event_to_app(self) -> None:
        """As the base class has it, but for the pause."""
        small = sum(map(len, self.frames)) <= SMALL
        # It pauses unless it believes that it has; to resume what never stopped costs nothing.
        self.read_paused = small and self.queue.qsize() < MOST_WAITING
        super().send_receive_event_to_app()

    def send(self, message: ASGISendEvent) -> Awaitable[None]:  # type: ignore[override]
        """No coroutine of its own: a message goes out fifty times a second and call."""
        if message["type"] == "websocket.http.response.body":
            return self._refuse(message)
        return super().send(message)

    async def _refuse(self, message: ASGISendEvent) -> None:
        """The base class logs an error for each client that was refused: to it a handshake that
        was answered in words was not completed."""
        await super().send(message)
        self.handshake_complete = self.close_sent
