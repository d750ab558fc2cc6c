"""What lies between two SCTP transports of aiortc, without DTLS and network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class Wire:
    """What an SCTP transport asks of DTLS. `losing`: everything sent is lost; `loses` decides for
    each packet."""

    def __init__(self, role: str) -> None:
        self._role = role
        self.state, self.losing = "connected", False
        self.loses: Callable[[bytes], bool] = lambda data: False
        self.other: Wire
        self.end: Any = None

    def _register_data_receiver(self, end: Any) -> None:
        self.end = end

    def _unregister_data_receiver(self, end: Any) -> None:
        self.end = None

    async def _send_data(self, data: bytes) -> None:
        if not self.losing and not self.loses(data) and self.other.end is not None:
            asyncio.get_running_loop().call_soon(self.other.deliver, data)

    def deliver(self, data: bytes) -> None:
        if self.end is not None:
            self.arriving = asyncio.ensure_future(self.end._handle_data(data))
