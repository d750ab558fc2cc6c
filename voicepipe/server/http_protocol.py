"""uvicorn's HTTP protocol, with an end to its patience: a request's head must come in time, and
only so many connections may be without one. As shipped, a hundred clients that never finish their
headers hold a hundred connections for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_DEADLINE_S = 10.0
"""From the connection, or the first byte of a later request, to the end of its headers."""

MAX_WAITING = 256
"""Connections without a whole head; beyond it the one that has waited longest is closed."""


_HANDSHAKE = {b"sec-websocket-key", b"sec-websocket-version", b"sec-websocket-protocol"}


def patient_for(deadline_s: float, max_waiting: int) -> type[H11Protocol]:
    """A protocol class for one server: its connections share the bound."""
    waiting: dict[asyncio.Protocol, None] = {}  # in the order in which they began to wait

    class Protocol(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._await_head()

        def data_received(self, data: bytes) -> None:
            if not self._in_request():
                self._await_head()
            super().data_received(data)
            if self._in_request():
                self._head_came()

        def handle_websocket_upgrade(self, event: Any) -> None:
            self._head_came()
            if all(value.isascii() for name, value in self.headers if name in _HANDSHAKE):
                super().handle_websocket_upgrade(event)
            else:  # websockets would call it a fault of its own, 500
                self.send_400_response("Sec-WebSocket headers are ASCII.")

        def send_400_response(self, msg: str) -> None:
            """Garbage behind a request that is being answered takes the answer's place; the base
            class lets both be written, which is an error of its own in the log."""
            started = False
            if self.cycle is not None and not self.cycle.response_complete:
                self.cycle.disconnected = True
                self.cycle.message_event.set()
                started = self.cycle.response_started
            if started:
                self.transport.close()
            else:
                super().send_400_response(msg)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if not self._in_request():
                self._head_came()  # idle: uvicorn's own keep-alive closes it

        def connection_lost(self, exc: Exception | None) -> None:
            self._head_came()
            super().connection_lost(exc)

        def _in_request(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _await_head(self) -> None:
            if self._deadline is not None:
                return
            self._deadline = self.loop.call_later(deadline_s, self._give_up)
            waiting[self] = None
            if len(waiting) > max_waiting:
                oldest = next(iter(waiting))
                oldest._give_up()  # type: ignore[attr-defined]

        def _head_came(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None
            waiting.pop(self, None)

        def _give_up(self) -> None:
            self._head_came()
            self.transport.abort()

    return Protocol
