"""The outgoing track: where the agent's audio is played, 20 ms at a time, by an absolute clock.

aiortc's sender pulls frame after frame and knows no time, so the track is the clock: the session
fills it as its sink, and what is not pulled can still be taken back. Silence is sent too: without
it a reply would leave up to 20 ms sooner, but a browser would play it 30 ms later (docs/webrtc.md).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import av
import numpy as np
from aiortc import MediaStreamTrack
from aiortc.mediastreams import MediaStreamError

from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_24K
from voicepipe.audio.pcm import FRAME_MS, Int16
from voicepipe.runtime.clock import Clock
from voicepipe.server.webrtc.opus import (
    SHORT_SAMPLES,
    TIME_BASE,
    OpusEncoder,
    rtp_packet,
    short_silence,
)

log = logging.getLogger(__name__)

FRAME_S = FRAME_MS / 1000
FRAME_SAMPLES = PCM_24K.rate * FRAME_MS // 1000
SAMPLES_PER_MS = PCM_24K.rate / 1000

SILENCE: Int16 = np.zeros(FRAME_SAMPLES, dtype=np.int16)

STALL_S = 0.2
"""Frames so late are not sent in a burst, which would only fill the listener's buffer."""

FADE_SAMPLES = PCM_24K.rate * 5 // 1000
"""5 ms: what is cut off without it clicks."""

EXPECTING_S = 1.5
"""So long after a eager end a reply is due; most come within half a second."""

MAX_QUEUED_MS = 30_000.0
"""Far beyond what a session sends ahead; more is dropped and logged."""

MAX_DELAY_MS = 2000.0
"""No report of a playout delay counts for more."""


@dataclass(slots=True)
class _Piece:
    samples: Int16
    left: Callable[[], None] | None  # to be told when it begins to leave
    counts: bool = True  # as audio that was given; a fade does not


class Downlink(MediaStreamTrack):
    """A `PlayoutSink` whose audio is `PCM_24K`."""

    kind = "audio"

    def __init__(self, clock: Clock, lead_ms: float) -> None:
        super().__init__()
        self._clock, self._lead_ms = clock, lead_ms
        self.opus = True  # False: aiortc codes the frames, for a peer that does not know Opus
        self._encoder: OpusEncoder | None = OpusEncoder()
        self._queue: deque[_Piece] = deque()
        self._due: float | None = None  # when the next frame goes
        self._at_samples = 0  # media time of the next frame
        self._given_ms = self._pulled_ms = self._heard_ms = 0.0
        self._pulled_at = float("-inf")
        self._expecting_until = float("-inf")  # a reply may begin
        self.delay_ms = 0.0  # from a frame's leaving to its being heard

    # -- the sink ----------------------------------------------------------------------------------

    @property
    def lead_ms(self) -> float:
        """See `PlayoutSink`. What is on its way counts as ahead of playback too."""
        return self._lead_ms + FRAME_MS + self.delay_ms

    @property
    def given_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._given_ms

    def play(self, audio: bytes, duration_ms: float, left: Callable[[], None]) -> None:
        """See `PlayoutSink`."""
        if self._given_ms - self._pulled_ms > MAX_QUEUED_MS:
            log.error(
                "over %.0f s of audio wait to be played; more is dropped", MAX_QUEUED_MS / 1000
            )
            return
        self._queue.append(_Piece(pcm.from_bytes(audio), left))
        self._expecting_until = float("-inf")  # here it is
        self._given_ms += duration_ms

    def flush(self) -> float:
        """See `PlayoutSink`. What has been sent will be heard, so it counts as heard."""
        fade = self._faded_out()
        self._queue.clear()
        if fade is not None:
            self._queue.append(_Piece(fade, None, counts=False))
        self._given_ms = self._heard_ms = self._pulled_ms
        return self._heard_ms

    def heard_ms(self) -> float:
        """See `PlayoutSink`."""
        since_ms = (self._clock.now() - self._pulled_at) * 1000
        on_its_way_ms = max(0.0, FRAME_MS + self.delay_ms - since_ms)
        self._heard_ms = max(self._heard_ms, self._pulled_ms - on_its_way_ms)
        return self._heard_ms

    def expect(self) -> None:
        """See `PlayoutSink`: silence goes in short packets now, so that the first of the reply
        waits less for the one before it."""
        self._expecting_until = self._clock.now() + EXPECTING_S

    def finished(self) -> None:
        """See `PlayoutSink`. Silence follows by itself."""

    def set_delay(self, delay_ms: float) -> None:
        """How long after leaving a frame is heard, as far as it is known."""
        self.delay_ms = min(MAX_DELAY_MS, max(0.0, delay_ms))

    # -- the track --------------------------------------------------------------------------------

    def stop(self) -> None:
        """The library stops a track with its connection; this one may go on at another, until
        `end`."""

    def end(self) -> None:
        """Nothing more will be sent. The encoder goes at once: it has a thread for each core, which
        would stay until the garbage collector finds what is left of the call."""
        super().stop()
        self._encoder = None

    async def recv(self) -> av.AudioFrame | av.Packet[Any]:
        """The next 20 ms when they are due: queued audio, else silence."""
        await self._until_due()
        encoder = self._encoder
        if self.readyState != "live" or encoder is None:
            raise MediaStreamError
        at_samples = self._at_samples
        if self._expects(encoder):
            self._go_on(SHORT_SAMPLES)
            return rtp_packet(short_silence(), at_samples)
        self._go_on(FRAME_SAMPLES)
        samples = self._next_samples()
        if self.opus:
            return encoder.encode(samples, at_samples)
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
        frame.sample_rate, frame.time_base, frame.pts = PCM_24K.rate, TIME_BASE, at_samples
        return frame

    async def _until_due(self) -> None:
        now = self._clock.now()
        due = now if self._due is None else self._due
        if due > now:
            await asyncio.sleep(due - now)
        elif now - due > STALL_S:
            due = now
        self._due = due

    def _go_on(self, samples: int) -> None:
        """So much is sent now; the next packet is due when it will have been heard."""
        self._at_samples += samples
        if self._due is not None:
            self._due += samples / PCM_24K.rate

    def _expects(self, encoder: OpusEncoder) -> bool:
        return (
            self._clock.now() < self._expecting_until
            and self.opus
            and not self._queue
            and encoder.settled
        )

    def _next_samples(self) -> Int16:
        if not self._queue:
            return SILENCE
        frame = np.zeros(FRAME_SAMPLES, dtype=np.int16)
        filled = 0
        while self._queue and filled < FRAME_SAMPLES:
            piece = self._queue.popleft()
            if piece.left is not None:
                piece.left()
            taken = piece.samples[: FRAME_SAMPLES - filled]
            frame[filled : filled + taken.size] = taken
            filled += taken.size
            if piece.counts:
                self._pulled_ms += taken.size / SAMPLES_PER_MS
                self._pulled_at = self._clock.now()
            if taken.size < piece.samples.size:
                rest = piece.samples[taken.size :]
                self._queue.appendleft(_Piece(rest, None, piece.counts))
        return frame

    def _faded_out(self) -> Int16 | None:
        """The first moment of what would have been next, dying away; None if nothing sounds."""
        if not self._queue or self._pulled_at + 2 * FRAME_S < self._clock.now():
            return None
        head = self._queue[0].samples[:FADE_SAMPLES]
        return (head * np.linspace(1, 0, head.size)).astype(np.int16)
