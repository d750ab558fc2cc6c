"""AudioSocket, from Asterisk's side: TCP."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_8K, AudioFormat
from voicepipe.audio.resample import Resampler
from voicepipe.lab.carriers.dialect import CallDetails, Dialect, HangUp, Order, Play, Problem
from voicepipe.protocols.telephony.carriers.audiosocket import (
    DTMF,
    HANG_UP,
    HEADER_BYTES,
    RATES,
    UUID,
    message,
)
from voicepipe.protocols.telephony.contract import Frame


class EmulatedAudioSocket(Dialect):
    """s16 little-endian, sent at one rate, taken at that one and at 8 kHz, which Asterisk makes its
    channel's; what has been sent is played, come what may.

    `details.call_id` must be a UUID.
    """

    name = "audiosocket"

    def __init__(self, details: CallDetails | None = None, *, fmt: AudioFormat = PCM_8K) -> None:
        super().__init__(fmt, fmt, details)
        self._kind = next(kind for kind, rate in RATES.items() if rate == fmt.rate)
        self._buffer = b""
        self._resampler = Resampler(PCM_8K.rate, fmt.rate)

    def opening(self) -> Sequence[Frame]:
        """See `Dialect`."""
        return (message(UUID, uuid.UUID(self.details.call_id).bytes),)

    def media(self, data: bytes) -> Frame:
        """See `Dialect`. More than a message can say is an empty one (mischief)."""
        return message(self._kind, data if len(data) < 2**16 else b"")

    def dtmf(self, digit: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (message(DTMF, digit.encode("ascii")),)

    def stop(self) -> Sequence[Frame]:
        """See `Dialect`."""
        return (message(HANG_UP, b""),)

    def malformed(self) -> Frame:
        """Half a sample."""
        return message(self._kind, b"\0")

    def receive(self, frame: Frame) -> Sequence[Order]:
        """See `Dialect`."""
        assert isinstance(frame, bytes)
        self._buffer += frame
        orders: list[Order] = []
        while len(self._buffer) >= HEADER_BYTES:
            end = HEADER_BYTES + int.from_bytes(self._buffer[1:HEADER_BYTES], "big")
            if end > len(self._buffer):
                break
            orders.append(self._order(self._buffer[0], self._buffer[HEADER_BYTES:end]))
            self._buffer = self._buffer[end:]
        return orders

    def _order(self, kind: int, payload: bytes) -> Order:
        if kind == HANG_UP:
            return HangUp()
        if RATES.get(kind) not in (PCM_8K.rate, self.downlink.rate) or len(payload) % 2:
            return Problem(f"a message of type {kind:#x} with {len(payload)} bytes")
        if RATES[kind] == self.downlink.rate:
            return Play(payload)
        return Play(pcm.to_bytes(self._resampler.process(pcm.from_bytes(payload))))
