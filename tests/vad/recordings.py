"""The spoken questions of tests/data, framed, with silence around them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from voicepipe.audio import files, pcm
from voicepipe.audio.frames import Framer
from voicepipe.audio.pcm import FRAME_MS, SAMPLE_RATE, Int16
from voicepipe.vad.contract import VoiceDetector

QUESTIONS = Path(__file__).parents[1] / "data" / "questions"
TAIL_MS = 1000


@dataclass(frozen=True)
class Question:
    """A recording followed by a second of silence; `start_ms`..`end_ms` is speech."""

    name: str
    samples: Int16
    start_ms: float
    end_ms: float

    @property
    def frames(self) -> list[Int16]:
        return list(Framer().push(self.samples))


@cache
def questions() -> tuple[Question, ...]:
    return tuple(_load())


def _load() -> Iterator[Question]:
    for line in (QUESTIONS / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        samples = np.concatenate((files.read(QUESTIONS / entry["file"]), pcm.silence(TAIL_MS)))
        start_ms, end_ms = entry["speech_start_s"] * 1000, entry["speech_end_s"] * 1000
        yield Question(entry["file"], samples, start_ms, end_ms)


def probabilities(detector: VoiceDetector, frames: list[Int16]) -> list[float]:
    return [detector.probability(frame) for frame in frames]


def speech_ms(detector: VoiceDetector, frames: list[Int16]) -> tuple[int, int] | None:
    """Start of the first and end of the last frame taken for speech; None if there is none."""
    voiced = [n for n, p in enumerate(probabilities(detector, frames)) if p >= 0.5]
    return (voiced[0] * FRAME_MS, (voiced[-1] + 1) * FRAME_MS) if voiced else None


def white_noise(seconds: float, rms: float, seed: int = 1) -> list[Int16]:
    noise = np.random.default_rng(seed).normal(0, rms, round(seconds * SAMPLE_RATE))
    return list(Framer().push(noise.astype(np.int16)))


def digital_silence(seconds: float) -> list[Int16]:
    return list(Framer().push(pcm.silence(seconds * 1000)))
