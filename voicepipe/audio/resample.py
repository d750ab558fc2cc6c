"""Streaming resampler with a fixed, small delay.

A causal polyphase FIR: a Kaiser-windowed sinc whose half-length is 2 ms, so a hop costs 2 ms and
no block waiting (stock soxr HQ withholds 20-66 ms at these rates). The price is a transition band
of about 900 Hz below the lower Nyquist frequency, which speech does not miss.

Every frame of every caller comes through here, so whole blocks are one matrix product (6 us for
20 ms of 24 kHz, where a correlation for each phase took 16). The taps are rounded to multiples of
2^-22: then every sum is exact in float64, and the output is the same to the bit however the input
was cut and in whatever order it was added up.
"""

from __future__ import annotations

from functools import cache
from math import gcd

import numpy as np
import numpy.typing as npt

from voicepipe.audio.pcm import Int16

DELAY_MS = 2.0
BLOCK_MS = 1.25
"""What one row of the product makes, or more where the ratio asks for it. Sixteen are 20 ms."""

MOST_PRODUCTS = 200_000
"""Multiplications in one go. For about twice as many BLAS takes threads, which spin, and on a busy
machine wait for each other: 16 ms were seen for what takes 0.1."""

MOST_WEIGHTS = 1_000_000
"""In the matrix of a block, 8 MB. Rates that hardly divide (11,127 Hz to 16 kHz) would take
gigabytes: their outputs are made one by one."""

INPUTS_AT_ONCE = 2_000
"""Input samples whose outputs are made one by one in one go: each has a window of its own."""

_KAISER_BETA = 5.65  # 60 dB stop band
_TAP_UNIT = 2.0**-22
_LOWEST, _HIGHEST = np.array(-32768.0), np.array(32767.0)  # arrays: numpy would make them each time
Float64 = npt.NDArray[np.float64]


@cache
def _filter_bank(up: int, down: int, in_rate: int) -> Float64:
    """One row of taps per output phase, newest input sample last; float64 [up, taps]."""
    half = round(DELAY_MS / 1000 * in_rate) * up  # in samples of the up-sampled signal
    n = np.arange(-half, half + 1, dtype=np.float64)
    transition = 450.0 / (in_rate * up)  # half of the transition band, cycles per sample
    cutoff = 0.5 / max(up, down) - transition
    taps = 2 * cutoff * np.sinc(2 * cutoff * n) * np.kaiser(n.size, _KAISER_BETA) * up
    padded = np.zeros(-(-taps.size // up) * up)
    padded[: taps.size] = np.rint(taps / _TAP_UNIT) * _TAP_UNIT
    return np.ascontiguousarray(padded.reshape(-1, up).T[:, ::-1])


@cache
def _block_matrix(up: int, down: int, in_rate: int) -> Float64:
    """A stretch of input, past first, to the outputs of one block; float64 [past + in, out]."""
    bank = _filter_bank(up, down, in_rate)
    taps = bank.shape[1]
    repeats = max(1, round(BLOCK_MS / 1000 * in_rate / down))
    matrix = np.zeros((taps - 1 + repeats * down, repeats * up))
    for column in range(repeats * up):
        start, phase = divmod(column * down, up)
        matrix[start : start + taps, column] = bank[phase]
    return matrix


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
            self._in_blocks = (self._taps + self._down) * self._up <= MOST_WEIGHTS
            if self._in_blocks:
                self._matrix = _block_matrix(self._up, self._down, in_rate)
                self._block = self._matrix.shape[0] - (self._taps - 1)  # input samples
                self._rows = max(1, MOST_PRODUCTS // self._matrix.size)  # blocks in one product
            self._inputs_per_step = pow(self._up, -1, self._down)
            self.reset()

    def reset(self) -> None:
        """Forget the past, as for a new stream."""
        if not self._same:
            self._held: Float64 = np.zeros(self._taps - 1)
            self._next = 0  # position of the next output, in up-sampled samples from held's end

    def process(self, samples: Int16) -> Int16:
        """All output that `samples` (int16 [n]) makes possible; int16 [about n * out / in]."""
        if self._same:
            return samples
        if not self._in_blocks:
            starts = range(0, max(1, samples.size), INPUTS_AT_ONCE)
            windows = [self._by_window(samples[n : n + INPUTS_AT_ONCE]) for n in starts]
            return _to_int16(np.concatenate(windows))
        if self._next == 0 and samples.size % self._block == 0 and samples.size:
            return _to_int16(self._by_block(samples))
        lead = min(samples.size, self._next * self._inputs_per_step % self._down)
        tail = samples.size - (samples.size - lead) % self._block
        parts = [self._by_window(samples[:lead])]
        if tail > lead:
            parts.append(self._by_block(samples[lead:tail]))
        parts.append(self._by_window(samples[tail:]))
        return _to_int16(np.concatenate(parts))

    def _by_block(self, samples: Int16) -> Float64:
        """Whole blocks from where an output falls on an input: one matrix product."""
        signal: Float64 = np.concatenate((self._held, samples))
        self._held = signal[samples.size :]
        blocks, width = samples.size // self._block, self._matrix.shape[0]
        windows = np.ndarray((blocks, width), np.float64, signal, 0, (self._block * 8, 8))
        # copied, because overlapping rows are slow to multiply
        if blocks <= self._rows:
            one: Float64 = np.dot(windows.copy(), self._matrix)
            return one.reshape(-1)
        starts = range(0, blocks, self._rows)
        parts = [windows[n : n + self._rows].copy() @ self._matrix for n in starts]
        return np.concatenate(parts).reshape(-1)

    def _by_window(self, samples: Int16) -> Float64:
        """Any number of samples, from anywhere: each output takes its own window and taps."""
        if not samples.size:
            return np.zeros(0)
        signal: Float64 = np.concatenate((self._held, samples))
        self._held = signal[samples.size :]
        total = samples.size * self._up
        positions = np.arange(self._next, total, self._down)
        self._next += positions.size * self._down - total
        windows = np.lib.stride_tricks.sliding_window_view(signal, self._taps)
        starts, phases = np.divmod(positions, self._up)
        values: Float64 = np.einsum("ij,ij->i", windows[starts], self._bank[phases])
        return values

    def flush(self) -> Int16:
        """The last `DELAY_MS` of the stream; then starts anew."""
        if self._same:
            return np.zeros(0, dtype=np.int16)
        tail = self.process(np.zeros(round(DELAY_MS / 1000 * self.in_rate), dtype=np.int16))
        self.reset()
        return tail


def _to_int16(values: Float64) -> Int16:
    """Rounded and held to the range; overwrites `values`."""
    np.rint(values, out=values)
    np.minimum(values, _HIGHEST, out=values)
    np.maximum(values, _LOWEST, out=values)
    return values.astype(np.int16)


def resample(samples: Int16, in_rate: int, out_rate: int) -> Int16:
    """A whole recording at once, delay removed; length round(n * out / in)."""
    resampler = Resampler(in_rate, out_rate)
    if in_rate == out_rate:
        return samples
    whole = np.concatenate((resampler.process(samples), resampler.flush()))
    skip = round(DELAY_MS / 1000 * out_rate)
    return whole[skip : skip + round(samples.size * out_rate / in_rate)]
