"""How well recognizers hear people: the table of docs/hearing.md.

    python scripts/bench_people.py                              # both ways and the shipped one
    python scripts/bench_people.py --sets words,numbers --people ../shared/human
    python scripts/bench_people.py --noise ESC-10 --json people.json
    python scripts/bench_people.py --noise ESC-10 --in-session 4      # as callers are heard
    python scripts/bench_people.py --line telephone                   # 8 kHz mu-law; noise: 15 dB

`--people` is a folder with manifest.jsonl (file, set, text a line) and its recordings; without it
those rows say NOT RUN. `--noise` is a folder of sounds that hold no speech (ESC-10); one in four is
taken, `--noise-from` says which. Audio is fed frame by frame and as slowly as the decoder needs, so
that the machine's load changes nothing. With `--in-session N` it goes to N sessions of the built-in
profile instead, in real time: the voice detector decides what is speech and the endpoint when it is
over (a clip may become several turns).

Intervals are Wilson's, 95 %, with words as trials (they are not quite independent).
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from voicepipe.asr.contract import AsrOptions, Recognizer, Transcript, Utterance
from voicepipe.asr.paired import PairedRecognizer
from voicepipe.asr.sphinx.utterance import SphinxUtterance
from voicepipe.audio import files, g711
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.config.loading import load_settings
from voicepipe.lab.hearing_score import Rate, digits, normal, word_errors
from voicepipe.runtime import event_loop
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.assembly import build_engines
from voicepipe.server.service import Service

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from scripts.hear_in_session import hear_in_session  # noqa: E402

HUMAN = ROOT / ".." / "shared" / "human"
SETS = ("words", "numbers", "librispeech", "commonvoice", "learners")
PEOPLE = frozenset(SETS)
Line = Literal["clean", "telephone", "noise"]
WAYS = ("whisper", "pocketsphinx", "shipped", "session")


@dataclass(frozen=True)
class Clip:
    """A recording, and what is said in it ("" = nothing)."""

    kind: str
    text: str
    pcm: Int16


@dataclass
class Tally:
    """What became of the clips of one kind."""

    errors: int = 0
    words: int = 0
    exact: int = 0
    nothing: int = 0
    clips: int = 0
    some_text: list[str] = field(default_factory=list)

    def add(self, clip: Clip, heard: str) -> None:
        said, got = normal(clip.text), normal(heard)
        if clip.kind == "numbers":
            said, got = digits(said), digits(got)
        self.errors += word_errors(said, got)
        self.words += len(said)
        self.exact += said == got
        self.nothing += not heard
        self.clips += 1

    @property
    def result(self) -> str:
        """As the table has it."""
        return str(Rate(self.errors, self.words))


# ------------------------------------------------------------------------------------------- sounds


def people(folder: Path, sets: frozenset[str], line: Line) -> Iterator[Clip]:
    """The recordings of a manifest, as they come over that line."""
    for seed, entry in enumerate((folder / "manifest.jsonl").read_text().splitlines()):
        one = json.loads(entry)
        if one["set"] in sets:
            pcm = files.read(folder / one["file"])
            yield Clip(one["set"], one["text"], LINES[line](pcm, seed))


def synthetic() -> Iterator[Clip]:
    """Sentences of the domain by voices that nobody trained on: clean, noisy, and by telephone."""
    folder = ROOT / "tests" / "data" / "asr"
    for line in (folder / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        pcm = files.read(folder / entry["file"])
        if entry["snr_db"] is not None:
            yield Clip("synthetic 15 dB", entry["text"], pcm)
        elif entry["text"]:
            yield Clip("synthetic clean", entry["text"], pcm)
            yield Clip("synthetic mu-law", entry["text"], by_telephone(pcm))


def by_telephone(pcm: Int16) -> Int16:
    """8 kHz mu-law and back."""
    narrow = resample(pcm, SAMPLE_RATE, 8000)
    return resample(g711.decode(g711.encode(narrow, "pcmu"), "pcmu"), 8000, SAMPLE_RATE)


def with_noise(pcm: Int16, seed: int, snr_db: float = 15.0) -> Int16:
    """Pink noise that much below the speech."""
    rng = np.random.default_rng(seed)
    spectrum = np.fft.rfft(rng.standard_normal(len(pcm)))
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 1)), len(pcm))
    speech = pcm.astype(np.float64)
    loud = speech[np.abs(speech) > 0.05 * np.abs(speech).max(initial=1)]
    noise *= np.sqrt(np.mean(loud**2)) / noise.std() * 10 ** (-snr_db / 20)
    return (speech + noise).clip(-32768, 32767).astype(np.int16)


LINES: dict[Line, Callable[[Int16, int], Int16]] = {
    "clean": lambda pcm, _: pcm,
    "telephone": lambda pcm, _: by_telephone(pcm),
    "noise": with_noise,
}


def wordless(folder: Path, first: int) -> Iterator[Clip]:
    """One in four of the sounds of a folder."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix in {".ogg", ".wav", ".flac"})
    for path in paths[first::4]:
        yield Clip("no speech", "", files.read(path))


# ------------------------------------------------------------------------------------------ hearing


def make_engine() -> PairedRecognizer:
    """As the built-in profile ships it."""
    settings = load_settings("builtin", environ={})
    engine = build_engines(settings, MonotonicClock()).recognizer
    if not isinstance(engine, PairedRecognizer):
        raise SystemExit("the built-in profile has one recognizer only")
    return engine


async def hear(
    engine: PairedRecognizer, pcm: Int16, *, alone: bool = False
) -> dict[str, Transcript]:
    """What each way hears; `alone`: pocketsphinx only."""
    if alone:
        return {"pocketsphinx": await transcript(engine.second, pcm, AsrOptions())}
    first = await transcript(engine.first, pcm, AsrOptions(partials=False))
    second = await transcript(engine.second, pcm, AsrOptions())
    chosen = engine.choose(first, second)
    return {"whisper": first, "pocketsphinx": second, "shipped": chosen}


async def transcript(recognizer: Recognizer, sound: Int16, options: AsrOptions) -> Transcript:
    """Frame by frame, never faster than what streams is decoded."""
    utterance = recognizer.open(options)
    try:
        for start in range(0, len(sound), FRAME_SAMPLES):
            utterance.feed(sound[start : start + FRAME_SAMPLES])
            await settle(utterance)
        return await utterance.final()
    finally:
        utterance.cancel()
        await settle(utterance)


async def settle(utterance: Utterance) -> None:
    """Until nothing runs for it."""
    if isinstance(utterance, SphinxUtterance) and utterance.task and not utterance.task.done():
        await asyncio.wait((utterance.task,))


async def cpu_share(recognizer: Recognizer, clips: list[Clip]) -> float:
    """Processor seconds for a second of speech, partials included, fed in real time's order."""
    options = AsrOptions(partials=True)
    began, seconds = time.process_time(), 0.0
    for clip in clips:
        utterance = recognizer.open(options)
        for start in range(0, len(clip.pcm), 12 * FRAME_SAMPLES):
            utterance.feed(clip.pcm[start : start + 12 * FRAME_SAMPLES])
            await asyncio.sleep(0.03)
        await utterance.final()
        utterance.cancel()
        seconds += len(clip.pcm) / SAMPLE_RATE
    return (time.process_time() - began) / seconds


# ------------------------------------------------------------------------------------------- report


Heard = dict[str, Any]
Score = dict[str, dict[str, Tally]]


async def score(
    engine: PairedRecognizer, clips: Iterator[Clip], *, alone: bool = False
) -> tuple[Score, list[Heard]]:
    """By kind of clip and way; and what was heard, clip by clip."""
    found: Score = defaultdict(lambda: defaultdict(Tally))
    lines: list[Heard] = []
    for clip in clips:
        heard = await hear(engine, clip.pcm, alone=alone)
        for way, transcript in heard.items():
            found[clip.kind][way].add(clip, transcript.text)
            if clip.kind in PEOPLE:
                found["people heard as nothing"][way].add(clip, transcript.text)
        lines.append(
            {
                "kind": clip.kind,
                "text": clip.text,
                **{way: [one.text, round(one.confidence, 3)] for way, one in heard.items()},
            }
        )
    return found, lines


async def score_in_sessions(
    service: Service, clips: Iterator[Clip], at_once: int
) -> tuple[Score, list[Heard]]:
    """The same of so many callers at once, each with one clip."""
    found: Score = defaultdict(lambda: defaultdict(Tally))
    lines: list[Heard] = []

    async def call() -> None:
        for clip in clips:
            heard = await hear_in_session(service, clip.pcm)
            found[clip.kind]["session"].add(clip, heard)
            if clip.kind in PEOPLE:
                found["people heard as nothing"]["session"].add(clip, heard)
            lines.append({"kind": clip.kind, "text": clip.text, "session": heard})

    async with asyncio.TaskGroup() as callers:
        for _ in range(at_once):
            callers.create_task(call())
    return found, lines


def word_error_rate(tally: Tally) -> Rate:
    return Rate(tally.errors, tally.words)


FIGURES: dict[str, Callable[[Tally], Rate]] = {
    "words": lambda tally: Rate(tally.exact, tally.clips),
    "no speech": lambda tally: Rate(tally.clips - tally.nothing, tally.clips),
    "people heard as nothing": lambda tally: Rate(tally.nothing, tally.clips),
}
"""What a row shows; any other one shows word errors."""


def print_table(found: Score) -> None:
    """In Markdown."""
    names = [way for way in WAYS if any(way in ways for ways in found.values())]
    print("| set | clips | " + " | ".join(names) + " |")
    print("|---|---|" + "---|" * len(names))
    for kind, ways in found.items():
        figure = FIGURES.get(kind, word_error_rate)
        shown = " | ".join(str(figure(ways[way])) for way in names)
        print(f"| {kind} | {ways[names[0]].clips} | {shown} |")


def write_files(arguments: argparse.Namespace, found: Score, lines: list[Heard]) -> None:
    """Those that were asked for."""
    if arguments.log:
        arguments.log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    if arguments.json:
        plain = {k: {w: asdict(t) for w, t in ways.items()} for k, ways in found.items()}
        arguments.json.write_text(json.dumps(plain, indent=1) + "\n")


async def run_sessions(arguments: argparse.Namespace) -> None:
    service = Service(load_settings("builtin", environ={}))
    try:
        await service.start()
        clips, busy, began = all_clips(arguments), time.process_time(), time.monotonic()
        found, lines = await score_in_sessions(service, clips, arguments.in_session)
        busy, took = time.process_time() - busy, time.monotonic() - began
        print_table(found)
        print(f"session: {busy / took / arguments.in_session:.3f} of a core a caller")
        write_files(arguments, found, lines)
    finally:
        await service.aclose()


async def run(arguments: argparse.Namespace) -> None:
    engine = make_engine()
    await engine.start()
    try:
        found, lines = await score(engine, all_clips(arguments), alone=arguments.alone)
        print_table(found)
        write_files(arguments, found, lines)
        if arguments.cpu:
            clips = list(all_clips(arguments))[:: max(1, arguments.cpu)]
            for name, one in (("whisper", engine.first), ("pocketsphinx", engine.second)):
                print(f"{name}: {await cpu_share(one, clips):.3f} of a core while somebody speaks")
    finally:
        await engine.aclose()


def all_clips(arguments: argparse.Namespace) -> Iterator[Clip]:
    """Everything asked for; what is not there says so."""
    every, first = arguments.every
    yield from itertools.islice(_all(arguments), first, None, every)


def _all(arguments: argparse.Namespace) -> Iterator[Clip]:
    sets = frozenset(arguments.sets.split(","))
    if not sets & PEOPLE:
        pass
    elif (arguments.people / "manifest.jsonl").is_file():
        yield from people(arguments.people, sets, arguments.line)
    else:
        print(f"NOT RUN: people ({arguments.people} has no manifest.jsonl)")
    if "synthetic" in sets:
        yield from synthetic()
    if "noise" not in sets:
        return
    if arguments.noise is not None:
        yield from wordless(arguments.noise, arguments.noise_from)
    else:
        print("NOT RUN: no speech (--noise FOLDER)")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=Path, default=HUMAN)
    parser.add_argument("--sets", default=",".join((*SETS, "synthetic", "noise")))
    parser.add_argument("--line", default="clean", choices=LINES, help="that people speak over")
    parser.add_argument("--noise", type=Path, help="a folder of sounds without speech")
    parser.add_argument("--noise-from", type=int, default=2, choices=range(4))
    parser.add_argument("--every", type=int, nargs=2, default=(1, 0), metavar=("N", "FIRST"))
    parser.add_argument("--alone", action="store_true", help="pocketsphinx only")
    parser.add_argument("--in-session", type=int, metavar="N", help="N callers at once instead")
    parser.add_argument("--cpu", type=int, default=0, help="measure CPU on one clip in so many")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--log", type=Path, help="write what was heard, one clip a line")
    arguments = parser.parse_args()
    if arguments.in_session:
        event_loop.run(run_sessions(arguments))  # as `voicepipe serve` runs
    else:
        asyncio.run(run(arguments))


if __name__ == "__main__":
    main()
