"""How much audio a decode looks at, and where audio longer than that is cut. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16

STOCK_MAX_S = 30.0
"""Encoder positions of every stock Whisper checkpoint, in seconds of audio."""

_PAUSE_FRAMES = 8  # 160 ms: longer than the closure inside a stop consonant

_PAUSE_DEPTH = 10**-1.5  # a frame 15 dB below the loudest 100 ms before it is quiet: holds down to
# an SNR of 15 dB, and the quietest stretch inside the test sentences' words lasts 180 ms
_MIN_SPEECH_FRAMES = 10  # 200 ms of sound before a pause, or there is nothing to part


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """What a model takes. A window is the speech plus a margin of zeros, at least `min_s`."""

    min_s: float  # shorter ones make stock checkpoints loop (their own windows were 30 s)
    max_s: float = STOCK_MAX_S  # the encoder has no positions beyond
    margin_s: float = 2.0  # silence after the speech, so that its end is seen
    step_s: float = 0.5  # windows are multiples of it: few sizes to warm, more that batch
    pause_s: float | None = None  # cut at every pause so long: for models that learnt sentences one
    # by one. Stock checkpoints gain from what was said before, so they are not cut

    def __post_init__(self) -> None:
        if not (0 < self.min_s <= self.max_s <= STOCK_MAX_S and self.step_s > 0):
            raise ValueError(f"windows need 0 < min <= max <= {STOCK_MAX_S:g} s, got {self}")
        if not 0 <= self.margin_s < self.max_s:
            raise ValueError(f"the margin must be shorter than the longest window, got {self}")

    @property
    def capacity(self) -> int:
        """Samples that fit a window together with the margin."""
        longest = int(self.max_s * SAMPLE_RATE) // 320 * 320
        return max(0, longest - round(self.margin_s * SAMPLE_RATE))

    def window(self, samples: int) -> int:
        """Window, in samples, for so many samples of audio: max(min, audio + margin), rounded up to
        the step, at most the longest. A multiple of 320 (two mel frames)."""
        wanted_s = max(self.min_s, samples / SAMPLE_RATE + self.margin_s)
        return self._stepped(math.ceil(round(wanted_s / self.step_s, 6)))

    def sizes(self) -> tuple[int, ...]:
        """All windows that `window` can give, smallest first."""
        first, last = (math.ceil(round(s / self.step_s, 6)) for s in (self.min_s, self.max_s))
        return tuple(sorted({self._stepped(steps) for steps in range(first, last + 1)}))

    def _stepped(self, steps: int) -> int:
        return int(min(steps * self.step_s, self.max_s) * SAMPLE_RATE) // 320 * 320


def cut_range(limits: WindowLimits, start: int) -> tuple[int, int]:
    """Where audio that begins at sample `start` and does not fit a window may be cut: the later
    half of what fits, so that a piece is never needlessly short."""
    return start + limits.capacity // 2, start + limits.capacity


def quietest_point(pcm: Int16) -> int:
    """Index of the middle of the quietest 160 ms of `pcm`: int16 [n]. Among equally quiet places
    the latest wins."""
    frames = len(pcm) // FRAME_SAMPLES
    if frames < _PAUSE_FRAMES:
        return len(pcm) // 2
    energy = frame_energy(pcm[: frames * FRAME_SAMPLES])
    smooth = np.convolve(energy, np.ones(_PAUSE_FRAMES), mode="valid")
    first = len(smooth) - 1 - int(np.argmin(smooth[::-1]))
    return first * FRAME_SAMPLES + _PAUSE_FRAMES * FRAME_SAMPLES // 2


def first_pause(pcm: Int16, pause_s: float) -> int | None:
    """Middle of the first pause of `pcm` (int16 [n]) with sound on both sides that lasts at least
    `pause_s`, as a sample index. Depends on nothing behind the pause's end."""
    energy = frame_energy(pcm)
    if len(energy) < _MIN_SPEECH_FRAMES:
        return None
    loudest = np.maximum.accumulate(
        np.convolve(energy, np.full(5, 0.2), mode="full")[: len(energy)]
    )
    sound = np.flatnonzero(energy >= loudest * _PAUSE_DEPTH)
    gaps = np.diff(sound) - 1
    long = np.flatnonzero(gaps * FRAME_SAMPLES >= pause_s * SAMPLE_RATE)
    for before in long[long >= _MIN_SPEECH_FRAMES - 1]:
        return int(sound[before] + 1 + sound[before + 1]) * FRAME_SAMPLES // 2
    return None


def frame_energy(pcm: Int16) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Mean square of each whole 20 ms frame, full scale = 1: float32 [n // 320]."""
    frames = len(pcm) // FRAME_SAMPLES
    samples = pcm[: frames * FRAME_SAMPLES].astype(np.float32).reshape(frames, FRAME_SAMPLES)
    energy: np.ndarray[tuple[int], np.dtype[np.float32]]
    energy = np.einsum("ij,ij->i", samples, samples) * np.float32(1 / (FRAME_SAMPLES * 32768.0**2))
    return energy
