"""Where connections come in: accepted by the parent, and handed to the gateway with the fewest."""

from __future__ import annotations

import logging
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping

from voicepipe.server.gateways.fleet import Gateway, choose
from voicepipe.server.gateways.listeners import BACKLOG
from voicepipe.server.gateways.place import Port

log = logging.getLogger(__name__)

ACCEPT_AT_ONCE = 32
"""Connections of one listener, before others get their turn."""


class Reception:
    """`look` in each round of the parent's loop."""

    def __init__(
        self,
        listeners: Mapping[Port, socket.socket],
        selector: selectors.BaseSelector,
        gateways: Callable[[], Iterable[Gateway]],
    ) -> None:
        """`gateways`: those there are just now."""
        self._listeners, self._selector, self._gateways = listeners, selector, gateways
        self._waiting: deque[tuple[Port, socket.socket]] = deque()  # that no gateway takes just now
        self._accepting = False

    def look(self) -> None:
        """Hand over what waits; accept more, unless nobody would take it: then callers wait in the
        kernel's queue."""
        self._hand_over()
        now = time.monotonic()
        wanted = not self._waiting and any(one.takes(now) for one in self._gateways())
        if wanted != self._accepting:
            self._accepting = wanted
            self._listen() if wanted else self._turn_away()

    def take_back(self, handed: Iterable[tuple[Port, socket.socket]]) -> None:
        """A gateway had not received them when it died, or could not."""
        self._waiting.extend(handed)

    def close(self) -> None:
        """Nobody takes what waits; or, in a child, its copies are of no use."""
        for _, connection in self._waiting:
            connection.close()
        self._waiting.clear()

    def refuse(self) -> None:
        """Who comes from now on is refused, for good; who waits in the kernel's queue comes in."""
        if self._accepting:
            self._accepting = False
            self._turn_away()
        for port, listener in self._listeners.items():
            listener.setblocking(False)
            accept = self._acceptor(port)
            for _ in range(BACKLOG // ACCEPT_AT_ONCE):
                if not accept():
                    break
        self.close_listeners()
        self._listeners = {}

    def close_listeners(self) -> None:
        """In a child: its copies of them."""
        for listener in self._listeners.values():
            listener.close()

    def _listen(self) -> None:
        for port, listener in self._listeners.items():
            listener.setblocking(False)
            self._selector.register(listener, selectors.EVENT_READ, self._acceptor(port))

    def _turn_away(self) -> None:
        for listener in self._listeners.values():
            self._selector.unregister(listener)

    def _acceptor(self, port: Port) -> Callable[[], bool]:
        def accept() -> bool:
            """Whether more may wait."""
            for _ in range(ACCEPT_AT_ONCE):
                try:
                    connection, _ = self._listeners[port].accept()
                except BlockingIOError:
                    return False
                except OSError as error:
                    log.error("a connection could not be accepted: %s", error.strerror)
                    time.sleep(0.05)  # out of descriptors: some calls have to end first
                    return False
                self._waiting.append((port, connection))
                self._hand_over()
            return True

        return accept

    def _hand_over(self) -> None:
        while self._waiting and self._handed_over(*self._waiting[0]):
            self._waiting.popleft()

    def _handed_over(self, port: Port, connection: socket.socket) -> bool:
        able = choose(self._gateways(), time.monotonic())
        return any(one.hand(port, connection) for one in able)
