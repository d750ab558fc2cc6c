"""Opus, as a voice needs it.

Packets are made and read here and not by aiortc, which for each frame resamples to 48 kHz stereo,
codes both channels, and goes to a thread and back. Silence is coded once and then repeated, so that
a silent track costs next to nothing.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import av
import numpy as np

from voicepipe.audio.formats import PCM_24K
from voicepipe.audio.pcm import FRAME_MS, Int16

RTP_CLOCK = 48_000
"""Hz, whatever is coded (RFC 7587)."""

BIT_RATE = 48_000
"""Mono speech up to 12 kHz sounds as it came; Opus needs no more for it."""

SETTLED = 25
"""Silent frames until the coder has forgotten what was said; then they are all alike, 3 bytes."""

SHORT_MS = 5
"""Of silence in a packet while a reply is due: it then waits that long for the next one at most."""

SHORT_SAMPLES = PCM_24K.rate * SHORT_MS // 1000
TIME_BASE = Fraction(1, PCM_24K.rate)
_RTP_TIME_BASE = Fraction(1, RTP_CLOCK)  # aiortc's own, so that it converts nothing


class OpusEncoder:
    """24 kHz mono, one packet of 20 ms for each frame."""

    def __init__(self) -> None:
        self._codec = _lowdelay_encoder({})
        self._silent = 0
        self._last = b""

    @property
    def settled(self) -> bool:
        """There has been silence for so long that what was said is forgotten."""
        return self._silent > SETTLED

    def encode(self, samples: Int16, at_samples: int) -> av.Packet[Any]:
        """`samples`: one frame, int16 [480]; `at_samples`: its place in the stream."""
        self._silent = 0 if samples.any() else self._silent + 1
        if self._silent <= SETTLED or not self._last:
            packets = self._codec.encode(_frame(samples, at_samples))
            self._last = b"".join(bytes(packet) for packet in packets)
        return rtp_packet(self._last, at_samples)


@cache
def short_silence() -> bytes:
    """A packet of `SHORT_MS` of silence."""
    codec = _lowdelay_encoder({"frame_duration": str(SHORT_MS)})
    packet = b""
    for n in range(SETTLED * FRAME_MS // SHORT_MS):
        frame = _frame(np.zeros(SHORT_SAMPLES, dtype=np.int16), n * SHORT_SAMPLES)
        packet = b"".join(bytes(p) for p in codec.encode(frame)) or packet
    return packet


def _lowdelay_encoder(options: dict[str, str]) -> Any:
    codec = av.CodecContext.create("libopus", "w")
    codec.bit_rate = BIT_RATE
    codec.format = "s16"
    codec.layout = "mono"
    codec.sample_rate = PCM_24K.rate
    codec.time_base = TIME_BASE
    # Against "voip": 4 ms less delay, and a third of the time (64 us a frame, not 171).
    codec.options = {"application": "lowdelay", "compression_level": "5", **options}
    return codec


def _frame(samples: Int16, at_samples: int) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
    frame.sample_rate, frame.time_base, frame.pts = PCM_24K.rate, TIME_BASE, at_samples
    return frame


class OpusDecoder:
    """Packets to mono frames of 48 kHz, whatever the sender has coded."""

    def __init__(self) -> None:
        self._codec = av.CodecContext.create("libopus", "r")
        self._codec.format = "s16"
        self._codec.layout = "mono"
        self._codec.sample_rate = RTP_CLOCK

    def decode(self, payload: bytes) -> list[av.AudioFrame]:
        """Raises av.FFmpegError."""
        return self._codec.decode(av.Packet(payload))


def rtp_packet(payload: bytes, at_samples: int) -> av.Packet[Any]:
    """For a track whose sender takes packets as they are; `at_samples` at 24 kHz."""
    packet = av.Packet(payload)
    packet.pts, packet.time_base = at_samples * RTP_CLOCK // PCM_24K.rate, _RTP_TIME_BASE
    return packet
