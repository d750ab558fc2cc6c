"""Opus, as a voice needs it.

Packets are made and read here and not by aiortc, which for each frame resamples to 48 kHz stereo,
codes both channels, and goes to a thread and back. Silence is coded once and then repeated, so that
a silent track costs next to nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import av

from voicepipe.audio.formats import PCM_24K
from voicepipe.audio.pcm import Int16

RTP_CLOCK = 48_000
"""Hz, whatever is coded (RFC 7587)."""

BIT_RATE = 48_000
"""Mono speech up to 12 kHz sounds as it came; Opus needs no more for it."""

SETTLED = 25
"""Silent frames until the coder has forgotten what was said; then they are all alike, 3 bytes."""

TIME_BASE = Fraction(1, PCM_24K.rate)
_RTP_TIME_BASE = Fraction(1, RTP_CLOCK)  # aiortc's own, so that it converts nothing


class OpusEncoder:
    """24 kHz mono, one packet of 20 ms for each frame."""

    def __init__(self) -> None:
        self._codec = av.CodecContext.create("libopus", "w")
        self._codec.bit_rate = BIT_RATE
        self._codec.format = "s16"
        self._codec.layout = "mono"
        self._codec.sample_rate = PCM_24K.rate
        self._codec.time_base = TIME_BASE
        # Against "voip": 4 ms less delay, and a third of the time (64 us a frame, not 171).
        self._codec.options = {"application": "lowdelay", "compression_level": "5"}
        self._silent = 0
        self._last = b""

    def encode(self, samples: Int16, at_samples: int) -> av.Packet[Any]:
        """`samples`: one frame, int16 [480]; `at_samples`: its place in the stream."""
        self._silent = 0 if samples.any() else self._silent + 1
        if self._silent <= SETTLED or not self._last:
            frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
            frame.sample_rate, frame.time_base, frame.pts = PCM_24K.rate, TIME_BASE, at_samples
            self._last = b"".join(bytes(packet) for packet in self._codec.encode(frame))
        return rtp_packet(self._last, at_samples)


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
