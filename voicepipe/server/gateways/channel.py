"""Between the parent and one gateway: whole messages, and connections with them. Never waits."""

from __future__ import annotations

import json
import logging
import socket
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)

MAX_MESSAGE = 16 * 1024
"""Bytes; an engine's long explanation is the longest."""


class ChannelClosed(Exception):
    """The other end has gone."""


@dataclass(frozen=True, slots=True)
class Message:
    """`connection`: an open socket that came with it; whoever takes the message owns it."""

    body: dict[str, Any]
    connection: socket.socket | None = None


class Channel:
    """One end. A datagram socket with the kernel's promise that nothing is lost or reordered
    (SOCK_SEQPACKET), so a message needs no frame of its own."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end

    @staticmethod
    def pair() -> tuple[Channel, Channel]:
        """Both ends of a new one."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return Channel(ours), Channel(theirs)

    def fileno(self) -> int:
        return self._end.fileno()

    def send(self, body: dict[str, Any], connection: socket.socket | None = None) -> bool:
        """False: the other end takes nothing just now, or has gone; reading tells which."""
        data = json.dumps(body).encode()
        try:
            if connection is None:
                self._end.send(data)
            else:
                socket.send_fds(self._end, [data], [connection.fileno()])
        except OSError:
            return False
        return True

    def receive(self) -> Message | None:
        """None: there is nothing. Raises ChannelClosed. What cannot be read is logged and skipped:
        the other end's fault must not end this one."""
        while (received := self._received()) is not None:
            data, connection = received
            try:
                return Message(json.loads(data), connection)
            except ValueError:
                log.error("a message of %d bytes between processes is unreadable", len(data))
                if connection is not None:
                    connection.close()
        return None

    def _received(self) -> tuple[bytes, socket.socket | None] | None:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._end, MAX_MESSAGE, 1)
        except BlockingIOError:
            return None
        except OSError:
            raise ChannelClosed from None
        if not data:
            raise ChannelClosed
        return data, socket.socket(fileno=descriptors[0]) if descriptors else None

    def close(self) -> None:
        self._end.close()
