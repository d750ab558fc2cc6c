"""Asterisk's AudioSocket: messages of type, length and payload on a TCP stream."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from voicepipe.audio import pcm
from voicepipe.audio.codec import Decoder
from voicepipe.audio.formats import PCM_8K, AudioFormat
from voicepipe.protocols.json_fields import errors
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.carrier import Carrier
from voicepipe.protocols.telephony.contract import (
    Abilities,
    CallAudio,
    CallCodec,
    CallEnded,
    CallEvent,
    CallStarted,
    DtmfPressed,
    Frame,
)
from voicepipe.runtime.errors import ProtocolError

HANG_UP, UUID, DTMF, ERROR = 0x00, 0x01, 0x03, 0xFF
RATES = {
    0x10: 8_000, 0x11: 12_000, 0x12: 16_000, 0x13: 24_000, 0x14: 32_000, 0x15: 44_100,
    0x16: 48_000, 0x17: 96_000, 0x18: 192_000,
}  # fmt: skip
"""Audio is s16 little-endian; its type says its rate."""

HEADER_BYTES = 3
SILENCE_EVERY_S = 1.0
"""Asterisk hangs up where nothing crosses the connection for 2 s, either way."""

MAX_EARLY_KEYS = 32
"""Before the first audio; more are nobody's fingers."""

MAX_PAYLOAD = 65_534
"""Bytes in one message of ours: what the length can say, in whole samples."""


class AudioSocketCodec(CallCodec):
    """One call; see `CallCodec`. `receive` takes pieces of the TCP stream of any size.

    The first audio tells the rate, both ways: the call starts there, right behind its UUID. Where
    none comes it starts at 8 kHz, which every Asterisk takes; audio of another rate, should it come
    later, is made that. Keys from before the start follow it. A piece that holds a bad message is
    dropped whole (what had begun in earlier pieces too); the stream is in step again behind it.
    Nothing is queued at the other end: send 20 ms every 20 ms.
    """

    abilities = Abilities(paces=False, flushes=False, marks=False, silence_every_s=SILENCE_EVERY_S)

    def __init__(self) -> None:
        self._buffer = bytearray()  # an unfinished message: below HEADER_BYTES + 65,535 bytes
        self._uuid: str | None = None
        self._started: CallStarted | None = None
        self._early_keys: tuple[DtmfPressed, ...] = ()
        self._decoder: Decoder | None = None  # of the audio that comes, once some has
        self._ended = False

    def receive(self, frame: Frame) -> Sequence[CallEvent]:
        """See `CallCodec`."""
        if isinstance(frame, str):
            raise messages.unexpected("Text", "an AudioSocket carries bytes")
        complete = self._complete(frame)
        before = self._uuid, self._started, self._early_keys, self._decoder, self._ended
        events: list[CallEvent] = []
        try:
            for kind, payload in complete:
                events += self._on_message(kind, payload)
        except ProtocolError:
            self._uuid, self._started, self._early_keys, self._decoder, self._ended = before
            raise
        return events

    def _complete(self, data: bytes) -> list[tuple[int, bytes]]:
        """The messages that `data` completes, as (type, payload)."""
        buffer, at = self._buffer, 0
        buffer += data
        complete: list[tuple[int, bytes]] = []
        while len(buffer) - at >= HEADER_BYTES:
            end = at + HEADER_BYTES + int.from_bytes(buffer[at + 1 : at + HEADER_BYTES], "big")
            if end > len(buffer):
                break
            complete.append((buffer[at], bytes(buffer[at + HEADER_BYTES : end])))
            at = end
        del buffer[:at]
        return complete

    def _on_message(self, kind: int, payload: bytes) -> Sequence[CallEvent]:
        if self._ended:
            return ()
        if kind in RATES:
            return self._on_audio(AudioFormat("pcm16", RATES[kind]), payload)
        if kind == UUID:
            return self._on_uuid(payload)
        if kind == DTMF:
            return self._on_key(messages.digit(payload.decode("latin-1"), "DTMF payload"))
        if kind in (HANG_UP, ERROR):
            self._ended = True
            code = payload[:8].hex() or "unknown"
            return (CallEnded("hangup" if kind == HANG_UP else f"error: AudioSocket code {code}"),)
        return ()  # a type of later days

    def _on_uuid(self, payload: bytes) -> Sequence[CallEvent]:
        if self._uuid is not None:
            raise messages.unexpected("A second UUID", "this stream has begun")
        if len(payload) != 16:
            raise errors.bad_value("UUID", f"must have 16 bytes, but has {len(payload)}.")
        self._uuid = str(uuid.UUID(bytes=payload))
        return ()

    def _on_key(self, digit: str) -> Sequence[CallEvent]:
        key = DtmfPressed(digit)
        if self._started is not None:
            return (key,)
        if self._uuid is None:
            raise messages.unexpected("A key", "it came before the call's UUID")
        self._early_keys = (*self._early_keys, key)[:MAX_EARLY_KEYS]
        return ()

    def _on_audio(self, fmt: AudioFormat, payload: bytes) -> Sequence[CallEvent]:
        messages.whole_samples(payload, "audio", fmt)
        begun = self._start(fmt)
        assert self._started is not None
        decoder = self._decoder or Decoder(fmt, self._started.input_format.rate)
        if fmt != decoder.wire:
            raise errors.bad_value(
                "audio", f"is at {fmt.rate} Hz now, but the call began at {decoder.wire.rate} Hz."
            )
        self._decoder = decoder
        data = pcm.to_bytes(decoder.decode(payload))
        return (*begun, CallAudio(data)) if data else begun

    def nothing_came(self) -> Sequence[CallEvent]:
        """See `CallCodec`."""
        return () if self._uuid is None or self._ended else self._start(PCM_8K)

    def _start(self, fmt: AudioFormat) -> tuple[CallEvent, ...]:
        if self._started is not None:
            return ()
        if self._uuid is None:
            raise messages.unexpected("Audio", "it came before the call's UUID")
        self._started = CallStarted(self._uuid, self._uuid, fmt, fmt)
        keys, self._early_keys = self._early_keys, ()
        return (self._started, *keys)

    def audio(self, data: bytes) -> Sequence[Frame]:
        """See `CallCodec`."""
        rate = messages.begun(self._started).output_format.rate
        kind = next(kind for kind, known in RATES.items() if known == rate)
        return [
            message(kind, data[start : start + MAX_PAYLOAD])
            for start in range(0, len(data), MAX_PAYLOAD)
        ]

    def hang_up(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        return (message(HANG_UP, b""),)


def message(kind: int, payload: bytes) -> bytes:
    """One message on the wire."""
    return bytes((kind,)) + len(payload).to_bytes(2, "big") + payload


AUDIOSOCKET = Carrier("audiosocket", AudioSocketCodec)
