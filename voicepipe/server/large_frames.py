"""A large WebSocket frame is read as fragments.

The `websockets` library unmasks a frame when all of it has come, in one go: fifteen megabytes keep
the event loop, and with it every call, for some ten milliseconds. RFC 6455 (5.4) lets whoever
passes a frame on break it into fragments; so does this reader, between the socket and the parser.
"""

from __future__ import annotations

import struct
from collections.abc import Generator

from websockets.server import ServerProtocol
from websockets.streams import StreamReader

FRAGMENT = 64 * 1024
"""Bytes; a multiple of four, so that each fragment starts where the mask does."""

_FIN, _MASKED, _LENGTH = 0x80, 0x80, 0x7F
_CONTINUES = 0x00
"""Opcode of all fragments but the first."""

_LONG = 127
"""What stands for the length of a frame of 64 KB or more; eight bytes with the length follow."""

_LONG_HEADER = struct.Struct("!BBQ4s")


class FragmentingProtocol(ServerProtocol):
    """The library's server side, on a `FragmentingReader`."""

    def parse(self) -> Generator[None, None, None]:
        """As the base class has it."""
        assert self.max_size is not None  # uvicorn's default is 16 MB
        self.reader = FragmentingReader(self.max_size)
        yield from super().parse()


class FragmentingReader(StreamReader):
    """Frames of over `FRAGMENT` bytes come out as fragments; those of over `most` as they are, for
    the parser to refuse at once."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._left = 0  # bytes of the current frame that are not in a fragment yet
        self._fin = 0
        self._mask = b""

    def at_eof(self) -> Generator[None, None, bool]:
        """As the base class has it: the parser asks before each frame."""
        if (yield from super().at_eof()):
            return True
        if self._left:
            self._begin_fragment(_CONTINUES)
        elif len(self.buffer) < 2 or self.buffer[1] & _LENGTH == _LONG:
            yield from self._look()
        return False

    def _look(self) -> Generator[None, None, None]:
        """Break the frame at the start of the buffer up if it is large."""
        while len(self.buffer) < self._header_bytes():
            if self.eof:
                return  # the parser says what is missing
            yield
        if self.buffer[1] != _MASKED | _LONG:
            return
        head, _, length, mask = _LONG_HEADER.unpack_from(self.buffer)
        if not FRAGMENT < length <= self._most:
            return
        del self.buffer[: _LONG_HEADER.size]
        self._left, self._fin, self._mask = length, head & _FIN, mask
        self._begin_fragment(head & ~_FIN)

    def _header_bytes(self) -> int:
        """How many bytes say how long the frame is, as far as can be seen."""
        long = len(self.buffer) > 1 and self.buffer[1] == _MASKED | _LONG
        return _LONG_HEADER.size if long else 2

    def _begin_fragment(self, first_byte: int) -> None:
        """Put the header of the next fragment before its bytes."""
        length = min(FRAGMENT, self._left)
        self._left -= length
        fin = 0 if self._left else self._fin
        self.buffer[:0] = _LONG_HEADER.pack(fin | first_byte, _MASKED | _LONG, length, self._mask)
