"""Streaming resampler with a fixed, small delay.

A causal polyphase FIR: a Kaiser-windowed sinc whose half-length is 2 ms, so a hop costs 2 ms and
no block waiting (stock soxr HQ withholds 20-66 ms at these rates). The price is a transition band
of about 900 Hz below the lower Nyquist frequency, which speech does not miss.
"""

from __future__ import annotations

from functools import cache
from math import gcd

import numpy as np
import numpy.typing as npt

from voicepipe.audio.pcm import Int16

DELAY_MS = 2.0
_KAISER_BETA = 5.65  # 60 dB stop band
PHASES_WORTH_A_LOOP = 8
Float32 = npt.NDArray[np.float32]


@cache
def _filter_bank(up: int, down: int, in_rate: int) -> Float32:
    """One row of taps per output phase, newest input sample last; float32 [up, taps]."""
    half = round(DELAY_MS / 1000 * in_rate) * up  # in samples of the up-sampled signal
    n = np.arange(-half, half + 1, dtype=np.float64)
    transition = 450.0 / (in_rate * up)  # half of the transition band, cycles per sample
    cutoff = 0.5 / max(up, down) - transition
    taps = 2 * cutoff * np.sinc(2 * cutoff * n) * np.kaiser(n.size, _KAISER_BETA) * up
    padded = np.zeros(-(-taps.size // up) * up)
    padded[: taps.size] = taps
    return padded.reshape(-1, up).T[:, ::-1].astype(np.float32)


class Resampler:
    """int16 stream at `in_rate` to int16 stream at `out_rate` (Hz), delayed by `DELAY_MS`.

    Feed chunks of any length; each call returns all output that the input so far determines.
    """

    def __init__(self, in_rate: int, out_rate: int) -> None:
        if in_rate <= 0 or out_rate <= 0:
            raise ValueError(f"rates must be positive, got {in_rate} and {out_rate}")
        divisor = gcd(in_rate, out_rate)
        self.in_rate, self.out_rate = in_rate, out_rate
        self._up, self._down = out_rate // divisor, in_rate // divisor
        self._same = self._up == self._down
        if not self._same:
            self._bank = _filter_bank(self._up, self._down, in_rate)
            self._taps = self._bank.shape[1]
            self.reset()

    def reset(self) -> None:
        """Forget the past, as for a new stream."""
        if not self._same:
            self._held: Float32 = np.zeros(self._taps - 1, dtype=np.float32)
            self._next = 0  # position of the next output, in up-sampled samples from held's end

    def process(self, samples: Int16) -> Int16:
        """All output that `samples` (int16 [n]) makes possible; int16 [about n * out / in]."""
        if self._same:
            return samples
        signal = np.concatenate((self._held, samples.astype(np.float32)))
        self._held = signal[signal.size - (self._taps - 1) :]
        total = samples.size * self._up
        count = max(0, -(-(total - self._next) // self._down))
        out = self._by_phase if self._up <= PHASES_WORTH_A_LOOP else self._by_window
        values = out(signal, count) if count else np.zeros(0, dtype=np.float32)
        self._next += count * self._down - total
        rounded: Int16 = np.clip(np.rint(values), -32768, 32767).astype(np.int16)
        return rounded

    def _by_phase(self, signal: Float32, count: int) -> Float32:
        """Few phases: outputs of one phase are one correlation, of which every `down`th counts."""
        out = np.empty(count, dtype=np.float32)
        for first in range(min(self._up, count)):
            start, phase = divmod(self._next + first * self._down, self._up)
            every = np.correlate(signal[start:], self._bank[phase], "valid")
            wanted = -(-(count - first) // self._up)
            out[first :: self._up] = every[: (wanted - 1) * self._down + 1 : self._down]
        return out

    def _by_window(self, signal: Float32, count: int) -> Float32:
        """Many phases (22.05 kHz to 24 kHz has 160): each output takes its own window and taps."""
        positions = self._next + np.arange(count) * self._down
        windows = np.lib.stride_tricks.sliding_window_view(signal, self._taps)
        starts, phases = np.divmod(positions, self._up)
        values: Float32 = np.einsum("ij,ij->i", windows[starts], self._bank[phases])
        return values

    def flush(self) -> Int16:
        """The last `DELAY_MS` of the stream; then starts anew."""
        if self._same:
            return np.zeros(0, dtype=np.int16)
        tail = self.process(np.zeros(round(DELAY_MS / 1000 * self.in_rate), dtype=np.int16))
        self.reset()
        return tail


def resample(samples: Int16, in_rate: int, out_rate: int) -> Int16:
    """A whole recording at once, delay removed; length round(n * out / in)."""
    resampler = Resampler(in_rate, out_rate)
    if in_rate == out_rate:
        return samples
    whole = np.concatenate((resampler.process(samples), resampler.flush()))
    skip = round(DELAY_MS / 1000 * out_rate)
    return whole[skip : skip + round(samples.size * out_rate / in_rate)]
