"""The sink of a bridge that plays what arrives and can take nothing back (AudioSocket): 20 ms leave
every 20 ms, and what waits its turn here can still be dropped.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.protocols.telephony.contract import CallCodec
from voicepipe.runtime.clock import Clock
from voicepipe.server.telephony.sender import Sender

LEAD_MS = 40.0
"""Sent ahead of playback: it bridges a late wake-up, and it is how long a barge-in is still
followed by sound."""

HELD_MS = 100.0
"""What the session keeps here beyond that, so that a late synthesizer is not heard."""


class RealtimePacer:
    """See `PlayoutSink`; `run` keeps the beat and is owned by the call. What was sent counts as
    heard at a flush: nothing calls it back."""

    def __init__(self, clock: Clock, codec: CallCodec, sender: Sender, wire: AudioFormat) -> None:
        self._clock, self._codec, self._sender, self._wire = clock, codec, sender, wire
        self._frame_bytes = round(FRAME_MS * wire.bytes_per_ms)
        self._waiting = bytearray()
        self._left: deque[tuple[float, Callable[[], None]]] = deque()  # by position, ms
        self._ready = asyncio.Event()
        self._finished = False
        self._sent_ms = 0.0
        self._given_ms = 0.0
        self._heard_ms = 0.0
        self._plays_until = clock.now()  # what was sent

    @property
    def lead_ms(self) -> float:
        """See `PlayoutSink`."""
        return LEAD_MS + HELD_MS

    @property
    def given_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._given_ms

    def play(self, audio: bytes, duration_ms: float, left: Callable[[], None]) -> None:
        """See `PlayoutSink`."""
        self._left.append((self._given_ms, left))
        self._waiting += audio
        self._given_ms += duration_ms
        self._finished = False
        self._ready.set()

    def flush(self) -> float:
        """See `PlayoutSink`."""
        self._waiting.clear()
        self._left.clear()
        self._sender.drop_sound()
        self._given_ms = self._heard_ms = self._sent_ms
        return self._heard_ms

    def heard_ms(self) -> float:
        """See `PlayoutSink`."""
        ahead_ms = max(0.0, self._plays_until - self._clock.now()) * 1000
        self._heard_ms = max(self._heard_ms, self._sent_ms - ahead_ms)
        return self._heard_ms

    def expect(self) -> None:
        """See `PlayoutSink`. Nothing holds a first sample up here."""

    def finished(self) -> None:
        """See `PlayoutSink`."""
        self._finished = True
        self._ready.set()

    async def run(self) -> None:
        """Keep the beat until cancelled, on an absolute clock: a late wake-up sends what is due and
        leaves no drift."""
        while True:
            if len(self._waiting) < (1 if self._finished else self._frame_bytes):
                await self._more()
                continue
            now = self._clock.now()
            self._plays_until = max(self._plays_until, now)
            early_s = self._plays_until - now - (LEAD_MS - FRAME_MS) / 1000
            if early_s > 0.0005:
                await asyncio.sleep(early_s)
                continue
            self._send_frame()

    async def _more(self) -> None:
        """Until there may be audio; a peer that wants silence meanwhile is given some."""
        self._ready.clear()
        try:
            async with asyncio.timeout(self._codec.abilities.silence_every_s):
                await self._ready.wait()  # owner: the call, which cancels this task
        except TimeoutError:
            self._sender.put(self._codec.audio(self._wire.silence(FRAME_MS)), sound=True)

    def _send_frame(self) -> None:
        frame = bytes(self._waiting[: self._frame_bytes])
        del self._waiting[: len(frame)]
        while self._left and self._left[0][0] <= self._sent_ms + 0.001:
            self._left.popleft()[1]()
        self._sent_ms += self._wire.ms(len(frame))
        self._plays_until += FRAME_MS / 1000
        if len(frame) < self._frame_bytes:  # a reply's last: bridges want whole frames
            frame += self._wire.silence(FRAME_MS)[len(frame) :]
        self._sender.put(self._codec.audio(frame), sound=True)
