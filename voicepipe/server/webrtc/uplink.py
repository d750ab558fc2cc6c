"""The caller's track to session audio: 16 kHz mono PCM, a clock that never stops.

Packets are decoded as they come, on the event loop: 50 us each, less than the way to a thread and
back would cost it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import cast

import av
from aiortc import MediaStreamTrack, RTCRtpReceiver
from aiortc.codecs import get_decoder
from aiortc.jitterbuffer import JitterFrame
from aiortc.mediastreams import MediaStreamError
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.rtp import RtpPacket

from voicepipe.audio.formats import PCM_16K
from voicepipe.runtime.clock import Clock
from voicepipe.server.webrtc.jitter import ReorderBuffer, take_over
from voicepipe.server.webrtc.opus import OpusDecoder
from voicepipe.server.webrtc.resampler import Resampler

log = logging.getLogger(__name__)

TICK_S = 0.1
MUTED_AFTER_MS = 200.0
"""No packet for so long: the track is muted, and silence is put in its place. Longer than what a
network holds back now and then."""

LEAST_GAP_MS = 5.0
"""Less is rounding between clocks."""

MAX_GAP_MS = 1000.0
"""Silence put in for a jump of the packets' own clock; a longer jump means a new clock."""


class Uplink:
    """`hear` takes the audio as 16-bit PCM at `rate` Hz, in order and without gaps."""

    def __init__(
        self,
        hear: Callable[[bytes], None],
        clock: Clock,
        reorder_packets: int,
        rate: int = PCM_16K.rate,
    ) -> None:
        self._hear, self._clock, self._rate = hear, clock, rate
        self._buffer = ReorderBuffer(reorder_packets, self._packet)
        self._codecs: dict[int, RTCRtpCodecParameters] = {}
        self._decode: Callable[[bytes], list[av.AudioFrame]] | None = None
        self._resampler = Resampler(rate)
        self._payload_type = -1
        self._due: int | None = None  # media time of the next frame, in ticks of its clock
        self._filled_ms = 0.0  # silence put in since the last frame
        self._heard_at = clock.now()  # up to when there is audio
        self.packet_at = clock.now()  # when the newest packet came

    def listen_to(self, receiver: RTCRtpReceiver, codecs: Iterable[RTCRtpCodecParameters]) -> bool:
        """Take `receiver`'s packets from now on; False: let `drain` read its track instead."""
        self._codecs = {c.payloadType: c for c in codecs if c.payloadType is not None}
        return take_over(receiver, self._buffer)

    async def drain(self, track: MediaStreamTrack) -> None:
        """Hear what aiortc itself has buffered and decoded, until the track ends."""
        while True:
            try:
                frame = cast(av.AudioFrame, await track.recv())  # owner: the peer, which cancels
            except MediaStreamError:
                return
            ticks_per_s = frame.time_base.denominator if frame.time_base else frame.sample_rate
            self._frame(frame, frame.pts or 0, ticks_per_s)

    async def keep_time(self) -> None:
        """For ever: silence where no packets come, so that the audio input' clock goes on. Its
        owner, the peer, cancels it."""
        self._heard_at = self._clock.now()
        while True:
            await asyncio.sleep(TICK_S)
            missing_ms = (self._clock.now() - self._heard_at) * 1000
            if missing_ms > TICK_S * 1000:
                self._buffer.release()
            if missing_ms > (0 if self._filled_ms else MUTED_AFTER_MS):
                self._silence(missing_ms)
                self._filled_ms += missing_ms
                self._heard_at = self._clock.now()

    def _packet(self, packet: RtpPacket) -> None:
        codec = self._codecs.get(packet.payload_type)
        if codec is None or not packet.payload:
            return
        if self._decode is None or packet.payload_type != self._payload_type:
            self._decode, self._payload_type = _decoder(codec), packet.payload_type
            self._resampler, self._due = Resampler(self._rate), None
        try:
            frames = self._decode(packet.payload)
        except av.FFmpegError as error:  # like a lost one: silence takes its place
            log.debug("a packet could not be decoded: %s", error)
            return
        for frame in frames:
            self._frame(frame, packet.timestamp, codec.clockRate)

    def _frame(self, frame: av.AudioFrame, media_time: int, ticks_per_s: int) -> None:
        """`media_time`: of its first sample, in ticks."""
        if self._due is not None:
            gap_ms = _difference(self._due, media_time) * 1000 / ticks_per_s - self._filled_ms
            if LEAST_GAP_MS < gap_ms <= MAX_GAP_MS:
                self._silence(gap_ms)
        self._due = media_time + frame.samples * ticks_per_s // frame.sample_rate
        self._filled_ms = 0.0
        self._heard_at = self.packet_at = self._clock.now()
        for piece in self._resampler.resample(frame):
            self._hear(bytes(piece.planes[0])[: piece.samples * 2])

    def _silence(self, ms: float) -> None:
        self._hear(bytes(2 * round(ms * self._rate / 1000)))


def _decoder(codec: RTCRtpCodecParameters) -> Callable[[bytes], list[av.AudioFrame]]:
    if codec.mimeType.lower() == "audio/opus":
        return OpusDecoder().decode
    stock = get_decoder(codec)
    return lambda payload: cast(list[av.AudioFrame], stock.decode(JitterFrame(payload, 0)))


def _difference(start: int, end: int) -> int:
    """From one 32-bit media time to another, with the wrap in between seen."""
    return ((end - start + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000
