"""What the end-of-turn model learns from: moments at which people fell silent, and what came next.

A moment is labelled 1 where the speaker goes on, 0 where the utterance is over. Everything that
parts the two but prosody is taken away: after both, the recording's own sound is kept for the same
short time, and then goes over into the same made room tone. Each source is weighted so that the two
labels weigh the same in it, else the model would learn which set it hears.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from turns_sentences import Books, Sentences
from turns_silences import RATE, Float32, dips, full_scale, quietest, silences

from voicepipe.audio import files

KEPT_TAIL = RATE * 120 // 1000
"""Samples of the real silence that are kept after a pause as after an end."""

BEFORE_S = 4.0
"""Speech kept before the moment: more than the model hears, so that it can be resampled."""

LONGEST_PAUSE_MS = 1000
"""Who goes on later than that had finished, as far as an answer is concerned."""

MAYBE_SENTENCE = 0.0
"""Log odds above which a reader's pause may be the end of a sentence, and an utterance's end in
train-clean-5 under `SURELY_WITHIN` none: such moments weigh DOUBTFUL as much."""

SURELY_WITHIN, DOUBTFUL = -2.5, 0.2

HELD_OUT = 7  # one speaker in so many is for validation
SHARE = {"tc5": 0.6, "dev": 1.0, "ocean": 1.0, "words": 0.25, "synthetic": 0.35, "dips": 0.5}
"""How much each source weighs, both labels together. train-clean-5 is cut at any long silence, so
that its ends are often none; single words have no pauses and are balanced by dips."""


@dataclass(slots=True)
class Moment:
    """`samples`: speech up to the silence, float32 at 16 kHz; `tail`: the real silence's start."""

    source: str
    speaker: str
    goes_on: bool
    pause_ms: float
    samples: npt.NDArray[Any]  # float32; int16 once it is kept
    tail: npt.NDArray[Any]
    tone: npt.NDArray[Any]  # the recording's quietest 200 ms
    at: int = 0  # sample of the recording at which it falls
    weight: float = 1.0

    @property
    def held_out(self) -> bool:
        """For validation: no moment of this speaker is trained on."""
        return sum(self.speaker.encode()) % HELD_OUT == 0


def read(path: Path) -> Float32:
    return full_scale(files.read(path))


def moments(source: str, speaker: str, path: Path, rng: np.random.Generator) -> Iterator[Moment]:
    """All that one recording teaches."""
    samples = read(path)
    found = silences(samples)
    if not found or samples.size - found[-1].start < RATE // 25:
        return  # cut off within its last word
    tone = quietest(samples)
    for silence in found:
        end = samples.size if silence.end is None else silence.end - RATE * 30 // 1000
        if silence.end is not None and (silence.ms > LONGEST_PAUSE_MS or source == "words"):
            continue
        yield _moment(source, speaker, samples, silence.start, end, silence.ms, tone)
    if source != "words" and rng.random() < 0.5:
        at = list(dips(samples))
        for start in rng.permutation(at)[:1]:
            one = _moment("dips", speaker, samples, int(start), int(start) + 160, 0.0, tone)
            one.samples[-160:] *= np.linspace(1, 0, 160, dtype=np.float32)
            yield one


def _moment(
    source: str,
    speaker: str,
    samples: Float32,
    start: int,
    end: int,
    pause_ms: float,
    tone: Float32,
) -> Moment:
    before = samples[max(0, start - int(BEFORE_S * RATE)) : start]
    tail = samples[start : min(end, start + KEPT_TAIL)]
    goes_on = pause_ms != float("inf")
    return Moment(source, speaker, goes_on, pause_ms, before.copy(), tail.copy(), tone, start)


def recordings(data: Path, synthetic: Path) -> Iterator[tuple[str, str, Path]]:
    """(source, speaker, file) of all that may be trained on."""
    for path in sorted((data / "tc5").rglob("*.flac")):
        yield "tc5", "ls" + path.stem.split("-")[0], path
    for path in sorted((data / "devclean").rglob("*.wav")):
        yield "dev", "ls" + path.stem.split("-")[0], path
    speakers = dict(line.split() for line in (data / "ocean/train/utt2spk").open())
    for line in (data / "ocean/train/wav.scp").open():
        key, name = line.split()
        yield "ocean", "oc" + speakers[key], data / "ocean" / name
    for line in (synthetic / "manifest.jsonl").open():
        entry = json.loads(line)
        yield "synthetic", entry["speaker"], synthetic / entry["file"]
    yield from _single_words(data)


def _single_words(data: Path) -> Iterator[tuple[str, str, Path]]:
    """Some Speech Commands of its training split: whole answers of one word."""
    rng = np.random.default_rng(5)
    found = [*(data / "sc1").rglob("*_nohash_*.wav"), *(data / "sc2").rglob("*_nohash_*.wav")]
    names = [name for name in sorted(found) if _may_be_trained_on(name)]
    for index in rng.permutation(len(names))[:1500].tolist():
        yield "words", "sc" + names[index].stem.split("_")[0], names[index]


def _may_be_trained_on(path: Path) -> bool:
    """Speech Commands' own rule: a speaker's hash says which split is theirs."""
    digest = hashlib.sha1(path.name.split("_nohash_")[0].encode()).hexdigest()
    return int(digest, 16) % 2**27 * 100 / (2**27 - 1) >= 20


def by_sentence(one: Moment, end: int, key: str, books: Books, sentences: Sentences) -> float:
    """What a moment of LibriSpeech weighs; the recording's speech goes up to `end`."""
    words, following = books.words(key), books.following(key)
    if not one.goes_on:
        within = following and sentences.log_odds(words, following) < SURELY_WITHIN
        return DOUBTFUL if within and one.source == "tc5" else 1.0
    maybe = words and sentences.near(words, one.at / end) > MAYBE_SENTENCE
    return DOUBTFUL if maybe else 1.0


def weigh(found: list[Moment]) -> None:
    """Labels in balance within each source, and sources by SHARE. Dips balance single words."""
    total: dict[tuple[str, bool], float] = defaultdict(float)
    for one in found:
        total[one.source, one.goes_on] += one.weight
    for one in found:
        one.weight *= SHARE[one.source] * 1000 / total[one.source, one.goes_on]


def collect(data: Path, synthetic: Path, out: Path) -> None:
    """Read every recording once and keep its moments in the file `out`."""
    rng = np.random.default_rng(1)
    found: list[Moment] = []
    sentences, books = Sentences(), Books(data)
    for number, (source, speaker, path) in enumerate(recordings(data, synthetic)):
        new = list(moments(source, speaker, path, rng))
        for one in new if source in ("tc5", "dev") else ():
            end = next(m.at for m in new if not m.goes_on)
            one.weight = by_sentence(one, end, path.stem, books, sentences)
        found += new
        if number % 1000 == 0:
            print(number, len(found), flush=True)
    weigh(found)
    for source, goes_on in sorted({(m.source, m.goes_on) for m in found}):
        many = [m for m in found if (m.source, m.goes_on) == (source, goes_on)]
        held = sum(m.held_out for m in many)
        print(f"{source}: goes on {goes_on}: {len(many)}, held out {held}")
    for one in found:  # half the memory
        one.samples, one.tail, one.tone = (
            np.round(a * 32767).astype(np.int16) for a in (one.samples, one.tail, one.tone)
        )
    with out.open("wb") as file:
        pickle.dump(found, file, protocol=5)
