"""uvicorn's WebSocket protocol, told to go on reading while a few messages wait.

As shipped it takes the socket off the event loop's selector with every message and puts it back
when the application has taken it: two system calls and their bookkeeping for each 20 ms of each
call, a sixth of all that the server did at 80 calls.
"""

from __future__ import annotations

import logging
from asyncio.transports import BaseTransport
from collections.abc import Awaitable
from typing import Any

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from voicepipe.server.large_frames import FragmentingProtocol

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
    """Reads ahead, up to `MOST_WAITING` messages of up to `SMALL` bytes; more in fragments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = FragmentingProtocol(
            extensions=self.conn.available_extensions,
            max_size=self.conn.max_size,
            logger=self.conn.logger,
        )

    def connection_made(self, transport: BaseTransport) -> None:
        """As the base class has it, on a transport that reads less at a time."""
        encrypted = getattr(transport, "_ssl_protocol", None)
        for reader in (transport, encrypted):
            if hasattr(reader, "max_size"):
                setattr(reader, "max_size", PIECE)  # noqa: B010 - asyncio's, without a type
        super().connection_made(transport)

    def handle_text(self, event: Frame) -> None:
        """As the base class has it, and the first fragment of a text ready for the others."""
        super().handle_text(event)
        if not event.fin:
            self.frames = [bytearray(event.data)]  # type: ignore[list-item] # grows in place

    def handle_cont(self, event: Frame) -> None:
        """Fragments of a text are put together as they come: all at once take several ms."""
        if self.curr_msg_data_type != "text":
            return super().handle_cont(event)
        self.frames[0] += event.data
        if event.fin:
            self.send_receive_event_to_app()

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
