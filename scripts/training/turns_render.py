"""Moments as the model hears them: with rooms, noise, levels, a telephone, and silence so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.signal
from noises import coloured_noise
from turns_examples import Moment
from turns_silences import RATE, Float32, full_scale, room_tone

ASKED_MS = (50, 450)  # after the last of the speech
MU = 255.0


@dataclass(frozen=True, slots=True)
class Line:
    """How a moment reaches the model. None: drawn at random, as in training."""

    telephone: bool | None = None
    snr_db: float | None = None
    plain: bool = False  # no noise, room, speed or crop


def render(moment: Moment, samples: int, rng: np.random.Generator, line: Line) -> Float32:
    """float32 [samples], zeros before the turn's beginning."""
    asked = int(rng.uniform(*ASKED_MS)) * RATE // 1000
    speech = full_scale(moment.samples)
    if not line.plain:
        speech = _cropped(_at_speed(speech, rng), rng)
    sound: Float32 = np.concatenate((speech, _silence(moment, asked, rng)))
    if not line.plain and rng.random() < 0.25:
        sound = _in_a_room(sound, rng)
    sound = _with_noise(sound, line, rng)
    sound *= 10 ** (rng.uniform(-18, 3) / 20) * 0.1 / (float(np.sqrt(np.mean(sound**2))) + 1e-6)
    if line.telephone or (line.telephone is None and rng.random() < 0.45):
        sound = on_the_telephone(sound, rng)
    whole = np.zeros(samples, np.float32)
    newest = sound[-samples:]
    whole[samples - newest.size :] = np.clip(newest, -1, 1)
    return whole


def _at_speed(speech: Float32, rng: np.random.Generator) -> Float32:
    if rng.random() < 0.4:
        return speech
    at = np.arange(0, speech.size - 1, rng.uniform(0.88, 1.14))
    return np.interp(at, np.arange(speech.size), speech).astype(np.float32)


def _cropped(speech: Float32, rng: np.random.Generator) -> Float32:
    """Turns begin anywhere: how long someone has spoken must not give the end away."""
    if rng.random() < 0.45:
        return speech
    kept = speech[-int(rng.uniform(0.5, 3.0) * RATE) :].copy()
    kept[:160] *= np.linspace(0, 1, min(160, kept.size), dtype=np.float32)[: kept[:160].size]
    return kept


def _silence(moment: Moment, count: int, rng: np.random.Generator) -> Float32:
    """The real silence's beginning, then room tone, the one sliding into the other in 20 ms."""
    tail = full_scale(moment.tail[:count])
    tone = room_tone(full_scale(moment.tone), count, rng)
    fade = min(RATE // 50, tail.size)
    share = np.concatenate(
        (np.ones(tail.size - fade), np.linspace(1, 0, fade), np.zeros(count - tail.size))
    )
    mixed = np.zeros(count, np.float32)
    mixed[: tail.size] = tail
    return (mixed * share + tone * np.sqrt(1 - share**2)).astype(np.float32)


def _in_a_room(sound: Float32, rng: np.random.Generator) -> Float32:
    """Noise that dies away stands for the echoes of a room."""
    size = int(rng.uniform(0.08, 0.35) * RATE)
    decay = np.exp(-6.9 * np.arange(size) / size)
    echoes = rng.standard_normal(size) * decay
    echoes *= rng.uniform(0.2, 0.9) / np.sqrt(np.sum(echoes**2))
    echoes[0] += 1
    return scipy.signal.fftconvolve(sound, echoes)[: sound.size].astype(np.float32)


def _with_noise(sound: Float32, line: Line, rng: np.random.Generator) -> Float32:
    snr_db = line.snr_db
    if snr_db is None:
        if line.plain or rng.random() < 0.4:
            return sound
        snr_db = rng.uniform(4, 32)
    noise = coloured_noise(sound.size, rng.uniform(0, 1.8), rng)
    if rng.random() < 0.4:
        swell = 1 + 0.5 * np.sin(np.arange(sound.size) * rng.uniform(2, 25) / RATE)
        noise = noise * swell.astype(np.float32)
    level = float(np.sqrt(np.mean(sound**2))) * 10 ** (-snr_db / 20)
    return (sound + noise * level).astype(np.float32)


def on_the_telephone(sound: Float32, rng: np.random.Generator) -> Float32:
    """300 to 3,400 Hz, and the noise of mu-law's steps."""
    size = scipy.fft.next_fast_len(sound.size, real=True)
    hz = np.fft.rfftfreq(size, 1 / RATE)
    low, high = rng.uniform(80, 330), rng.uniform(3200, 3700)
    gain = 1 / np.sqrt((1 + (low / np.maximum(hz, 1)) ** 8) * (1 + (hz / high) ** 24))
    narrow = np.clip(np.fft.irfft(np.fft.rfft(sound, size) * gain, size)[: sound.size], -1, 1)
    squeezed = np.sign(narrow) * np.log1p(MU * np.abs(narrow)) / np.log1p(MU)
    steps = np.round(squeezed * 127) / 127
    return (np.sign(steps) * np.expm1(np.abs(steps) * np.log1p(MU)) / MU).astype(np.float32)
