"""uvicorn's WebSocket protocol, told to go on reading while a few messages wait.

As shipped it takes the socket off the event loop's selector with every message and puts it back
when the application has taken it: two system calls and their bookkeeping for each 20 ms of each
call, a sixth of all that the server did at 80 calls.

And there is a short way: an application may have short texts handed to it as they come, past the
library's parser, a queue, a future and a task's wake-up. For all else, and whenever something waits
already, it is as it was.
"""

from __future__ import annotations

import logging
from asyncio.transports import BaseTransport
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.http11 import Request
from websockets.protocol import State

from voicepipe.server.frame_cutter import HEAD, FrameCutter

try:
    from websockets.speedups import apply_mask
except ImportError:  # no compiled one for this machine
    from websockets.utils import apply_mask

MOST_WAITING = 32
"""Messages not yet taken by the application; with so many the socket is left alone as before."""

SMALL = 16 * 1024
"""Bytes; after a larger message reading stops at once, so that what waits is bounded in memory."""


PIECE = 4 * 1024
"""Bytes read from a socket before others get their turn: the loop's own 256 KB may hold thousands
of tiny messages, which take a quarter of a second."""


SHORT_WAY = "voicepipe.short_way"
"""Name among the extensions of a connection's ASGI scope."""

Taker = Callable[[bytes], bool]
"""Told a client's text, UTF-8 or not, in order. False: it comes again by `receive`, like all others
from then on until the application waits there with nothing before it."""


def take_at_once(scope: MutableMapping[str, Any], take: Taker | None) -> None:
    """Have the short texts of this connection handed to `take` first; None: no more. Nothing,
    where the server is another's."""
    way = scope.get("extensions", {}).get(SHORT_WAY)
    if way is not None:
        way["protocol"].take = take


def _without_traceback(record: logging.LogRecord) -> bool:
    """What a client sends is no reason for a traceback in our log; bytes that are no UTF-8 are."""
    if str(record.msg).startswith("Invalid UTF-8"):
        record.exc_info, record.levelno, record.levelname = None, logging.INFO, "INFO"
    return True


logging.getLogger("uvicorn.error").addFilter(_without_traceback)


class ReadingProtocol(WebSocketsSansIOProtocol):
    """Reads ahead, up to `MOST_WAITING` messages of up to `SMALL` bytes."""

    take: Taker | None = None
    _cutter: FrameCutter | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """As the base class has it, on a transport that reads less at a time."""
        encrypted = getattr(transport, "_ssl_protocol", None)
        for reader in (transport, encrypted):
            if hasattr(reader, "max_size"):
                setattr(reader, "max_size", PIECE)  # noqa: B010 - asyncio's, without a type
        super().connection_made(transport)

    def handle_connect(self, event: Request) -> None:
        """As the base class has it; the first frame comes after this."""
        super().handle_connect(event)
        self._cutter = FrameCutter(min(SMALL, self.config.ws_max_size))
        if self.response.status_code == 101:
            self.scope["extensions"][SHORT_WAY] = {"protocol": self}

    def data_received(self, data: bytes) -> None:
        """What nobody takes at once goes the base class's way, as it came."""
        if self._cutter is None:
            super().data_received(data)
            if not self.handshake_initiated:  # it came in one piece, and is none
                self._refuse_handshake()
            return
        take = self.take
        for piece in self._cutter.push(data):
            if piece.text and take is not None and self._goes_short(take, piece.data):
                continue
            self._read(piece.data)

    def _read(self, data: bytes) -> None:
        """As the base class does; garbage before the handshake is answered fails it there."""
        try:
            super().data_received(data)
        except (AssertionError, InvalidState):
            if self.conn.state is not State.CONNECTING:
                raise
            self.transport.abort()

    def _refuse_handshake(self) -> None:
        """The base class would hold the connection open, say nothing, and fail over it when the
        server stops."""
        problem = "A WebSocket begins with GET, and up to 128 headers of up to 8 KB."
        self.handshake_complete = self.close_sent = True
        self.transport.write(self.conn.reject(HTTPStatus.BAD_REQUEST, problem).serialize())
        self.transport.close()

    def _goes_short(self, take: Taker, frame: bytes) -> bool:
        """A short text has been taken: nothing waits before it, and the connection is a sound one
        in whose midst no message is in fragments."""
        if self.close_sent or self.conn.state is not State.OPEN or self.frames:
            return False
        return self.queue.empty() and take(apply_mask(frame[HEAD:], frame[HEAD - 4 : HEAD]))

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
