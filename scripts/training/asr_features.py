"""From samples to log-mel spectrograms, with all that is done to them in training."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from asr_batches import Item, Placed
from asr_model import HOP, MELS, N_FFT
from faster_whisper.feature_extractor import FeatureExtractor
from noises import NOISE_KINDS, make_noise
from sound import RATE
from torch import Tensor


class Noises:
    """A bank of complex noise spectra, so that noise can be added after the Fourier transform."""

    def __init__(self, items: Sequence[Item], seconds: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sounds = [
            make_noise(kind, int(seconds * RATE), rng) for kind in NOISE_KINDS for _ in range(2)
        ]
        voices = [item for item in items if item.text]
        sounds += [self._babble(voices, int(seconds * RATE), rng) for _ in range(3)]
        self.spectra = [spectrum(torch.from_numpy(sound)[None])[0].numpy() for sound in sounds]

    @staticmethod
    def _babble(items: Sequence[Item], count: int, rng: Any) -> Any:
        """Eight voices at once, unit RMS."""
        sound = np.zeros(count, np.float32)
        for _ in range(8):
            at = 0
            while at < count:
                pcm = items[int(rng.integers(len(items)))].pcm[: count - at]
                sound[at : at + len(pcm)] += pcm.astype(np.float32) / 32768
                at += len(pcm) + int(RATE * rng.uniform(0, 0.5))
        return sound / sound.std()

    def draw(self, frames: int, rng: random.Random) -> Spectra:
        """Complex [frames, 201] of unit RMS noise."""
        bank = rng.choice(self.spectra)
        start = rng.randrange(len(bank) - frames)
        return bank[start : start + frames]


WINDOW = torch.hann_window(N_FFT, periodic=True)
MEL_FILTERS = torch.from_numpy(FeatureExtractor(feature_size=MELS).mel_filters)
FREQUENCIES = np.linspace(0, RATE / 2, N_FFT // 2 + 1, dtype=np.float32)
Spectra = np.ndarray[Any, np.dtype[np.complex64]]


def spectrum(audio: Tensor) -> Tensor:
    """Complex spectrogram [B, N / 160, 201] of audio [B, N], as in faster-whisper's extractor."""
    full = torch.stft(audio, N_FFT, HOP, window=WINDOW, center=True, return_complex=True)
    return full[..., :-1].transpose(1, 2).contiguous()


def log_mel(spectra: Tensor) -> Tensor:
    """Complex spectrogram [B, T, 201] to Whisper's log-mel [B, T, 80]."""
    real, imaginary = spectra.real, spectra.imag
    power = torch.addcmul(real * real, imaginary, imaginary)
    mel = torch.matmul(power, MEL_FILTERS.T).clamp_min_(1e-10).log10_()
    floor = mel.flatten(1).amax(1)[:, None, None] - 8.0
    return torch.maximum(mel, floor).add_(4.0).div_(4.0)


def echo(audio: np.ndarray[Any, Any], rng: random.Random) -> None:
    """A few early reflections (3-70 ms), in place."""
    for _ in range(rng.randint(1, 4)):
        delay = int(RATE * rng.uniform(0.003, 0.07))
        audio[delay:] += audio[:-delay] * rng.uniform(0.05, 0.35)


def response(rng: random.Random) -> np.ndarray[Any, np.dtype[np.float32]] | None:
    """Amplitude response [201] of a microphone or a line: tilt, a bump, the telephone band."""
    roll = rng.random()
    if roll < 0.35:
        return None
    gain_db = (FREQUENCIES / 4000 - 0.5) * rng.uniform(-12, 9)
    centre, width = rng.uniform(200, 6000), rng.uniform(200, 1500)
    gain_db = gain_db + rng.uniform(-6, 6) * np.exp(-(((FREQUENCIES - centre) / width) ** 2))
    if roll > 0.83:
        low, high = rng.uniform(100, 350), rng.uniform(3300, 3900)
        gain_db = gain_db - 0.35 * np.maximum(low - FREQUENCIES, 0)
        gain_db = gain_db - 0.25 * np.maximum(FREQUENCIES - high, 0)
    return np.asarray(10 ** (np.maximum(gain_db, -110) / 20), np.float32)


def mask_mel(mel: np.ndarray[Any, Any], frames: int, rng: random.Random) -> None:
    """SpecAugment on one [T, 80] spectrogram: narrow masks with its mean, in place."""
    mean = mel[:frames].mean()
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        width = rng.randint(1, 11)
        start = rng.randrange(MELS - width)
        mel[:frames, start : start + width] = mean
    for _ in range(rng.choice((0, 0, 1, 2))):
        width = rng.randint(1, 11)
        if frames > 4 * width:
            start = rng.randrange(frames - width)
            mel[start : start + width] = mean


def features(
    group: Sequence[Placed], window: int, noises: Noises | None, rng: random.Random
) -> Tensor:
    """Log-mel [B, 80, window / 160]; augmented if there is a noise bank.

    Audio and noise end where the utterance ends; from there to the window's end it is digital
    silence, which is how the server pads. What is done clip by clip is numpy on purpose: torch
    splits even small operations over its threads, and on a busy machine each split waits for the
    slower half (it doubled the time of a step).
    """
    audio = np.zeros((len(group), window), np.float32)
    levels = []
    for row, one in zip(audio, group, strict=True):
        pcm = one.item.pcm.astype(np.float32) / 32768
        level_db = rng.uniform(-26, 4) if noises and one.item.text else 0.0
        pcm *= 10 ** (level_db / 20)
        row[one.lead : one.lead + len(pcm)] = pcm
        levels.append(float(np.sqrt(np.mean(pcm**2) + 1e-12)))
        if noises and rng.random() < 0.3:
            echo(row[: one.length], rng)
    spectra = spectrum(torch.from_numpy(audio))
    if noises:
        for clip, one, level in zip(spectra.numpy(), group, levels, strict=True):
            colour(clip, one, level, noises, rng)
    mel = log_mel(spectra)
    if noises:
        for clip, one in zip(mel.numpy(), group, strict=True):
            if one.item.text:
                mask_mel(clip, one.length // HOP, rng)
    return mel.transpose(1, 2)


def colour(spectra: Spectra, one: Placed, level: float, noises: Noises, rng: random.Random) -> None:
    """Add noise and a frequency response to one complex spectrogram [T, 201], in place."""
    frames = min(len(spectra), one.length // HOP)
    if frames < 2:
        return
    heard = spectra[:frames]
    if one.item.text and rng.random() < 0.8:
        snr_db = rng.uniform(4, 42)
        heard += noises.draw(frames, rng) * np.float32(level * 10 ** (-snr_db / 20))
    curve = response(rng)
    if curve is not None:
        heard *= curve
