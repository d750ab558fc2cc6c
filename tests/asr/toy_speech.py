"""A toy language whose words can be read off the samples exactly: word n is 320 ms of a square wave
of amplitude 2000 + 10 n. `hear` is a perfect recognizer for it; a word that was cut in two is heard
as two broken ones, so a test sees every loss and doubling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import numpy as np

from voicepipe.asr.contract import Word
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.audio.pcm import SAMPLE_RATE, Int16

WORD_SAMPLES = 5120
PAUSE_SAMPLES = 3840  # 240 ms

SIGNS = np.tile(np.array([1, -1], dtype=np.int16), WORD_SAMPLES // 2)


def say(numbers: Sequence[int], pause: int = PAUSE_SAMPLES, hum: int = 0) -> Int16:
    """The words of `numbers`, each after a pause; `hum` is a constant floor (above the silence
    level from 33 on)."""
    still = np.full(pause, hum, dtype=np.int16)
    parts = [part for n in numbers for part in (still, SIGNS * np.int16(2000 + 10 * n))]
    return np.concatenate([*parts, still]) if parts else still


def hear(pcm: Int16) -> list[Word]:
    """Words of the audio; "broken" for a part of one (at least 20 ms of it)."""
    level = np.abs(pcm.astype(np.int32))
    edges = np.flatnonzero(np.diff(level, prepend=-1))
    words = []
    for start, end in zip(edges, [*edges[1:], len(pcm)], strict=True):
        if level[start] >= 2000 and end - start >= 320:
            whole = end - start == WORD_SAMPLES
            text = f"w{(level[start] - 2000) // 10}" if whole else "broken"
            words.append(Word(text, start / SAMPLE_RATE, end / SAMPLE_RATE, 0.9))
    return words


def decode(request: DecodeRequest) -> Decoded:
    """The perfect decoder."""
    assert len(request.pcm) <= request.window
    words = tuple(hear(request.pcm))
    return Decoded(words, tokens=len(words), avg_logprob=-0.1, language="en", work_s=0.03)


class ToyEngine:
    """A runner for the scheduler: `delay_s` of (virtual) time for each batch."""

    def __init__(
        self,
        delay_s: float = 0.03,
        hears: Callable[[DecodeRequest], Decoded] = decode,
    ) -> None:
        self.delay_s = delay_s
        self.hears = hears
        self.requests: list[DecodeRequest] = []

    async def __call__(self, requests: Sequence[DecodeRequest]) -> list[Decoded]:
        self.requests += requests
        await asyncio.sleep(self.delay_s)
        return [self.hears(request) for request in requests]
