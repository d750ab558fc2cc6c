"""A telephone line that returns the agent's own voice, and an agent whose voice is recordings: for
scripts/bench_barge_in.py. What returns is what the listener really plays, at the time at which they
play it, so an agent that falls silent has no echo.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voicepipe.audio import g711
from voicepipe.audio.codec import Decoder
from voicepipe.audio.formats import PCMU_8K
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.audio.resample import Resampler
from voicepipe.tts.contract import Speech, Voice

Float = npt.NDArray[np.float64]

DELAY_MS = 160
ROOM_MS = 40
REFLECTIONS = 12
CHUNK_S = 0.1
CHARS_PER_S = 15.0
PASSES_EVERY = SAMPLE_RATE // 2
KEPT = SAMPLE_RATE  # samples of the agent's that may still return


@dataclass(frozen=True)
class Echo:
    """The agent's own voice, coming back from the far end of a telephone line."""

    loss_db: float  # under the level of speech
    burst_ms: int | None = None  # an echo canceller lets through so much, twice a second; None: all
    clip: float | None = None  # the loudspeaker cannot do more, of 32768
    jump_ms: int = 0  # every 3 s the way is so much longer, or as long as before again
    drift_ppm: float = 0.0  # between what plays and what records

    @property
    def name(self) -> str:
        """Of its row."""
        parts = [f"echo -{self.loss_db:g} dB"]
        if self.burst_ms is not None:
            parts.append(f"{self.burst_ms} ms bursts")
        if self.clip is not None:
            parts.append("clipped")
        if self.jump_ms:
            parts.append(f"jumps of {self.jump_ms} ms")
        if self.drift_ppm:
            parts.append(f"{self.drift_ppm:g} ppm drift")
        return ", ".join(parts)


class Line:
    """Between listener and server, 20 ms at a time; 8 kHz mu-law both ways."""

    def __init__(self, echo: Echo | None, seed: int) -> None:
        self._echo = echo
        self._random = np.random.default_rng(seed)
        self._decoder = Decoder(PCMU_8K, SAMPLE_RATE)
        self._waiting: Int16 = np.zeros(0, dtype=np.int16)  # what the listener has yet to play
        self._played: Float = np.zeros(KEPT)
        self._frames = 0
        self._passes_from = 0
        self._room = np.zeros(SAMPLE_RATE * ROOM_MS // 1000)
        self._room[0] = 1
        at = self._random.integers(SAMPLE_RATE // 2000, self._room.size, REFLECTIONS)
        self._room[at] += self._random.normal(0, 0.1, REFLECTIONS)
        self._down, self._up = Resampler(SAMPLE_RATE, 8000), Resampler(8000, SAMPLE_RATE)

    def play(self, data: bytes) -> None:
        """The agent's audio, mu-law."""
        self._waiting = np.concatenate((self._waiting, self._decoder.decode(data)))

    def clear(self) -> None:
        """The listener plays nothing more of it."""
        self._waiting = self._waiting[:0]

    def frame(self, user: Int16) -> Int16:
        """20 ms of the user's, as the server hears them."""
        now, self._waiting = self._waiting[:FRAME_SAMPLES], self._waiting[FRAME_SAMPLES:]
        played = np.zeros(FRAME_SAMPLES)
        played[: now.size] = now
        self._played = np.concatenate((self._played[FRAME_SAMPLES:], played))
        self._frames += 1
        sound = user + (0.0 if self._echo is None else self._returned(self._echo))
        narrow = self._down.process(np.clip(np.rint(sound), -32768, 32767).astype(np.int16))
        return self._up.process(g711.decode(g711.encode(narrow, "pcmu"), "pcmu"))

    def _returned(self, echo: Echo) -> Float:
        late = DELAY_MS * SAMPLE_RATE // 1000 + round(
            self._frames * FRAME_SAMPLES * echo.drift_ppm / 1e6
        )
        if self._frames // 150 % 2:
            late += echo.jump_ms * SAMPLE_RATE // 1000
        end = KEPT - late
        heard = self._played[end - FRAME_SAMPLES - self._room.size + 1 : end]
        if echo.clip is not None:
            heard = np.clip(heard, -echo.clip, echo.clip)
        loss = 10 ** (-echo.loss_db / 20)
        returned = np.convolve(heard, self._room, "valid").astype(np.float64) * loss
        return returned if echo.burst_ms is None else returned * self._passing(echo.burst_ms)

    def _passing(self, burst_ms: int) -> Float:
        """1 where the line's own canceller lets the echo through."""
        first = self._frames * FRAME_SAMPLES
        if first % PASSES_EVERY < FRAME_SAMPLES:
            self._passes_from = first + int(self._random.integers(SAMPLE_RATE // 3))
        at = np.arange(first, first + FRAME_SAMPLES)
        until = self._passes_from + burst_ms * SAMPLE_RATE // 1000
        return ((at >= self._passes_from) & (at < until)).astype(np.float64)


class RecordedVoice:
    """A `Synthesizer` that has one recording (int16 [n], 16 kHz), said over and over."""

    name = "recorded"
    sample_rate = SAMPLE_RATE

    def __init__(self, recording: Int16) -> None:
        self._recording = recording
        self._at = 0
        self.active = 0  # clauses being spoken

    async def start(self) -> None:
        """Nothing to load."""

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """As much of it as the text is long."""
        left = round(len(clause) / CHARS_PER_S * SAMPLE_RATE)
        self.active += 1
        try:
            while left > 0:
                size = min(left, round(CHUNK_S * SAMPLE_RATE))
                yield Speech(self._next(size))
                left -= size
                await asyncio.sleep(CHUNK_S / 20)
        finally:
            self.active -= 1

    def _next(self, size: int) -> Int16:
        at, self._at = self._at, self._at + size
        return self._recording.take(np.arange(at, at + size), mode="wrap")

    def voices(self) -> tuple[str, ...]:
        """It has no name."""
        return ()

    async def aclose(self) -> None:
        """Nothing to free."""
