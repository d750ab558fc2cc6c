"""What the caller says, as 20 ms chunks; silence where nobody speaks."""

from __future__ import annotations

import asyncio
from collections import deque

import numpy as np

from voicepipe.audio.codec import Encoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import FRAME_MS, Int16


class Uplink:
    """Speech that waits to be sent. Holds as much as it is given: the caller's own recordings."""

    def __init__(self, fmt: AudioFormat) -> None:
        self._encoder = Encoder(fmt.rate, fmt)
        self._size = fmt.rate * FRAME_MS // 1000
        self._silence: Int16 = np.zeros(self._size, dtype=np.int16)
        self._frames: deque[tuple[Int16, asyncio.Future[None] | None]] = deque()

    def say(self, samples: Int16) -> asyncio.Future[None]:
        """Queue speech (int16 [n] at the format's rate); done when its last chunk is taken."""
        spoken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        padded = np.zeros(max(1, -(-samples.size // self._size)) * self._size, dtype=np.int16)
        padded[: samples.size] = samples
        *frames, last = padded.reshape(-1, self._size)
        self._frames.extend((frame, None) for frame in frames)
        self._frames.append((last, spoken))
        return spoken

    @property
    def speaking(self) -> bool:
        """The next 20 ms are speech."""
        return bool(self._frames)

    def frame(self, echo: Int16 | None = None) -> bytes:
        """The next 20 ms on the wire, with what the caller's end returns (int16 [n])."""
        samples, spoken = self._frames.popleft() if self._frames else (self._silence, None)
        if spoken is not None and not spoken.done():
            spoken.set_result(None)
        if echo is not None:
            both = samples.astype(np.int32) + echo
            samples = np.clip(both, -32768, 32767).astype(np.int16)
        return self._encoder.encode(samples)
