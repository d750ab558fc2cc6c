"""What training does to recordings: level, room, noise, telephone, other throats and speeds."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.signal
import torch
from acoustic_align import Labels
from acoustic_net import FFT, HOP, MELS, RATE, SILENCE, STACK, WINDOW, log_mel, mel_filters, power
from sound import Float32, Int16
from torch import Tensor

CHUNK = 4 * RATE + WINDOW  # samples
_HOPS = (140, 150, 160, 160, 160, 170, 182)  # a longer hop is a faster speaker
_EMPTY = -1.5  # a feature that is hidden


@dataclass(frozen=True)
class Taught:
    """A recording and its labels, one a frame of 10 ms."""

    pcm: Int16
    labels: Labels


class Chunks:
    """Chunks of 4 s of one recording after another, each with a level and a room of its own."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._numbers = np.random.default_rng(rng.getrandbits(32))

    def of(self, clips: Sequence[Taught]) -> Iterator[tuple[Float32, Labels]]:
        """Sound [CHUNK] in -1..1 with labels [CHUNK / HOP + 1]."""
        sounds: list[Float32] = []
        labels: list[Labels] = []
        frames = 0
        for clip in clips:
            gap = int(self.rng.choice((0, 10, 30, 80)) * self.rng.random())
            sounds += [self._changed(clip), np.zeros(gap * HOP, np.float32)]
            labels += [clip.labels, np.full(gap, SILENCE, np.uint8)]
            frames += len(clip.labels) + gap
            while frames * HOP >= CHUNK + RATE // 2:
                sound, label, step = np.concatenate(sounds), np.concatenate(labels), CHUNK // HOP
                yield sound[:CHUNK], label[: step + 1]
                sounds, labels = [sound[step * HOP :]], [label[step:]]
                frames -= step

    def _changed(self, clip: Taught) -> Float32:
        sound: Float32 = clip.pcm[: len(clip.labels) * HOP].astype(np.float32) / np.float32(32768)
        loudness = float(np.sqrt(np.mean(sound**2) + 1e-9))
        gain = 0.1 * 10 ** (self.rng.uniform(-26, 4) / 20) / max(1e-4, loudness)
        sound = sound * np.float32(min(gain, 1.3 / max(1e-4, float(np.abs(sound).max()))))
        if self.rng.random() < 0.12:
            sound = _by_telephone(sound)
        return self._in_a_room(sound) if self.rng.random() < 0.2 else sound

    def _in_a_room(self, sound: Float32) -> Float32:
        """A tail of decaying noise, 0.15 to 0.7 s to -60 dB."""
        t = np.arange(RATE * 2 // 5) / RATE
        decay = np.exp(-6.9 * t / self.rng.uniform(0.15, 0.7))
        tail = self._numbers.standard_normal(len(t)) * decay
        tail *= t > self.rng.uniform(0.002, 0.01)
        tail *= 10 ** (-self.rng.uniform(0, 12) / 20) / np.sqrt((tail**2).sum())
        tail[0] = 1
        wet = scipy.signal.oaconvolve(sound, tail)[: len(sound)]
        scale = np.sqrt((sound**2).mean() + 1e-12) / np.sqrt((wet**2).mean() + 1e-12)
        changed: Float32 = (wet * scale).astype(np.float32)
        return changed


def _by_telephone(sound: Float32) -> Float32:
    """8 kHz and mu-law, and back."""
    narrow = np.clip(scipy.signal.resample_poly(sound, 1, 2), -1, 1)
    law = np.sign(narrow) * np.log1p(255 * np.abs(narrow)) / np.log1p(255)
    law = np.round(law * 127) / 127
    linear = np.sign(law) * np.expm1(np.abs(law) * np.log1p(255)) / 255
    wide: Float32 = scipy.signal.resample_poly(linear, 2, 1)[: len(sound)].astype(np.float32)
    return wide


class Batches:
    """Features and labels of several chunks, with noise, filters and stretches of their own."""

    def __init__(self, noises: Sequence[Float32], rng: random.Random) -> None:
        self.rng, self._noises = rng, noises
        self._numbers = np.random.default_rng(rng.getrandbits(32))
        self._filters = [mel_filters(warp) for warp in np.linspace(0.86, 1.16, 11)]
        self._hz = torch.arange(FFT // 2 + 1) * RATE / FFT

    def of(self, chunks: Sequence[tuple[Float32, Labels]]) -> tuple[Tensor, Tensor]:
        """Features [B, T, MELS] and labels [B, T]."""
        rng = self.rng
        sound = torch.tensor(np.stack([self._noisy(pcm) for pcm, _ in chunks]), dtype=torch.float32)
        sound = torch.round(sound.clamp(-1, 1) * 32768) / 32768
        hop = rng.choice(_HOPS)
        spectra = power(sound, hop)
        frames = spectra.shape[1] // STACK * STACK
        spectra = self._filtered(spectra[:, :frames])
        features = log_mel(spectra, rng.choice(self._filters))
        if rng.random() < 0.7:
            self._hide(features)
        at = np.round(np.arange(frames) * hop / HOP).astype(int)
        labels = np.stack([label[np.minimum(at, len(label) - 1)] for _, label in chunks])
        return features, torch.tensor(labels.astype(np.int64))

    def _noisy(self, sound: Float32) -> Float32:
        draw, level = self.rng.random(), np.sqrt((sound**2).mean() + 1e-10)
        if draw < 0.75:
            sound = sound + self._noise(len(sound)) * level * 10 ** (-self.rng.uniform(8, 40) / 20)
        if draw < 0.15:
            sound = np.clip(sound * self.rng.uniform(1, 4), -1, 1)
        return sound

    def _noise(self, samples: int) -> Float32:
        """Recorded or coloured, of unit power."""
        if self._noises and self.rng.random() < 0.5:
            found = self.rng.choice(self._noises)
            first = self.rng.randrange(max(1, len(found) - samples))
            noise = np.resize(found[first : first + samples], samples).astype(np.float64)
        else:
            spectrum = np.fft.rfft(self._numbers.standard_normal(samples))
            slope = np.maximum(1, np.arange(len(spectrum))) ** self.rng.uniform(0, 0.7)
            noise = np.fft.irfft(spectrum / slope, samples)
        even: Float32 = (noise / np.sqrt((noise**2).mean() + 1e-12)).astype(np.float32)
        return even

    def _filtered(self, spectra: Tensor) -> Tensor:
        """A smooth random equalizer for each; some have a telephone's band."""
        waves = torch.randn(len(spectra), 4) * torch.tensor([0, 2.0, 2.0, 1.5])
        mel = torch.log1p(self._hz / 700) / np.log1p(8000 / 700)
        decibels = sum(waves[:, k : k + 1] * torch.cos(np.pi * k * mel)[None] for k in range(4))
        spectra = spectra * 10 ** (decibels / 10)[:, None]
        for n in range(len(spectra)):
            if self.rng.random() < 0.15:
                low, high = self.rng.uniform(150, 350), self.rng.uniform(3300, 3900)
                spectra[n] *= ((self._hz > low) & (self._hz < high)).float()
        return spectra

    def _hide(self, features: Tensor) -> None:
        """Stretches of frequencies and of time (SpecAugment)."""
        rng, frames = self.rng, features.shape[1]
        for one in features:
            for _ in range(rng.randrange(3)):
                wide = rng.randrange(10)
                low = rng.randrange(MELS - wide)
                one[:, low : low + wide] = _EMPTY
            if rng.random() < 0.5:
                long = rng.randrange(12)
                start = rng.randrange(frames - long)
                one[start : start + long] = _EMPTY
