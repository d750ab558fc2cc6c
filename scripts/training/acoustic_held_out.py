"""Recordings kept from the acoustic model, as a folder that `bench_people.py` reads, so that limits
and checkpoints are chosen on people who judge nothing."""

from __future__ import annotations

import json
import random
import wave
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from acoustic_clips import DIGITS, Clip
from sound import RATE, Int16

SETS = {
    "word": ("words", 200),
    "learner": ("learners", 50),
    "read": ("librispeech", 40),
    "accent": ("commonvoice", 120),
}
NUMBERS = 40
QUIET = 0.003  # of a word's loudest moment: less is not part of it
_AROUND = RATE // 20  # samples kept beside a word


def write_held_out(clips: Sequence[Clip], sound: Callable[[int], Int16], out: Path) -> None:
    """`out/manifest.jsonl` and `out/clips`: of each kind as many as `SETS` says, and numbers put
    together of single digits of one speaker. `sound(n)` is int16 [samples] of clip n."""
    rng = random.Random(5)
    (out / "clips").mkdir(parents=True, exist_ok=True)
    with (out / "manifest.jsonl").open("w") as manifest:
        for n, (kind, text, pcm) in enumerate(_held_out(clips, sound, rng)):
            file = f"clips/{n:04}.wav"
            with wave.open(str(out / file), "wb") as recording:
                recording.setparams((1, 2, RATE, 0, "NONE", ""))
                recording.writeframes(pcm.tobytes())
            manifest.write(json.dumps({"file": file, "set": kind, "text": text}) + "\n")


def _held_out(
    clips: Sequence[Clip], sound: Callable[[int], Int16], rng: random.Random
) -> Iterator[tuple[str, str, Int16]]:
    """What is said, and how it sounds."""
    by_kind: dict[str, list[int]] = defaultdict(list)
    for n, clip in enumerate(clips):
        if clip.split == "dev":
            by_kind[clip.kind].append(n)
    for kind, (name, most) in SETS.items():
        rng.shuffle(by_kind[kind])
        for n in by_kind[kind][:most]:
            yield name, clips[n].text, sound(n)
    rng = random.Random(6)  # the numbers stay the same when a set is added before them
    speakers: dict[str, list[int]] = defaultdict(list)
    for n in by_kind["word"]:
        if clips[n].text in DIGITS:
            speakers[clips[n].speaker].append(n)
    known = sorted(speakers, key=lambda speaker: -len(speakers[speaker]))[:NUMBERS]
    for speaker in known:
        said = [rng.choice(speakers[speaker]) for _ in range(rng.randint(4, 8))]
        digits = np.concatenate([_trimmed(sound(n)) for n in said])
        yield "numbers", " ".join(clips[n].text for n in said), digits


def _trimmed(pcm: Int16) -> Int16:
    """Without the silence around a word."""
    energy = np.convolve(pcm.astype(np.float64) ** 2, np.ones(400), "same")
    loud = np.flatnonzero(energy > QUIET * energy.max())
    return pcm[max(0, loud[0] - _AROUND) : loud[-1] + _AROUND]
