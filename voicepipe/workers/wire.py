"""Messages between the server and an engine worker, sans I/O.

One message is a JSON header and raw payload bytes (PCM) behind it:

    2 bytes  b"vp"             a stray print on the pipe is seen at once
    4 bytes  header length     big-endian
    4 bytes  payload length    big-endian
    header   UTF-8 JSON object
    payload  bytes
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAGIC = b"vp"
MAX_MESSAGE_BYTES = 32 * 1024 * 1024
"""Largest header plus payload, both ways: six minutes of 44.1 kHz speech in one piece."""

_PREFIX = struct.Struct(">2sII")


class WireError(Exception):
    """The bytes are no message: the peer is broken and the pipe cannot be used further."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One message."""

    header: Mapping[str, Any]
    payload: bytes = b""


def encode(header: Mapping[str, Any], payload: bytes = b"") -> bytes:
    """One message as bytes. Raises WireError above `MAX_MESSAGE_BYTES`."""
    head = json.dumps(header, separators=(",", ":")).encode()
    if len(head) + len(payload) > MAX_MESSAGE_BYTES:
        raise WireError(
            f"message of {len(head) + len(payload)} bytes is over the limit of {MAX_MESSAGE_BYTES}"
        )
    return _PREFIX.pack(MAGIC, len(head), len(payload)) + head + payload


class Decoder:
    """Cuts a byte stream back into messages. Holds at most one unfinished message."""

    def __init__(self, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self.max_message_bytes = max_message_bytes
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Packet]:
        """Add bytes, cut anywhere; return the messages they complete.

        Raises WireError for a wrong mark, a size over the limit or a header that is no JSON object.
        """
        self._buffer += data
        packets: list[Packet] = []
        start = 0
        while (end := self._end_of_message(start)) is not None:
            packets.append(self._parse(start, end))
            start = end
        del self._buffer[:start]
        return packets

    @property
    def pending_bytes(self) -> int:
        """Bytes of an unfinished message; not 0 at the end of a stream means it was cut off."""
        return len(self._buffer)

    def _end_of_message(self, start: int) -> int | None:
        mark = bytes(self._buffer[start : start + len(MAGIC)])
        if not MAGIC.startswith(mark):
            raise WireError(f"expected a message, got bytes starting with {mark!r}")
        if len(self._buffer) - start < _PREFIX.size:
            return None
        _, head, body = _PREFIX.unpack_from(self._buffer, start)
        if head + body > (limit := self.max_message_bytes):
            raise WireError(f"message of {head + body} bytes is over the limit of {limit}")
        end: int = start + _PREFIX.size + head + body
        return end if len(self._buffer) >= end else None

    def _parse(self, start: int, end: int) -> Packet:
        _, head, _ = _PREFIX.unpack_from(self._buffer, start)
        at = start + _PREFIX.size
        with memoryview(self._buffer) as view:
            raw, payload = bytes(view[at : at + head]), bytes(view[at + head : end])
        try:
            header = json.loads(raw)
        except (ValueError, RecursionError) as error:  # the latter: nested too deeply
            raise WireError(f"message header is no JSON: {error}") from None
        if not isinstance(header, dict):
            raise WireError(f"message header is no JSON object but {type(header).__name__}")
        return Packet(header, payload)
