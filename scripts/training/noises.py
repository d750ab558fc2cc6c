"""Sounds without words."""

from __future__ import annotations

import numpy as np
import scipy.io.wavfile
import scipy.signal
from sound import RATE, Float32


def coloured_noise(count: int, slope: float, rng: np.random.Generator) -> Float32:
    """Noise whose power falls as f^-slope (0 white, 1 pink, 2 brown), unit RMS."""
    size = scipy.fft.next_fast_len(max(count, 256), real=True)
    spectrum = rng.standard_normal(size // 2 + 1) + 1j * rng.standard_normal(size // 2 + 1)
    frequency = np.maximum(np.fft.rfftfreq(size, 1 / RATE), 20.0)
    noise = np.fft.irfft(spectrum * frequency ** (-slope / 2), size)[:count]
    return (noise / (noise.std() + 1e-9)).astype(np.float32)


def hum(count: int, rng: np.random.Generator) -> Float32:
    """Mains hum (50 or 60 Hz and harmonics) or a fan's whine, unit RMS."""
    at = np.arange(count) / RATE
    base = rng.choice((50.0, 60.0, rng.uniform(90, 400)))
    sound = np.zeros(count)
    for harmonic in range(1, int(rng.integers(3, 12))):
        level = rng.uniform(0.1, 1.0) / harmonic
        sound += level * np.sin(2 * np.pi * (base * harmonic * at + rng.uniform()))
    sound += rng.uniform(0, 0.3) * coloured_noise(count, 1.0, rng)
    return (sound / (sound.std() + 1e-9)).astype(np.float32)


def clicks(count: int, rng: np.random.Generator) -> Float32:
    """Keyboard, mouse and knock sounds: short decaying bursts, peak about 1."""
    sound = np.zeros(count, np.float32)
    at = 0
    gap = rng.uniform(0.05, 0.6)
    while True:
        at += int(RATE * gap * rng.uniform(0.3, 1.8)) + 1
        if at >= count:
            return sound
        size = min(int(RATE * rng.uniform(0.002, 0.05)), count - at)
        decay = np.exp(-np.arange(size) / (size / 5 + 1))
        burst = coloured_noise(size, rng.uniform(0, 2), rng) * decay * rng.uniform(0.2, 1)
        sound[at : at + size] += burst.astype(np.float32)


def chords(count: int, rng: np.random.Generator) -> Float32:
    """Music-like notes and chords, ring tones, DTMF and beeps, unit RMS."""
    sound = np.zeros(count)
    at = 0
    while at < count:
        size = min(int(RATE * rng.uniform(0.06, 1.2)), count - at)
        t = np.arange(size) / RATE
        root = 110.0 * 2 ** (rng.integers(0, 36) / 12)
        decay = np.exp(-t * rng.uniform(0, 5))
        for step in rng.choice((0, 3, 4, 7, 12), size=int(rng.integers(1, 4)), replace=False):
            for harmonic in range(1, int(rng.integers(2, 6))):
                tone = root * 2 ** (step / 12) * harmonic
                if tone < RATE / 2:
                    sound[at : at + size] += decay * np.sin(2 * np.pi * tone * t) / harmonic**1.5
        at += size + int(RATE * rng.choice((0.0, 0.0, rng.uniform(0, 0.5))))
    return (sound / (sound.std() + 1e-9)).astype(np.float32)


def swells(count: int, rng: np.random.Generator) -> Float32:
    """Breath, wind and passing cars: coloured noise under a slow envelope, unit peak envelope."""
    knots = rng.uniform(0, 1, max(2, count * 3 // RATE + 2)) ** 2
    envelope = np.interp(np.linspace(0, len(knots) - 1, count), np.arange(len(knots)), knots)
    noise = coloured_noise(count, rng.uniform(0, 2.5), rng)
    low = rng.uniform(80, 3000)
    band = scipy.signal.butter(
        2, (low, min(7900, low * rng.uniform(2, 6))), "band", fs=RATE, output="sos"
    )
    shaped = scipy.signal.sosfilt(band, noise) if rng.random() < 0.5 else noise
    return (shaped / (shaped.std() + 1e-9) * envelope).astype(np.float32)


NOISE_KINDS = ("white", "pink", "brown", "hum", "clicks", "chords", "swells")


def make_noise(kind: str, count: int, rng: np.random.Generator) -> Float32:
    """`count` samples of one of NOISE_KINDS, RMS or peak about 1."""
    slopes = {"white": 0.0, "pink": 1.0, "brown": 2.0}
    if kind in slopes:
        return coloured_noise(count, slopes[kind], rng)
    return {"hum": hum, "clicks": clicks, "chords": chords, "swells": swells}[kind](count, rng)


def make_nothing(rng: np.random.Generator, fragment: Float32 | None) -> tuple[str, Float32]:
    """A clip without words and its kind: silence, noise, or `fragment` (< 80 ms of a voice)."""
    count = int(RATE * rng.uniform(0.3, 4.0))
    roll = rng.random()
    if roll < 0.10:
        return "silence", np.zeros(count, np.float32)
    if roll < 0.28 and fragment is not None and len(fragment):
        sound = coloured_noise(count, 1.0, rng) * 10 ** rng.uniform(-4.5, -2.0)
        at = int(rng.integers(0, max(1, count - len(fragment))))
        sound[at : at + len(fragment)] += 0.3 * fragment / (np.abs(fragment).max() + 1e-9)
        return "fragment", sound.astype(np.float32)
    kinds = rng.choice(NOISE_KINDS, size=1 if rng.random() < 0.6 else 2, replace=False)
    sound = np.zeros(count, np.float32)
    for kind in kinds:
        sound += make_noise(str(kind), count, rng) * np.float32(10 ** rng.uniform(-1.5, 0))
    level = 10 ** (rng.uniform(-65, -10) / 20)
    return "+".join(sorted(map(str, kinds))), (sound * level).astype(np.float32)
