"""Server-sent events, sans-I/O: bytes in any pieces, the data of whole events out."""

from __future__ import annotations

import codecs

from voicepipe.runtime.errors import LimitExceeded

MAX_EVENT_CHARS = 4 * 1024 * 1024
"""No chat server sends an event of that size; one that does is broken or hostile."""


class SseParser:
    """Only `data` matters to us: other fields and comments are skipped, as the standard says.

    Lines end with LF, CR or CRLF, also where a piece ends between CR and LF; several data lines of
    one event are joined by LF; an event ends at an empty line."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._data: list[str] = []
        self._size = 0
        self._after_cr = False
        self._at_start = True

    def feed(self, chunk: bytes) -> list[str]:
        """Data of the events that `chunk` completes. Raises LimitExceeded for a giant event."""
        text = self._decoder.decode(chunk)
        if self._at_start and text:
            self._at_start = False
            text = text.removeprefix("\ufeff")
        if self._after_cr and text:
            self._after_cr = False
            text = text.removeprefix("\n")
        if text:
            self._after_cr = text.endswith("\r")
        unix = (self._rest + text).replace("\r\n", "\n").replace("\r", "\n")
        *lines, self._rest = unix.split("\n")
        events = [data for line in lines if (data := self._line(line)) is not None]
        if len(self._rest) + self._size > MAX_EVENT_CHARS:
            raise LimitExceeded(f"a server-sent event exceeds {MAX_EVENT_CHARS} characters")
        return events

    def _line(self, line: str) -> str | None:
        if not line:
            data = "\n".join(self._data) if self._data else None
            self._data.clear()
            self._size = 0
            return data
        field, _, value = line.partition(":")
        if field == "data":
            self._data.append(value.removeprefix(" "))
            self._size += len(value) + 1  # empty ones are kept, too
        return None
