"""Puts received packets in order, waiting as little as can be.

A player's jitter buffer holds audio back so that it can be played evenly. A recognizer does not
mind unevenness, so nothing is held here but what came before its turn: a packet in order goes on at
once, and a missing one is given up when `patience` newer ones are there. aiortc's own buffer holds
80 ms, and one lost packet makes it 280 ms for the rest of the call.

aiortc has no way to set another one: `take_over` replaces a private attribute of its receiver, if
it is still there, and says whether it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from aiortc import RTCRtpReceiver
from aiortc.rtp import RtpPacket

log = logging.getLogger(__name__)

ATTRIBUTE = "_RTCRtpReceiver__jitter_buffer"
FAR = 100
"""Packets (2 s). What is further ahead or behind belongs to a new stream."""


class ReorderBuffer:
    """Stands where aiortc has its jitter buffer, and gives nothing back to it: packets go to
    `deliver`, in order."""

    def __init__(self, patience: int, deliver: Callable[[RtpPacket], None]) -> None:
        self._patience = patience
        self._deliver = deliver
        self._next: int | None = None  # sequence number that is due
        self._early: dict[int, RtpPacket] = {}
        self.lost = 0
        self.late = 0

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        """The receiver hands over a packet; what it gets back says: nothing to decode."""
        number = packet.sequence_number
        ahead = 0 if self._next is None else _distance(self._next, number)
        if self._next is None or abs(ahead) > FAR:
            self.release()
            self._next = number
        elif ahead < 0:
            self.late += 1
            return False, None
        self._early[number] = packet
        self._deliver_due()
        if len(self._early) >= self._patience:
            self._give_up_the_missing()
        return False, None

    def release(self) -> None:
        """Nothing newer comes: hand on what waits behind a missing packet."""
        while self._early:
            self._give_up_the_missing()

    def _give_up_the_missing(self) -> None:
        assert self._next is not None
        due = self._next
        first = min(self._early, key=lambda number: _distance(due, number))
        self.lost += _distance(due, first)
        self._next = first
        self._deliver_due()

    def _deliver_due(self) -> None:
        while self._next is not None and (packet := self._early.pop(self._next, None)) is not None:
            self._next = (self._next + 1) & 0xFFFF
            self._deliver(packet)


def take_over(receiver: RTCRtpReceiver, buffer: ReorderBuffer) -> bool:
    """Let `receiver`'s packets go through `buffer`; False where aiortc has moved its own."""
    stock: Any = getattr(receiver, ATTRIBUTE, None)
    if not callable(getattr(stock, "add", None)):
        log.warning("aiortc's jitter buffer is not where it was: up to 280 ms of delay for callers")
        return False
    setattr(receiver, ATTRIBUTE, buffer)
    return True


def _distance(start: int, end: int) -> int:
    """From one 16-bit sequence number to another, -32768 to 32767."""
    return ((end - start + 0x8000) & 0xFFFF) - 0x8000
