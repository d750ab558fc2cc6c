"""The mouth: turns synthesized audio into wire audio, paces it, and knows what has been played.

Two kinds of listener:

- one that buffers and plays by itself (a WebSocket client): audio goes out as soon as it exists,
  and what was played is *estimated* from the time the first sample left;
- one that plays what arrives (WebRTC, a phone): audio goes out at most `lead_ms` ahead of
  playback, so that stopping means silence within the lead.

Pacing is by timestamps: a late wake-up sends what is due and leaves no drift.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from voicepipe.audio.codec import Encoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.clock import Clock

SLICE_MS = 20.0
"""What a paced mouth sends at a time; also its least lead."""

ROUNDING_MS = 0.01
"""Times are floats: a wait may end this much early rather than be followed by one of nothing."""


class Mouth:
    """Speaks one reply. `send(data, duration_ms)` hands wire audio on."""

    def __init__(
        self,
        clock: Clock,
        wire: AudioFormat,
        rate: int,
        send: Callable[[bytes, float], None],
        lead_ms: float | None = None,
    ) -> None:
        self._clock = clock
        self._wire = wire
        self._send = send
        self._lead_ms = lead_ms
        self._encoder = Encoder(rate, wire)
        self._playing = asyncio.Event()
        self._playing.set()
        self._started_at: float | None = None  # when playback would have begun without gaps
        self.sent_ms = 0.0
        self.stopped = False

    def encode(self, pcm: Int16) -> bytes:
        """Wire audio of the next chunk of speech. Apart from `play`, so that it can be done while
        the reply still waits for its turn.
        """
        return self._encoder.encode(pcm)

    def encode_tail(self) -> bytes:
        """The resampler's last samples, when no more speech comes."""
        return self._encoder.flush()

    async def play(self, data: bytes) -> None:
        """Hand on wire audio; returns when the listener may have all of it."""
        await self._hand_on(data)

    async def played_out(self) -> None:
        """Wait until the listener has heard everything, pauses included."""
        while not self.stopped:
            await self._playing.wait()  # owner: the reply's task, which an interrupt cancels
            remaining_ms = self.sent_ms - self.played_ms()
            if remaining_ms <= 0.5:
                return
            await asyncio.sleep(remaining_ms / 1000)

    def played_ms(self) -> float:
        """Audio heard so far, as far as the server can know."""
        if self._started_at is None:
            return 0.0
        return min(self.sent_ms, max(0.0, (self._clock.now() - self._started_at) * 1000))

    def pause(self) -> None:
        """Hold the output; the listener still plays the lead it has. One that buffers all by
        itself is beyond reach and goes on."""
        if self._lead_ms is not None:
            self._playing.clear()

    def resume(self) -> None:
        """Go on at the sample where `pause` stopped."""
        self._playing.set()

    def stop(self) -> float:
        """Nothing more goes out; returns ms heard."""
        heard = self.played_ms()
        self.stopped = True
        self._playing.set()
        return heard

    async def _hand_on(self, data: bytes) -> None:
        if self._lead_ms is None:
            self._hand_over(data)
            await asyncio.sleep(0)  # the transport sends this before the next is made
            return
        size = round(SLICE_MS * self._wire.bytes_per_ms)
        for start in range(0, len(data), size):
            await self._wait_for_room(self._lead_ms)
            self._hand_over(data[start : start + size])

    async def _wait_for_room(self, lead_ms: float) -> None:
        while not self.stopped:
            await self._playing.wait()
            ahead_ms = self.sent_ms - self.played_ms()
            excess_ms = ahead_ms + SLICE_MS - max(lead_ms, SLICE_MS)
            if excess_ms <= ROUNDING_MS:
                return
            await asyncio.sleep(excess_ms / 1000)

    def _hand_over(self, data: bytes) -> None:
        if self.stopped or not data:
            return
        now = self._clock.now()
        played_out = self._started_at is not None and self.played_ms() >= self.sent_ms
        if self._started_at is None or played_out:  # first audio, or the listener ran dry
            self._started_at = now - self.sent_ms / 1000
        duration_ms = self._wire.ms(len(data))
        self.sent_ms += duration_ms
        self._send(data, duration_ms)
