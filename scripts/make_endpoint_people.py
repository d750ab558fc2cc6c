"""People for `voicepipe bench endpoint`: recordings that no model of ours heard, with their pauses
and ends marked.

    python scripts/make_endpoint_people.py OUT --librispeech test-clean --learners speechocean762 \\
        --human ../shared/human --noise ESC-10

Writes four folders, each with `manifest.jsonl`: OUT/quiet, OUT/noise (10 dB), OUT/telephone (8 kHz
mu-law), OUT/telephone-noise. Where the recordings come from, and under which licence, says
docs/endpointing.md; none of them is in this repository, and what is written here stays out of it.

A turn is the end of a recording: up to 7 s of it, begun after a pause. A reader's recording holds
several sentences and goes on after each; a turn therefore begins after the last pause that a
language model takes for a sentence's end by its words (--as-read: it need not). Silences are found
by level; where each word ends is found by pocketsphinx, or by the letters where it does not know a
word. 120 ms after the speech, a pause as well as an end goes over into the same made room tone, so
that only the speech tells them apart; after the end there are 2.2 s of it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pocketsphinx  # type: ignore[import-untyped]
from rich.console import Console
from rich.progress import track

sys.path.insert(0, str(Path(__file__).parent / "training"))

from turns_sentences import Sentences
from turns_silences import RATE, Float32, full_scale, quietest, room_tone, silences

from voicepipe.audio import files, g711
from voicepipe.audio.pcm import Int16
from voicepipe.audio.resample import resample
from voicepipe.lab.hearing_score import normal

LONGEST_S = 7.0  # of a turn
LEAST_PAUSE_MS = 200
KEPT_TAIL_MS, FADE_MS = 120, 20
LEAD_MS, TAIL_MS = 500, 2200
SNR_DB = 10.0
OF_A_SPEAKER = {"librispeech": 10, "learners": 4}
MAYBE_SENTENCE = 0.0  # log odds


@dataclass(frozen=True, slots=True)
class Recording:
    """One utterance of a set, and what is said in it."""

    source: str
    speaker: str
    path: Path
    text: str


def librispeech(folder: Path) -> Iterator[Recording]:
    """Any part of LibriSpeech: FLAC (or what is called .wav) beside `*.trans.txt`."""
    texts = {}
    for path in sorted(folder.rglob("*.trans.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            key, _, text = line.partition(" ")
            texts[key] = text
    for path in sorted([*folder.rglob("*.flac"), *folder.rglob("*.wav")]):
        if path.stem in texts:
            yield Recording("librispeech", path.stem.split("-")[0], path, texts[path.stem])


def learners(folder: Path) -> Iterator[Recording]:
    """speechocean762's test part."""
    part = folder / "test"
    texts = dict(line.split(maxsplit=1) for line in (part / "text").open(encoding="utf-8"))
    speakers = dict(line.split() for line in (part / "utt2spk").open(encoding="utf-8"))
    for line in (part / "wav.scp").open(encoding="utf-8"):
        key, name = line.split()
        yield Recording("learners", speakers[key], folder / name, texts[key])


def human(folder: Path) -> Iterator[Recording]:
    """Telephone numbers and Common Voice of the project's human test set."""
    for line in (folder / "manifest.jsonl").open(encoding="utf-8"):
        entry = json.loads(line)
        if entry["set"] in ("numbers", "commonvoice"):
            where = folder / entry["file"]
            yield Recording(entry["set"], str(entry["speaker"]), where, entry["text"])


def chosen(found: list[Recording], seed: int, times: int) -> list[Recording]:
    """So many of each speaker, drawn by chance; all of a small set."""
    by_speaker: dict[tuple[str, str], list[Recording]] = defaultdict(list)
    for one in found:
        by_speaker[one.source, one.speaker].append(one)
    rng = random.Random(seed)
    return [
        one
        for (source, _), many in sorted(by_speaker.items())
        for one in rng.sample(many, min(len(many), times * OF_A_SPEAKER.get(source, len(many))))
    ]


class Words:
    """Where words end in recordings."""

    def __init__(self) -> None:
        self._decoder = pocketsphinx.Decoder(samprate=RATE, loglevel="FATAL", lm=None)

    def ends(self, samples: Float32, words: list[str], speech: list[tuple[int, int]]) -> list[int]:
        """Sample at which each word ends."""
        return self._aligned(samples, words) or _by_letters(words, speech)

    def _aligned(self, samples: Float32, words: list[str]) -> list[int]:
        if any(self._decoder.lookup_word(word) is None for word in words):
            return []
        decoder = self._decoder
        try:
            decoder.set_align_text(" ".join(words))
            decoder.start_utt()
            decoder.process_raw((samples * 32767).astype(np.int16).tobytes(), full_utt=True)
            decoder.end_utt()
        except RuntimeError:
            return []
        found = [(seg.word.split("(")[0], seg.end_frame) for seg in decoder.seg() or ()]
        ends = [(frame + 1) * RATE // 100 for word, frame in found if word in set(words)]
        return ends if len(ends) == len(words) else []


def _by_letters(words: list[str], speech: list[tuple[int, int]]) -> list[int]:
    """Words spread over the stretches of speech as if every letter took as long."""
    total, ends, said = sum(end - start for start, end in speech), [], 0
    letters = sum(len(word) + 1 for word in words)
    for word in words:
        said += len(word) + 1
        left = total * said / letters
        for start, end in speech:
            if left <= end - start + 1:
                ends.append(int(start + left))
                break
            left -= end - start
    return ends


def turn_of(
    recording: Recording, words: Words, sentences: Sentences | None, rng: np.random.Generator
) -> tuple[Float32, list[dict[str, object]]] | None:
    """float32 [n] and its segments; None where the recording ends within its last word."""
    samples = full_scale(files.read(recording.path))
    found = silences(samples)
    if not found or samples.size - found[-1].start < RATE // 25:
        return None
    kept = [one for one in found if one.ms >= LEAST_PAUSE_MS]
    starts = [found[0].speech_from, *(one.end for one in kept if one.end is not None)]
    speech = list(zip(starts, (one.start for one in kept), strict=True))
    said = normal(recording.text)
    ends = words.ends(samples, said, speech)
    near = [one for one in speech if speech[-1][1] - one[0] <= LONGEST_S * RATE] or speech[-1:]
    heard = list(zip(said, ends, strict=True))
    if sentences is not None and recording.source == "librispeech":
        near = last_sentence(near, heard, sentences)
    heard = [(word, at) for word, at in heard if at > near[0][0]]
    shift = LEAD_MS * RATE // 1000 - near[0][0]
    return laid_out(samples, near, shift, rng), list(marks(near, shift, heard))


def last_sentence(
    speech: list[tuple[int, int]], heard: list[tuple[str, int]], sentences: Sentences
) -> list[tuple[int, int]]:
    """The stretches of speech after the last pause at which a sentence may end."""
    for number in range(len(speech) - 1, 0, -1):
        pause = speech[number - 1][1] + RATE // 10
        before = [word for word, at in heard if at <= pause]
        after = [word for word, at in heard if at > pause]
        if before and after and sentences.log_odds(before, after) > MAYBE_SENTENCE:
            return speech[number:]
    return speech


def laid_out(
    samples: Float32, speech: list[tuple[int, int]], shift: int, rng: np.random.Generator
) -> Float32:
    """The stretches of speech, moved by `shift`, in room tone."""
    tail = KEPT_TAIL_MS * RATE // 1000
    sound = room_tone(quietest(samples), speech[-1][1] + shift + TAIL_MS * RATE // 1000, rng)
    fade = np.linspace(0, 1, FADE_MS * RATE // 1000, dtype=np.float32)
    nexts = [start for start, _ in speech[1:]] + [samples.size]
    for (start, end), following in zip(speech, nexts, strict=True):
        first = max(0, start - fade.size)
        until = min(end + tail, following - fade.size, samples.size)
        share = np.ones(until - first, np.float32)
        share[: fade.size], share[-fade.size :] = fade, fade[::-1]
        place = slice(first + shift, until + shift)
        sound[place] = samples[first:until] * share + sound[place] * np.sqrt(1 - share**2)
    return sound


def marks(
    speech: list[tuple[int, int]], shift: int, heard: list[tuple[str, int]]
) -> Iterator[dict[str, object]]:
    """Segments as docs/endpointing.md has them: `heard` are words and the samples they end at."""
    for start, end in speech:
        last = (start, end) == speech[-1]
        so_far = [word for word, at in heard if last or at <= end + RATE // 10]
        yield {
            "start_s": round((start + shift) / RATE, 4),
            "end_s": round((end + shift) / RATE, 4),
            "text": " ".join(so_far),
            "then": "end" if last else "pause",
        }


def with_noise(sound: Float32, noise: Float32) -> Float32:
    """SNR_DB louder than the noise, silences counted in."""
    tiled = np.resize(noise, sound.size)
    level = float(np.sqrt(np.mean(sound**2))) * 10 ** (-SNR_DB / 20)
    noisy: Float32 = sound + tiled * (level / (float(np.sqrt(np.mean(tiled**2))) + 1e-9))
    return noisy


def to_int16(sound: Float32) -> Int16:
    """Clipped."""
    return (np.clip(sound, -1, 1) * 32767).astype(np.int16)


def on_the_telephone(samples: Int16) -> Int16:
    """8 kHz mu-law and back."""
    narrow = resample(samples, RATE, 8000)
    return resample(g711.decode(g711.encode(narrow, "pcmu"), "pcmu"), 8000, RATE)


def versions(sound: Float32, noise: Float32 | None) -> dict[str, Int16]:
    """What the four folders hold of one turn."""
    found = {"quiet": to_int16(sound)}
    if noise is not None:
        found["noise"] = to_int16(with_noise(sound, noise))
    telephone = {"quiet": "telephone", "noise": "telephone-noise"}
    return found | {telephone[name]: on_the_telephone(one) for name, one in found.items()}


def generate(
    out: Path,
    wanted: list[Recording],
    sentences: Sentences | None,
    noise: Path | None,
    seed: int,
) -> None:
    """Write the four folders (two without noise) and their manifests."""
    rng, words, number = np.random.default_rng(seed), Words(), 0
    sounds = [files.read(path) for path in sorted(noise.rglob("*.ogg"))[::4]] if noise else []
    lines: dict[str, list[str]] = defaultdict(list)
    for one in track(wanted, "marking", console=Console(stderr=True)):
        if (made := turn_of(one, words, sentences, rng)) is None:
            continue
        number += 1
        noisy = sounds[int(rng.integers(len(sounds)))].astype(np.float32) if sounds else None
        file = f"{one.source}-{number:05d}.wav"
        line = {"file": file, "speaker": f"{one.source} {one.speaker}", "segments": made[1]}
        for name, samples in versions(made[0], noisy).items():
            (out / name).mkdir(parents=True, exist_ok=True)
            files.write_wav(out / name / file, samples, RATE)
            lines[name].append(json.dumps(line))
    for name, entries in lines.items():
        (out / name / "manifest.jsonl").write_text("\n".join(entries) + "\n", encoding="utf-8")
    print(f"written: {number} turns of {len(wanted)} recordings in {out}")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--librispeech", type=Path)
    parser.add_argument("--learners", type=Path)
    parser.add_argument("--human", type=Path)
    parser.add_argument("--noise", type=Path, help="sounds without speech; one in four is taken")
    parser.add_argument("--as-read", action="store_true", help="whole recordings, up to 7 s")
    parser.add_argument("--times", type=int, default=1, help="as many recordings of a speaker")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found: list[Recording] = []
    for read in (librispeech, learners, human):
        if folder := getattr(options, read.__name__):
            found += read(folder)
    if not found:
        parser.error("name at least one of --librispeech, --learners, --human")
    wanted = chosen(found, options.seed, options.times)
    sentences = None if options.as_read else Sentences()
    generate(options.out, wanted, sentences, options.noise, options.seed)


if __name__ == "__main__":
    main()
