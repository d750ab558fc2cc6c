"""Silences in recordings: where a speaker pauses inside an utterance, and where it ends.

Found by level alone, in blocks of 10 ms: no transcript is needed, so any recording will do. A
silence is what stays below a line between the recording's own room and its speech.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

RATE = 16_000
BLOCK = RATE // 100
LEAST_SILENCE = 18  # blocks: shorter ones are mostly inside words
LEAST_SPEECH = 12  # blocks before a silence: less is a click or a breath
DIP = 3  # blocks of low level at which speech is broken off for "unfinished" examples
BELOW_SPEECH_DB = 33.0
ABOVE_ROOM_DB = 9.0

Float32 = npt.NDArray[np.float32]
Int16 = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Silence:
    """`speech_from` and `start` bound the speech before it; all in samples. `end` None: nothing
    follows."""

    speech_from: int
    start: int
    end: int | None

    @property
    def ms(self) -> float:
        """Its length; infinite at the end."""
        return float("inf") if self.end is None else (self.end - self.start) * 1000 / RATE


def full_scale(samples: Int16) -> Float32:
    """int16 as float32 of -1 to 1."""
    return np.divide(samples, 32768, dtype=np.float32)


def levels(samples: Float32) -> Float32:
    """Level of each block, dB (full scale 0): float32 [n // BLOCK]."""
    blocks = samples[: samples.size - samples.size % BLOCK].reshape(-1, BLOCK)
    power = np.mean(blocks * blocks, axis=1) + 1e-10
    return (10 * np.log10(power)).astype(np.float32)


def line_db(level: Float32) -> float:
    """The level that parts speech from silence in this recording."""
    room, speech = float(np.percentile(level, 8)), float(np.percentile(level, 93))
    return max(room + ABOVE_ROOM_DB, speech - BELOW_SPEECH_DB)


def stretches(loud: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first block, end) of each stretch of speech, gaps shorter than a silence closed and clicks
    left out."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], loud.astype(np.int8), [0]))))
    found: list[tuple[int, int]] = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if found and start - found[-1][1] < LEAST_SILENCE:
            found[-1] = (found[-1][0], end)
        elif end - start >= 3:
            found.append((start, end))
    return [one for one in found if one[1] - one[0] >= LEAST_SPEECH]


def silences(samples: Float32) -> list[Silence]:
    """The pauses of one utterance, and last its end. [] where nobody speaks."""
    level = levels(samples)
    if level.size < LEAST_SPEECH:
        return []
    speech = stretches(level > line_db(level))
    if not speech:
        return []
    first = speech[0][0] * BLOCK
    inside = [Silence(first, a[1] * BLOCK, b[0] * BLOCK) for a, b in pairwise(speech)]
    return [*inside, Silence(first, speech[-1][1] * BLOCK, None)]


def dips(samples: Float32) -> Iterator[int]:
    """Samples at which speech is softest for a moment: between sounds, mostly between words."""
    level = levels(samples)
    low = level < np.percentile(level, 93) - 14
    for start, end in stretches(level > line_db(level)):
        quiet = np.flatnonzero(low[start + LEAST_SPEECH : end - LEAST_SPEECH])
        for group in np.split(quiet, np.flatnonzero(np.diff(quiet) > 1) + 1):
            if group.size >= DIP:
                yield int((start + LEAST_SPEECH + group[0]) * BLOCK)


def quietest(samples: Float32) -> Float32:
    """The recording's pieces of 40 ms with the least sound, for its room tone: [up to 5, 640]."""
    size = 4 * BLOCK
    pieces = samples[: samples.size - samples.size % size].reshape(-1, size)
    order = np.argsort(np.mean(pieces * pieces, axis=1))
    return pieces[order[: min(5, len(pieces))]]


def room_tone(quiet: Float32, count: int, rng: np.random.Generator) -> Float32:
    """Noise with the level and spectrum of the `quietest` pieces: float32 [count]."""
    size = quiet.shape[1]
    spectrum = np.sqrt(np.mean(np.abs(np.fft.rfft(quiet * np.hanning(size))) ** 2, axis=0))
    long = 1 << (count + size).bit_length()
    shape = np.interp(np.fft.rfftfreq(long), np.fft.rfftfreq(size), spectrum)
    noise = np.fft.irfft(shape * np.exp(2j * np.pi * rng.random(shape.size)), long)[:count]
    level = float(np.sqrt(np.mean(quiet**2)))
    return (noise * (level / (float(noise.std()) + 1e-12))).astype(np.float32)
