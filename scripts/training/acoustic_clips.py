"""The recordings of people that teach the acoustic model, on one tape: `tape.i16` (16 kHz samples,
one clip after the other) and `clips.json` (where each begins, what is said, by whom).

`train_acoustics.py` says which folders there are; one that is missing is left out, and said so.
Nobody whom a test judges is among them: the test parts of the sets are not read, and of Speech
Commands only what the set's own rule gives to training, and a little of what it gives to
validation."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import av
import numpy as np
from sound import RATE, Int16
from spoken_kinds import sentences
from voices import Voices

DIGITS = "zero one two three four five six seven eight nine".split()
OF_A_WORD = 1040  # recordings of one word, for a few words would swamp the rest
LONGEST_S = 24.0


@dataclass(frozen=True)
class Clip:
    """A recording. `split` is "train" or "dev"."""

    kind: str
    text: str
    speaker: str
    split: str
    file: str = ""
    start: int = 0
    samples: int = 0


def read_sound(path: str) -> Int16:
    """Any file that FFmpeg reads, 16 kHz mono."""
    resampler = av.AudioResampler("s16", "mono", RATE)
    with av.open(path) as container:
        pieces = [
            part.to_ndarray()[0]
            for frame in (*container.decode(audio=0), None)
            for part in resampler.resample(frame)
        ]
    sound: Int16 = np.concatenate(pieces).astype(np.int16)
    return sound


def plain(text: str) -> str:
    """Lower-case words."""
    return " ".join(re.sub(r"[^a-z' ]", " ", text.lower()).split())


# --------------------------------------------------------------------------------------------- sets


def speech_commands(folder: Path, rng: random.Random) -> Iterator[Clip]:
    """Speech Commands: files named SPEAKER_nohash_N.wav in a folder for each word."""
    words: dict[str, dict[str, Path]] = defaultdict(dict)
    for path in sorted(folder.rglob("*_nohash_*.wav")):
        words[path.parent.name.lower()][path.name] = path
    for word, files in sorted(words.items()):
        parts: dict[str, list[Path]] = defaultdict(list)
        for name, path in sorted(files.items()):
            parts[_part_of(name)].append(path)
        for part, split, most in (("train", "train", OF_A_WORD), ("valid", "dev", 12)):
            rng.shuffle(parts[part])
            for path in parts[part][:most]:
                yield Clip("word", word, path.name.split("_")[0], split, str(path))


def _part_of(name: str) -> str:
    """The data set's own rule: 10 % of the speakers validate, 10 % test."""
    speaker = re.sub("_nohash_.*$", "", name).encode()
    place = int(hashlib.sha1(speaker).hexdigest(), 16) % 2**27 * (100 / (2**27 - 1))
    return "valid" if place < 10 else "test" if place < 20 else "train"


def fsdd(folder: Path, rng: random.Random) -> Iterator[Clip]:
    """The Free Spoken Digit Dataset: recordings/DIGIT_SPEAKER_N.wav."""
    for path in sorted(folder.glob("recordings/*.wav")):
        digit, speaker, _ = path.stem.split("_")
        yield Clip("digit", DIGITS[int(digit)], speaker, "train", str(path))


def librispeech(folder: Path, rng: random.Random) -> Iterator[Clip]:
    """Parts of LibriSpeech; two speakers of dev-clean are kept for progress lines."""
    texts: dict[str, str] = {}
    for path in sorted(folder.rglob("*.trans.txt")):
        for line in path.read_text().splitlines():
            key, _, text = line.partition(" ")
            texts[key] = text
    paths = [p for p in sorted(folder.rglob("*.*")) if p.stem in texts]
    of_dev = sorted({p.stem.split("-")[0] for p in paths if "dev-clean" in p.parts})
    rng.shuffle(of_dev)
    for path in paths:
        speaker = path.stem.split("-")[0]
        split = "dev" if speaker in of_dev[:2] else "train"
        yield Clip("read", plain(texts[path.stem]), speaker, split, str(path))


def speechocean(folder: Path, rng: random.Random) -> Iterator[Clip]:
    """speechocean762, its train part; six speakers are kept for progress lines."""
    texts, files, speakers = (
        dict(line.split(None, 1) for line in (folder / "train" / name).read_text().splitlines())
        for name in ("text", "wav.scp", "utt2spk")
    )
    kept = sorted(set(speakers.values()))
    rng.shuffle(kept)
    for key, text in sorted(texts.items()):
        split = "dev" if speakers[key] in kept[:6] else "train"
        file = str(folder / files[key].strip())
        yield Clip("learner", plain(text), speakers[key], split, file)


def listed(folder: Path) -> Iterator[Clip]:
    """Any other set: `manifest.jsonl`, a line {"file", "text", "speaker"} for each clip; of ten
    speakers one is kept for progress lines."""
    for line in (folder / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        speaker = f"{folder.name}/{entry['speaker']}"
        split = "dev" if hashlib.sha1(speaker.encode()).digest()[0] < 26 else "train"
        path = folder / entry["file"]
        yield Clip("accent", plain(entry["text"]), speaker, split, str(path))


SETS: dict[str, Callable[[Path, random.Random], Iterator[Clip]]] = {
    "speech-commands": speech_commands,
    "fsdd": fsdd,
    "librispeech": librispeech,
    "speechocean762": speechocean,
}


# --------------------------------------------------------------------------------------------- tape


def write_tape(people: Path, out: Path, synthetic_s: float, seed: int = 11) -> None:
    """All sets below `people`, and synthetic sentences of the domain. Where there is a tape, only
    recordings that it lacks are added, so that training goes on from the labels there are."""
    rng = random.Random(seed)
    people = people.resolve()  # recordings are known by where they lie
    clips: list[Clip] = []
    for name, read in SETS.items():
        if (people / name).is_dir():
            clips += read(people / name, rng)
        else:
            print(f"LEFT OUT: {name} ({people / name} is not there)")
    for manifest in sorted(people.glob("*/manifest.jsonl")):
        if manifest.parent.name not in SETS:
            clips += listed(manifest.parent)
    rng.shuffle(clips)
    out.mkdir(parents=True, exist_ok=True)
    known = out / "clips.json"
    entries = json.loads(known.read_text()) if known.exists() else []
    there = {entry["file"] for entry in entries}
    at = sum(entry["samples"] for entry in entries)
    new = _recorded([clip for clip in clips if clip.file not in there])
    spoken = iter(()) if entries else _synthetic(rng, synthetic_s)
    with (out / "tape.i16").open("r+b" if entries else "wb") as tape:
        tape.truncate(at * np.dtype(np.int16).itemsize)  # what an ended run had not listed
        tape.seek(0, os.SEEK_END)
        for clip, sound in itertools.chain(new, spoken):
            tape.write(sound.tobytes())
            entries.append({**asdict(clip), "start": at, "samples": len(sound)})
            at += len(sound)
    part = known.with_suffix(".part")
    part.write_text(json.dumps(entries))
    part.replace(known)
    print(f"{len(entries)} clips, {at / RATE / 3600:.1f} h: {out}")


def _recorded(clips: list[Clip]) -> Iterator[tuple[Clip, Int16]]:
    for clip in clips:
        sound = read_sound(clip.file)
        if RATE // 5 <= len(sound) <= LONGEST_S * RATE:
            yield clip, sound


def _synthetic(rng: random.Random, most_s: float) -> Iterator[tuple[Clip, Int16]]:
    """Sentences of the built-in world by synthetic voices, which people's sets hardly have."""
    voices, seconds = Voices("train", rng), 0.0
    for text in sentences(seed=77):
        name = voices.pick("speech")
        speech = None if name.startswith("festival") else voices.speak(name, text)
        if speech is None or len(text.split()) < 2:
            continue
        level = rng.uniform(3000, 20000) / max(1e-6, float(np.abs(speech.pcm).max()))
        pause = np.zeros(RATE // 10)
        sound = np.concatenate([pause, speech.pcm * level, pause]).astype(np.int16)
        yield Clip("synthetic", plain(text), name, "train"), sound
        seconds += len(sound) / RATE
        if seconds > most_s:
            return
