"""What the callers say: recordings as 20 ms frames, each with the place where its speech ends."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from voicepipe.audio import files, pcm
from voicepipe.audio.formats import PCM_24K
from voicepipe.audio.pcm import FRAME_MS, Int16
from voicepipe.runtime.errors import VoicepipeError

WIRE = PCM_24K
"""What the callers speak and hear: the Realtime protocol's own format."""

FRAME_SAMPLES = WIRE.rate * FRAME_MS // 1000
SILENCE = bytes(FRAME_SAMPLES * 2)
MANIFEST = "manifest.jsonl"
QUESTIONS = Path(__file__).parents[3] / "tests" / "data" / "questions"
"""Twelve spoken questions; there in a checkout, not in an installed package."""

_SOUND_FILES = {".wav", ".flac", ".mp3", ".ogg", ".m4a"}
_VOWELS = np.array(
    [(730, 1090, 2440), (270, 2290, 3010), (570, 840, 2410), (660, 1720, 2410), (300, 870, 2240)]
)  # first three formants, Hz, of a man's a, i, o, ae, u
_BANDWIDTHS, _GAINS = np.array((80.0, 110.0, 160.0)), np.array((1.0, 0.6, 0.3))
_SYLLABLES_PER_S = 4.5
_QUIET_BELOW = 0.02  # of the loudest frame: breath and room, not speech


class RecordingsError(VoicepipeError):
    """A folder of questions cannot be used; the message names it."""


@dataclass(frozen=True, slots=True)
class Recording:
    """`frames`: 20 ms each in `WIRE`, the last one padded. `last_voiced`: index of the frame in
    which the speech ends. `answer`: words that a right answer has; "": any will do."""

    name: str
    frames: tuple[bytes, ...]
    last_voiced: int
    answer: str = ""

    @property
    def length_s(self) -> float:
        return len(self.frames) * FRAME_MS / 1000


def load(folder: Path | None = None) -> tuple[Recording, ...]:
    """The recordings of a folder: those its manifest lists, else every sound file in it.

    A manifest has one JSON object a line with `file` and, where known, `speech_end_s`; without it
    the end of speech is found by loudness. `answer`: words that the answer must have. None: the
    questions of this checkout, or a voice-like buzz where there are none. Raises RecordingsError.
    """
    if folder is None:
        folder = QUESTIONS
        if not folder.is_dir():
            return (buzz(),)
    if not folder.is_dir():
        raise RecordingsError(f"{folder}: no such folder of recordings")
    recordings = tuple(
        recording(entry.file, files.read(folder / entry.file, WIRE.rate), entry.end_s, entry.answer)
        for entry in _entries(folder)
    )
    if not recordings:
        raise RecordingsError(f"{folder}: neither a {MANIFEST} nor a sound file is in it")
    return recordings


def recording(
    name: str, samples: Int16, speech_end_s: float | None = None, answer: str = ""
) -> Recording:
    """Cut `samples` (int16 [n], 24 kHz) into frames. Raises RecordingsError for silence."""
    if not samples.size or not np.abs(samples.astype(np.int32)).max():
        raise RecordingsError(f"{name}: the recording is silent")
    missing = -samples.size % FRAME_SAMPLES
    whole = np.concatenate((samples, np.zeros(missing, dtype=np.int16))).reshape(-1, FRAME_SAMPLES)
    if speech_end_s is None:
        last = _last_loud(whole)
    else:
        last = min(len(whole) - 1, max(0, round(speech_end_s * 1000 / FRAME_MS + 0.5) - 1))
    return Recording(name, tuple(pcm.to_bytes(frame) for frame in whole), last, answer)


def buzz(ms: int = 1200) -> Recording:
    """A voice-like sound that every detector takes for speech, after 300 ms of silence: harmonics
    of a falling pitch, shaped by the resonances of five vowels that glide into each other."""
    t = np.arange(WIRE.rate * ms // 1000) / WIRE.rate
    at = t * _SYLLABLES_PER_S
    vowel, glide = at.astype(int) % len(_VOWELS), np.clip((at % 1 - 0.6) / 0.4, 0, 1)[:, None]
    formants = _VOWELS[vowel] * (1 - glide) + np.roll(_VOWELS, -1, axis=0)[vowel] * glide
    pitch = 120 * (1 + 0.08 * np.sin(2 * np.pi * 1.1 * t)) * (1 - 0.15 * t / t[-1])
    phase = 2 * np.pi * np.cumsum(pitch) / WIRE.rate
    wave = np.zeros(t.size)
    for k in range(1, 36):
        off = (k * pitch[:, None] - formants) / _BANDWIDTHS
        wave += (_GAINS / np.sqrt(1 + off**2)).sum(axis=1) * np.cos(k * phase) / k
    wave *= 1 - 0.45 * (1 + np.cos(2 * np.pi * at))
    wave = wave / np.abs(wave).max() + np.random.default_rng(1).normal(0, 0.004, t.size)  # breath
    samples = np.concatenate(
        (
            pcm.silence(300, WIRE.rate),
            (wave * 12_000).astype(np.int16),
            pcm.silence(100, WIRE.rate),
        )
    )
    return recording("buzz", samples, (300 + ms) / 1000)


def loud(samples: Int16) -> bool:
    """Could a listener hear this? About -55 dB of full scale."""
    return bool(samples.size) and int(np.abs(samples.astype(np.int32)).max()) > 60


@dataclass(frozen=True, slots=True)
class _Entry:
    file: str
    end_s: float | None = None
    answer: str = ""


def _entries(folder: Path) -> Iterator[_Entry]:
    manifest = folder / MANIFEST
    if not manifest.is_file():
        for path in sorted(folder.iterdir()):
            if path.suffix.lower() in _SOUND_FILES:
                yield _Entry(path.name)
        return
    try:
        lines = manifest.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise RecordingsError(f"{manifest}: cannot be read as UTF-8 text: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            end_s = entry.get("speech_end_s")
            known_s = None if end_s is None else float(end_s)
            if known_s is not None and not math.isfinite(known_s):
                raise ValueError("no place in a recording")
            yield _Entry(str(entry["file"]), known_s, str(entry.get("answer") or ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise RecordingsError(
                f"{manifest}, line {number}: expected a JSON object with "
                '"file" and perhaps "speech_end_s" (seconds)'
            ) from None


def _last_loud(frames: Int16) -> int:
    level = np.sqrt(np.mean(frames.astype(np.float64) ** 2, axis=1))
    return int(np.flatnonzero(level > level.max() * _QUIET_BELOW)[-1])
