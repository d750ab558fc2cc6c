"""Cuts what a WebSocket's client sends at the ends of its frames, without reading them. Pure.

A library that parses WebSockets does so for every kind of frame in Python. What comes fifty times a
second and call is one kind, and comes mostly alone: a short text in one piece. Those are told
apart here, so that they can go another way; the library gets all the rest as it came.
"""

from __future__ import annotations

from typing import NamedTuple

TEXT = 0x81
"""First byte of a text that is whole in one frame."""

MASKED = 0x80
"""Of a frame's second byte; the rest is its length, or says where that is."""

SHORT = MASKED | 126
"""Second byte of a masked frame whose length, in 16 bits, follows; then the mask, then the text."""

HEAD = 8
"""Bytes before the text of such a frame."""


class Piece(NamedTuple):
    """`text`: a whole frame with a short text; else any number of frames, or a part of one."""

    data: bytes
    text: bool


class FrameCutter:
    """One connection's, from its first frame on."""

    def __init__(self, most: int) -> None:
        """`most`: bytes of a text that counts as short. So much is held until it is whole."""
        self._most = most
        self._held = b""  # the beginning of a frame
        self._owed = 0  # bytes still to come of a long one

    def push(self, data: bytes) -> list[Piece]:
        """What can be read now, in order."""
        if self._held:
            data, self._held = self._held + data, b""
        if not self._owed and self._short_text(data, 0) == len(data):
            return [Piece(data, True)]  # the rule: one frame, and nothing else
        return self._cut(data)

    def _cut(self, data: bytes) -> list[Piece]:
        pieces: list[Piece] = []
        size = len(data)
        begin, at = 0, min(self._owed, size)  # from `begin` to `at`: the library's
        self._owed -= at
        while at < size:
            length = self._short_text(data, at)
            short = length > 0
            end = at + (length if short else _frame_size(data, at))
            if end == at or (short and end > size):
                self._held = data[at:]
                break
            if short:
                if begin < at:
                    pieces.append(Piece(data[begin:at], False))
                pieces.append(Piece(data[at:end], True))
                begin = end
            elif end > size:
                self._owed, end = end - size, size
            at = end
        if begin < at:
            pieces.append(Piece(data[begin:at], False))
        return pieces

    def _short_text(self, data: bytes, at: int) -> int:
        """Size of the frame that begins there, if it is a short text; 0: it is none, or too little
        of it is there to tell."""
        if len(data) - at < 4 or data[at] != TEXT or data[at + 1] != SHORT:
            return 0
        length = data[at + 2] << 8 | data[at + 3]
        return HEAD + length if length <= self._most else 0


def _frame_size(data: bytes, at: int) -> int:
    """Of any frame, from its first bytes; 0: too little of it is there to tell."""
    if len(data) - at < 2:
        return 0
    length, more = data[at + 1] & ~MASKED, 0
    if length >= 126:
        more = 2 if length == 126 else 8
        if len(data) - at < 2 + more:
            return 0
        length = int.from_bytes(data[at + 2 : at + 2 + more], "big")
    mask = 4 if data[at + 1] & MASKED else 0
    return 2 + more + mask + length
