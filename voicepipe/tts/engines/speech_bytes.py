"""The sound in an HTTP reply: raw s16le or a WAV file, cut anywhere on its way. Pure."""

from __future__ import annotations

import re
import struct

from voicepipe.audio.pcm import Int16, from_bytes

MAX_HEADER_BYTES = 64 * 1024
"""A WAV file that has not come to its sound by then is none we can read."""

_RIFF, _WAVE, _FORMAT, _DATA = b"RIFF", b"WAVE", b"fmt ", b"data"
_PCM_TAGS = {1, 0xFFFE}  # plain, and "extensible", which says the same at greater length
_UNKNOWN_SIZES = {0, 0x7FFFFFFF, 0xFFFFFFFF}  # what writers put who do not know the end yet
_RATE = re.compile(r";\s*rate=(\d+)")
_NO_PCM = re.compile(r"(audio/(mpeg|mp3|ogg|opus|aac|flac|webm)|text/|application/json)")


class BadSound(Exception):
    """The bytes are no mono 16-bit sound; the message says what they are."""


class SpeechBytes:
    """One reply. `rate` in Hz once it is known: from a WAV header, else from the content type, else
    as given. Raises BadSound for a content type that is no PCM.
    """

    def __init__(self, content_type: str, rate: int) -> None:
        kind = content_type.lower()
        if matched := _NO_PCM.match(kind):
            raise BadSound(f"{matched[0]}, not pcm or wav")
        stated = _RATE.search(kind)
        self.rate = int(stated[1]) if stated else rate
        self._buffer = bytearray()
        self._in_sound = False
        self._left: int | None = None  # bytes of the WAV's sound; None: until the end

    def feed(self, data: bytes) -> Int16:
        """Samples that are whole now, [n], n may be 0. Raises BadSound."""
        self._buffer += data
        if not self._in_sound and not self._find_sound():
            return from_bytes(b"")
        whole = len(self._buffer) & ~1
        if self._left is not None:
            whole = min(whole, self._left & ~1)
            self._left -= whole
        samples = from_bytes(bytes(self._buffer[:whole]))
        del self._buffer[: len(self._buffer) if self._left == 0 else whole]
        return samples

    def _find_sound(self) -> bool:
        """Whether the buffer begins with samples; reads a WAV header away."""
        if len(self._buffer) < len(_RIFF) and _RIFF.startswith(self._buffer):
            return False
        self._in_sound = not self._buffer.startswith(_RIFF) or self._read_header()
        if not self._in_sound and len(self._buffer) > MAX_HEADER_BYTES:
            raise BadSound("a WAV file without sound")
        return self._in_sound

    def _read_header(self) -> bool:
        """False while its end has not come."""
        if len(self._buffer) >= 12 and self._buffer[8:12] != _WAVE:
            raise BadSound("a RIFF file that is no WAV")
        at, known = 12, False
        while len(self._buffer) >= at + 8:
            name, size = struct.unpack_from("<4sI", self._buffer, at)
            at += 8
            if name == _DATA:
                if not known:
                    raise BadSound("a WAV file that does not state its format")
                self._left = None if size in _UNKNOWN_SIZES else size
                del self._buffer[:at]
                return True
            if name == _FORMAT:
                if len(self._buffer) < at + 16:
                    return False
                self._read_format(at)
                known = True
            at += size + size % 2
        return False

    def _read_format(self, at: int) -> None:
        tag, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", self._buffer, at)
        if tag not in _PCM_TAGS or channels != 1 or bits != 16:
            raise BadSound(f"WAV of {channels} channel(s), {bits} bits, format {tag}")
        self.rate = rate
