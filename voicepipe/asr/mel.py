"""Whisper's log-mel spectrogram in numpy, as faster-whisper computes it but without BLAS threads:
for a product this small they do nothing but spin, and cost three times the CPU of all the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voicepipe.audio.pcm import SAMPLE_RATE, Int16

Floats = np.ndarray[Any, np.dtype[np.float32]]

N_FFT, HOP = 400, 160
_ONE_THREAD = 2**18  # multiplications that OpenBLAS leaves to the calling thread


class LogMel:
    """The spectrogram of one model's size; any number of threads may call it."""

    def __init__(self, mels: int) -> None:
        from faster_whisper.feature_extractor import FeatureExtractor

        filters = FeatureExtractor.get_mel_filters(SAMPLE_RATE, N_FFT, n_mels=mels)
        self._filters: Floats = np.ascontiguousarray(filters.T, dtype=np.float32)  # [201, mels]
        self._block = _ONE_THREAD // self._filters.size  # frames at a time
        self._window: Floats = np.hanning(N_FFT + 1)[:-1].astype(np.float32)

    def __call__(self, stretches: Sequence[Int16], window: int) -> Floats:
        """float32 [B, mels, window / 160] of stretches of int16 [n], 16 kHz, each in a window of
        `window` samples. Zeros fill it *before* the mel, as in training."""
        return np.stack([self._one(_padded(pcm, window)) for pcm in stretches])

    def _one(self, samples: Floats) -> Floats:
        mirrored = np.pad(samples, N_FFT // 2, mode="reflect")
        frames = np.lib.stride_tricks.sliding_window_view(mirrored, N_FFT)[::HOP][:-1]
        spectrum = np.fft.rfft(frames * self._window, axis=-1).astype(np.complex64)
        power = spectrum.real**2 + spectrum.imag**2
        mel = np.empty((len(power), self._filters.shape[1]), dtype=np.float32)
        for start in range(0, len(power), self._block):
            block = slice(start, start + self._block)
            np.matmul(power[block], self._filters, out=mel[block])
        log = np.log10(np.maximum(mel, 1e-10))
        scaled: Floats = (np.maximum(log, log.max() - 8.0) + 4.0) / 4.0
        return np.ascontiguousarray(scaled.T, dtype=np.float32)


def _padded(pcm: Int16, window: int) -> Floats:
    samples: Floats = np.zeros(window, dtype=np.float32)
    samples[: min(len(pcm), window)] = pcm[:window]
    samples /= 32768.0
    return samples
