"""The parts of the speech corpus: making one, writing it, reading it back."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from domain import user_sentence
from noises import make_nothing
from sound import RATE, Float32, Int16
from spoken_texts import KIND_SHARE, SENTENCE, write_text
from synthesizers import Speech
from voices import Voices, draw

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "training" / "asr"
#: Longest speech in one sample. The model's window is 8 s; the rest is left for lead and tail.
MAX_SPEECH_S = 7.3
#: Peak of a stored sample (of 32767): quantisation noise stays 80 dB down at any training gain.
STORED_PEAK = 16_000


@dataclass
class Sample:
    """One corpus entry before it is written; `words` are word starts in seconds."""

    text: str
    kind: str
    voice: str
    pcm: Int16
    words: list[float] = field(default_factory=list)


def to_int16(pcm: Float32) -> Int16:
    """Speech at a fixed peak."""
    peak = float(np.abs(pcm).max(initial=0.0)) + 1e-9
    return np.asarray(np.round(pcm * (STORED_PEAK / peak)), np.int16)


def truncate(text: str, speech: Speech, rng: random.Random) -> tuple[str, Speech] | None:
    """Cut inside a word (its first half) or at its start; keep the words completed before it."""
    cuts = [index for index, (position, _) in enumerate(speech.words) if position > 0]
    if not cuts:
        return None
    index = rng.choice(cuts)
    position, start = speech.words[index]
    following = speech.words[index + 1][1] if index + 1 < len(speech.words) else len(speech.pcm)
    cut = int(start + rng.uniform(0.0, 0.5) * min(following - start, 0.4 * RATE))
    kept = Speech(speech.pcm[:cut], speech.rate, speech.words[:index])
    return (text[:position].strip(), kept) if cut > RATE // 8 else None


def make_sample(kind: str, name: str, text: str, voices: Voices, np_rng: Any) -> Sample | None:
    """Speak one entry of the plan; None when it does not fit."""
    rng = voices.rng
    if kind == "none":
        speech = voices.speak("espeak:en-us", text)
        fragment = None
        if speech is not None:
            size = rng.randint(RATE // 50, RATE * 8 // 100)
            at = rng.randint(0, max(0, len(speech.pcm) - size))
            fragment = speech.pcm[at : at + size]
        detail, sound = make_nothing(np_rng, fragment)
        pcm = np.asarray(np.clip(np.round(sound * 32767), -32768, 32767), np.int16)
        return Sample("", "none", f"noise:{detail}", pcm)
    speech = voices.speak(name, text)
    if speech is None:
        return None
    if kind == "truncated":
        cut = truncate(text, speech, rng)
        if cut is None:
            return None
        text, speech = cut
    if kind == "joined":
        second = user_sentence(rng)
        more = voices.speak(name, second)
        if more is not None and SENTENCE.fullmatch(second):
            pause = np.zeros(int(RATE * rng.uniform(0.2, 0.7)), np.float32)
            more_pcm = more.pcm * (np.abs(speech.pcm).max() / (np.abs(more.pcm).max() + 1e-9))
            speech = Speech(np.concatenate((speech.pcm, pause, more_pcm)), RATE)
            text = f"{text} {second}"
    if len(speech.pcm) > MAX_SPEECH_S * RATE:
        return None
    starts = [round(at / RATE, 3) for _, at in speech.words]
    return Sample(text, kind, name, to_int16(speech.pcm), starts)


def make_part(job: tuple[str, int, int, int, frozenset[str]]) -> tuple[str, int, float]:
    """Write one part of a split; returns its name, its samples, and its hours."""
    split, part, count, seed, banned = job
    rng = random.Random(f"{seed}/{split}/{part}")
    np_rng = np.random.default_rng(rng.getrandbits(63))
    voices = Voices(split, rng)
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"{split}-{part:03d}.i16"
    offset = written = 0
    with open(f"{path}.tmp", "wb") as audio, open(path.with_suffix(".jsonl.tmp"), "w") as meta:
        for sample in samples(voices, np_rng, count, banned):
            entry = {
                "text": sample.text,
                "kind": sample.kind,
                "voice": sample.voice,
                "offset": offset,
                "length": len(sample.pcm),
                "words": sample.words,
            }
            meta.write(json.dumps(entry) + "\n")
            audio.write(sample.pcm.tobytes())
            offset += len(sample.pcm)
            written += 1
    Path(f"{path}.tmp").rename(path)
    path.with_suffix(".jsonl.tmp").rename(path.with_suffix(".jsonl"))
    return path.stem, written, offset / RATE / 3600


def samples(voices: Voices, np_rng: Any, count: int, banned: frozenset[str]) -> Iterator[Sample]:
    """Plan and speak about `count` samples whose texts are not `banned`."""
    rng = voices.rng
    plan: list[tuple[str, str, str]] = []
    while len(plan) < count:
        kind = draw(KIND_SHARE, rng)
        text = write_text(kind, rng)
        if not SENTENCE.fullmatch(text):
            continue
        if text in banned and kind != "none":
            continue
        plan.append((kind, voices.pick(kind), text))
    voices.prepare_festival([entry for entry in plan if entry[0] != "joined"])
    for kind, name, text in plan:
        sample = make_sample(kind, name, text, voices, np_rng)
        if sample is not None:
            yield sample


def read_meta(split: str) -> list[dict[str, Any]]:
    """All entries of a split, each with its part's audio file under "path"."""
    entries = []
    for path in sorted(CACHE.glob(f"{split}-*.jsonl")):
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            entry["path"] = str(path.with_suffix(".i16"))
            entries.append(entry)
    return entries


def stored(entry: dict[str, Any]) -> Int16:
    """The samples of a corpus entry."""
    return np.fromfile(entry["path"], np.int16, count=entry["length"], offset=2 * entry["offset"])
