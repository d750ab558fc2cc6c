"""Audio inside JSON: base64 text to and from bytes of a session's format."""

from __future__ import annotations

import binascii

import numpy as np

from voicepipe.audio import g711, pcm
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.audio.resample import DELAY_MS, Resampler
from voicepipe.protocols.json_fields import checks, errors
from voicepipe.runtime.errors import ProtocolError

_SLICE = 128 * 1024
"""Characters decoded at once, so that other threads (the event loop's) get their turn in between;
a multiple of four."""

MAX_AUDIO_BYTES = 15 * 1024 * 1024
"""Decoded audio in one message, as the protocol states it."""


def decode(value: object, path: str, fmt: AudioFormat, max_bytes: int) -> bytes:
    """Bytes of whole samples. Raises ProtocolError `invalid_type` or `invalid_value`.

    The alphabet and padding are checked strictly: a decoder that skips what it does not know turns
    a client's slip into noise.
    """
    text = value if type(value) is str else checks.string(value, path)
    if len(text) > (max_bytes + 2) // 3 * 4:
        raise _too_long(path, len(text) * 3 // 4, max_bytes)
    try:
        audio = _from_base64(text)
    except ValueError as exc:
        raise errors.bad_value(
            path,
            f"is not valid base64 ({exc}); use the standard alphabet (A-Z a-z 0-9 + /) with "
            "padding and no line breaks.",
        ) from None
    if len(audio) > max_bytes:
        raise _too_long(path, len(audio), max_bytes)
    if len(audio) % fmt.bytes_per_sample:
        raise errors.bad_value(
            path,
            f"holds {len(audio)} bytes, but 16-bit PCM needs an even number; send whole samples.",
        )
    return audio


class PlainMessages:
    """The form in which nearly all messages of sound come: two fields, as JSON writers write them,
    and base64 to the closing quote. Read without a JSON parser: 2 us instead of 6 for 20 ms."""

    def __init__(self, kind: str) -> None:
        """`kind`: their `type`."""
        self._dense = f'{{"type":"{kind}","audio":"'.encode()
        self._spaced = f'{{"type": "{kind}", "audio": "'.encode()

    def audio(self, frame: bytes) -> bytes | None:
        """What such a message brings; None: it is another one, or wrong, which a parser tells."""
        if frame.startswith(self._dense):
            begin = len(self._dense)
        elif frame.startswith(self._spaced):
            begin = len(self._spaced)
        else:
            return None
        if not frame.endswith(b'"}'):
            return None
        try:
            return binascii.a2b_base64(frame[begin:-2], strict_mode=True)
        except ValueError:  # an escape, a quote and more fields, or a slip
            return None


def _from_base64(text: str) -> bytes:
    """Raises ValueError, as binascii does."""
    if len(text) <= _SLICE:
        return binascii.a2b_base64(text, strict_mode=True)
    pieces = [text[at : at + _SLICE] for at in range(0, len(text), _SLICE)]
    if any(piece.endswith("=") for piece in pieces[:-1]):
        raise ValueError("Excess data after padding")
    return b"".join(binascii.a2b_base64(piece, strict_mode=True) for piece in pieces)


def encode(audio: bytes) -> str:
    """Base64 text without line breaks."""
    return binascii.b2a_base64(audio, newline=False).decode("ascii")


def _too_long(path: str, size: int, max_bytes: int) -> ProtocolError:
    return errors.bad_value(
        path,
        f"holds about {size} bytes of audio, more than the limit of {max_bytes} bytes per "
        "message; send it in smaller pieces.",
    )


def to_samples(audio: bytes, fmt: AudioFormat) -> Int16:
    """Wire bytes (whole samples) as int16 [n] at 16 kHz."""
    raw = pcm.from_bytes(audio) if fmt.encoding == "pcm16" else g711.decode(audio, fmt.encoding)
    return _resampled(raw, fmt.rate, pcm.SAMPLE_RATE)


def from_samples(samples: Int16, fmt: AudioFormat) -> bytes:
    """int16 [n] at 16 kHz as wire bytes."""
    raw = _resampled(samples, pcm.SAMPLE_RATE, fmt.rate)
    return pcm.to_bytes(raw) if fmt.encoding == "pcm16" else g711.encode(raw, fmt.encoding)


def _resampled(samples: Int16, in_rate: int, out_rate: int) -> Int16:
    """A whole recording, in pieces of a second: the resampler's windows take ~100 times the
    memory of what it is given at once."""
    if in_rate == out_rate or not samples.size:
        return samples
    resampler = Resampler(in_rate, out_rate)
    pieces = [
        resampler.process(samples[start : start + in_rate])
        for start in range(0, samples.size, in_rate)
    ]
    whole: Int16 = np.concatenate((*pieces, resampler.flush()))
    skip = round(DELAY_MS / 1000 * out_rate)
    return whole[skip : skip + round(samples.size * out_rate / in_rate)]
