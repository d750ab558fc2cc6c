"""False starts, missed speech, lag and cost of every voice detector, in quiet, noise and on the
telephone band.

python scripts/make_endpoint_people.py PEOPLE --human ../shared/human
python -m scripts.bench_vad --people PEOPLE/quiet --json vad.json
python -m scripts.bench_vad                                  # synthetic voices
python -m scripts.bench_vad --speech my-voice.wav --speech another.flac --engine "gated 3"

`--people`: a folder of marked recordings, as `voicepipe bench endpoint` takes them (rows of
eot-bench, too).
Each detector drives the real dialog with its real thresholds, so a number here is what a
caller would meet. How the figures are defined: docs/vad.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from rich.table import Table

from voicepipe.audio import echo_canceller, files, g711
from voicepipe.audio.echo_canceller import EchoCanceller
from voicepipe.audio.frames import Framer
from voicepipe.audio.pcm import FRAME_MS, SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.config import VadSettings
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.effects import EndTurn, SpeechStarted
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import User
from voicepipe.lab.bench.endpoint import marked
from voicepipe.lab.bench.endpoint.turns import MarkedTurn
from voicepipe.lab.hearing_score import Rate
from voicepipe.ledger.percentiles import percentile
from voicepipe.vad.engines import create_detector

Float = npt.NDArray[np.float64]
Group = Literal["quiet", "soft voice", "white noise", "babble 20 dB", "babble 10-5 dB", "8 kHz"]

DATA = Path(__file__).parents[1] / "tests" / "data"
WARM_UP_MS = 1500  # heard by the detector alone: a call's first second is no measure of the rest
LEAD_MS, TAIL_MS = 1500, 3000  # noise, or silence, around each utterance
NOISE_S = 60  # noise alone, per condition
SPEECH_RMS = 2300.0  # -23 dBFS: conversational level after a microphone's gain control
ROOM_RMS = 8.0  # -72 dBFS: no microphone delivers digital silence
VOICED_DB = -35.0  # quieter than this, below the recording's speech level, is not speech
VOICES_IN_BABBLE = 8
ENDPOINT_MS = 600  # longer than any pause within these sentences
SEED = 1
STEP = SAMPLE_RATE // 100
DYING_MS = 100  # of a marked recording, behind its end


@dataclass(frozen=True)
class Engine:
    """One detector to judge."""

    name: str
    settings: VadSettings
    noise_reduction: bool = False  # libwebrtc's suppressor before it


ENGINES: tuple[Engine, ...] = (
    *(Engine(f"webrtc {m}", VadSettings(engine="webrtc", webrtc_mode=m)) for m in (0, 1, 2, 3)),
    Engine("silero", VadSettings(engine="silero")),
    *(Engine(f"gated {m}", VadSettings(engine="gated", webrtc_mode=m)) for m in (0, 1, 2, 3)),
    Engine("gated 3, noise reduced", VadSettings(engine="gated", webrtc_mode=3), True),
)


@dataclass(frozen=True)
class Clip:
    """An utterance at speech level; `start` and `end` in samples: what is really speech."""

    name: str
    samples: Float
    start: int
    end: int


@dataclass(frozen=True)
class Condition:
    """A place to talk from. `snr_db` None: only the room's own noise."""

    name: str
    group: Group
    noise: Literal["room", "white", "babble"]
    snr_db: float | None = None
    telephone: bool = False  # 8 kHz, mu-law, and back
    gain_db: float = 0.0  # of voice and noise; the room's own noise stays


CONDITIONS = (
    Condition("quiet", "quiet", "room"),
    Condition("soft voice", "soft voice", "room", gain_db=-20),
    Condition("soft voice, white 20 dB", "soft voice", "white", 20, gain_db=-20),
    *(Condition(f"white {snr} dB", "white noise", "white", snr) for snr in (20, 10, 5)),
    Condition("babble 20 dB", "babble 20 dB", "babble", 20),
    *(Condition(f"babble {snr} dB", "babble 10-5 dB", "babble", snr) for snr in (10, 5)),
    Condition("8 kHz", "8 kHz", "room", telephone=True),
    Condition("8 kHz white 10 dB", "8 kHz", "white", 10, telephone=True),
)


# -- material ----------------------------------------------------------------------------------


def load_clip(path: Path) -> Clip:
    """A recording brought to speech level, its speech found by energy in 10 ms steps."""
    samples = files.read(path).astype(np.float64)
    power, speech_power = _powers(samples)
    voiced = np.flatnonzero(power > speech_power * 10 ** (VOICED_DB / 10))
    gain = SPEECH_RMS / np.sqrt(speech_power)
    return Clip(path.name, samples * gain, int(voiced[0]) * STEP, int(voiced[-1] + 1) * STEP)


def marked_clip(turn: MarkedTurn) -> Clip:
    """A recording brought to speech level, its speech where its marks say; nothing behind that but
    what dies away."""
    start, end = (round(ms * SAMPLE_RATE / 1000) for ms in _bounds(turn))
    samples = turn.samples[: end + DYING_MS * SAMPLE_RATE // 1000].astype(np.float64)
    return Clip(turn.name, samples * SPEECH_RMS / np.sqrt(_powers(samples)[1]), start, end)


def people(folder: Path) -> list[Clip]:
    """The marked recordings of a folder. Raises MarkedError, AudioFileError."""
    return [marked_clip(turn) for turn in marked.load(folder)]


def _bounds(turn: MarkedTurn) -> tuple[float, float]:
    return turn.segments[0].start_ms, turn.segments[-1].end_ms


def _powers(samples: Float) -> tuple[Float, float]:
    """Of each 10 ms; and of those that are speech."""
    power = np.square(samples[: samples.size - samples.size % STEP]).reshape(-1, STEP).mean(axis=1)
    return power, float(power[power > power.max() / 1000].mean())


def built_in_clips() -> list[Clip]:
    """The recordings of tests/data that came without noise of their own."""
    paths = []
    for folder in ("questions", "asr"):
        for line in (DATA / folder / "manifest.jsonl").read_text().splitlines():
            entry = json.loads(line)
            if entry["text"] and entry.get("snr_db") is None:
                paths.append(DATA / folder / entry["file"])
    return [load_clip(path) for path in paths]


def make_noise(condition: Condition, size: int, clips: Sequence[Clip], seed: int) -> Float:
    """Noise at the level that gives the condition its SNR."""
    random = np.random.default_rng(seed)
    room = random.normal(0, ROOM_RMS, size)
    if condition.snr_db is None:
        return room
    level = SPEECH_RMS * 10 ** ((condition.gain_db - condition.snr_db) / 20)
    if condition.noise == "white":
        return room + random.normal(0, level, size)
    babble = np.zeros(size)
    for _ in range(VOICES_IN_BABBLE):
        order = random.permutation(len(clips))
        speech = np.concatenate([clips[n].samples[clips[n].start : clips[n].end] for n in order])
        babble += np.resize(np.roll(speech, int(random.integers(speech.size))), size)
    babble *= level / np.sqrt(np.square(babble).mean())
    return room + babble


def frames(condition: Condition, sound: Float) -> list[Int16]:
    """The sound as the audio input get it."""
    samples = np.clip(np.rint(sound), -32768, 32767).astype(np.int16)
    if condition.telephone:
        narrow = resample(samples, SAMPLE_RATE, 8000)
        coded = g711.decode(g711.encode(narrow, "pcmu"), "pcmu")
        samples = resample(coded, 8000, SAMPLE_RATE)
    return list(Framer().push(samples))


@dataclass(frozen=True)
class Scene:
    """Frames to hear, after the warm-up; `start_ms`..`end_ms` is speech, None: noise alone."""

    condition: Condition
    frames: list[Int16]
    start_ms: float | None = None
    end_ms: float | None = None


def scenes(condition: Condition, clips: Sequence[Clip]) -> Iterator[Scene]:
    """Noise alone, then each utterance in it."""
    alone = make_noise(condition, NOISE_S * SAMPLE_RATE, clips, SEED)
    yield Scene(condition, frames(condition, alone))
    lead = (WARM_UP_MS + LEAD_MS) * SAMPLE_RATE // 1000
    for number, clip in enumerate(clips):
        size = lead + clip.samples.size + TAIL_MS * SAMPLE_RATE // 1000
        sound = make_noise(condition, size, clips, SEED + 1 + number)
        sound[lead : lead + clip.samples.size] += clip.samples * 10 ** (condition.gain_db / 20)
        start, end = (LEAD_MS + 1000 * at / SAMPLE_RATE for at in (clip.start, clip.end))
        yield Scene(condition, frames(condition, sound), start, end)


# -- measuring ---------------------------------------------------------------------------------


@dataclass
class Tally:
    """What one detector did over some scenes."""

    noise_ms: float = 0.0
    false_starts: int = 0
    false_speech_ms: float = 0.0  # noise during which the user was taken to speak
    utterances: int = 0
    missed: int = 0
    splits: int = 0  # utterances taken for more than one turn
    never_ended: int = 0  # still "speech" TAIL_MS after the last word
    start_lag_ms: list[float] = field(default_factory=list)
    end_lag_ms: list[float] = field(default_factory=list)
    frames: int = 0
    work_s: float = 0.0


@dataclass(frozen=True)
class Heard:
    """What the dialog made of a scene, times in ms of its audio."""

    starts: tuple[int, ...]  # when it was sure of a start
    ends: tuple[int, ...]  # where it took speech to have ended
    speaking_at: tuple[int, ...]  # ends of the frames during which the user was taken to speak


def noise_reduced(frames: Sequence[Int16]) -> list[Int16]:
    """As `noise_reduction` has them."""
    echo_canceller.load()
    reducer = EchoCanceller(echo=False, noise=True)
    return [reducer.clean(frame, np.zeros_like(frame)) for frame in frames]


def hear(engine: Engine, scene: Scene, tally: Tally) -> Heard:
    """Run one scene through a fresh detector and dialog."""
    detector = create_detector(engine.settings)
    heard = noise_reduced(scene.frames) if engine.noise_reduction else scene.frames
    options = TurnOptions(endpoint_fixed_ms=ENDPOINT_MS, reopen_ms=0)
    dialog = Dialog(options, answers=False)  # nobody answers: the next turn is a new one
    began = time.thread_time()  # CPU time: what else the machine does is no matter
    probabilities = [detector.probability(frame) for frame in heard]
    tally.work_s += time.thread_time() - began
    tally.frames += len(scene.frames)
    starts, ends, speaking = [], [], []
    for probability in probabilities[WARM_UP_MS // FRAME_MS :]:
        for effect in dialog.frame(probability):
            if isinstance(effect, SpeechStarted):
                starts.append(dialog.now_ms)
            elif isinstance(effect, EndTurn):
                ends.append(effect.speech_end_ms)
        if dialog.user is User.SPEAKING:
            speaking.append(dialog.now_ms)
    return Heard(tuple(starts), tuple(ends), tuple(speaking))


def measure(engine: Engine, scene: Scene, tally: Tally) -> None:
    """Add one scene to the tally."""
    heard = hear(engine, scene, tally)
    if scene.start_ms is None or scene.end_ms is None:
        tally.noise_ms += len(scene.frames) * FRAME_MS - WARM_UP_MS
        tally.false_starts += len(heard.starts)
        tally.false_speech_ms += len(heard.speaking_at) * FRAME_MS
        return
    start_ms, end_ms = scene.start_ms, scene.end_ms
    tally.utterances += 1
    tally.noise_ms += start_ms
    tally.false_starts += sum(at < start_ms for at in heard.starts)
    tally.false_speech_ms += sum(at < start_ms for at in heard.speaking_at) * FRAME_MS
    if not any(start_ms <= at <= end_ms for at in heard.speaking_at):
        tally.missed += 1
        return
    inside = [at for at in heard.starts if start_ms <= at <= end_ms]
    if inside:  # else a false start ran into it, and has been counted as one
        tally.start_lag_ms.append(inside[0] - start_ms)
    tally.splits += len(inside) > 1
    after = [at for at in heard.ends if at > end_ms - ENDPOINT_MS]
    if not after:
        tally.never_ended += 1
    tally.end_lag_ms.append(after[0] - end_ms if after else float(TAIL_MS))


def _interval(count: int, of: int) -> str:
    low, high = Rate(count, of).interval
    return f"{100 * low:.1f}-{100 * high:.1f} %"


def summary(tally: Tally) -> dict[str, float | int | str | None]:
    """The tally as figures; None where nothing was measured."""

    def spread(values: Sequence[float], share: float) -> float | None:
        return round(percentile(values, share)) if values else None

    return {
        "false_starts_per_min": round(tally.false_starts / tally.noise_ms * 60_000, 1),
        "noise_as_speech_percent": round(100 * tally.false_speech_ms / tally.noise_ms, 1),
        "utterances": tally.utterances,
        "missed": tally.missed,
        "missed_95_percent": _interval(tally.missed, tally.utterances),
        "split": tally.splits,
        "never_ended": tally.never_ended,
        "never_ended_95_percent": _interval(tally.never_ended, tally.utterances),
        "start_lag_p50_ms": spread(tally.start_lag_ms, 0.5),
        "start_lag_p95_ms": spread(tally.start_lag_ms, 0.95),
        "end_lag_p50_ms": spread(tally.end_lag_ms, 0.5),
        "end_lag_p95_ms": spread(tally.end_lag_ms, 0.95),
        "us_per_frame": round(tally.work_s / tally.frames * 1e6, 1),
    }


def merge(tallies: Iterable[Tally]) -> Tally:
    """All scenes of several tallies."""
    total = Tally()
    for tally in tallies:
        for name, value in vars(tally).items():
            setattr(total, name, getattr(total, name) + value)
    return total


# -- report ------------------------------------------------------------------------------------

COLUMNS = (
    ("false starts/min", "false_starts_per_min"),
    ("noise as speech %", "noise_as_speech_percent"),
    ("missed", "missed"),
    ("split", "split"),
    ("never ended", "never_ended"),
    ("start lag p50", "start_lag_p50_ms"),
    ("p95", "start_lag_p95_ms"),
    ("end lag p50", "end_lag_p50_ms"),
    ("p95", "end_lag_p95_ms"),
    ("us/frame", "us_per_frame"),
)

Results = dict[tuple[str, str], Tally]  # by engine and condition


def table(results: Results, engines: Sequence[Engine], title: str) -> Table:
    """One row per engine and group of conditions."""
    shown = Table(title=f"voice detectors on the dialog, {title} (lags in ms)")
    shown.add_column("engine")
    shown.add_column("sound")
    for column, _ in COLUMNS:
        shown.add_column(column, justify="right")
    for engine in engines:
        groups = defaultdict(list)
        for condition in CONDITIONS:
            groups[condition.group].append(results[engine.name, condition.name])
        for group in get_args(Group):
            figures = summary(merge(groups[group]))
            cells = ["-" if figures[key] is None else str(figures[key]) for _, key in COLUMNS]
            shown.add_row(engine.name, group, *cells, end_section=group == get_args(Group)[-1])
    return shown


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write every condition's figures here"
    )
    parser.add_argument(
        "--speech", type=Path, action="append", default=[], help="use these recordings instead"
    )
    parser.add_argument("--people", type=Path, metavar="DIR", help="marked recordings instead")
    parser.add_argument("--engine", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th recording")
    args = parser.parse_args()
    engines = [e for e in ENGINES if e.name in args.engine] or list(ENGINES)
    if args.people:
        clips = people(args.people)
    else:
        clips = [load_clip(path) for path in args.speech] or built_in_clips()
    clips = clips[:: args.every]
    title = f"{len(clips)} {'people' if args.people else 'recordings'}"
    results: Results = defaultdict(Tally)
    errors = Console(stderr=True)
    for condition in track(CONDITIONS, "listening", console=errors, transient=True):
        for scene in scenes(condition, clips):
            for engine in engines:
                measure(engine, scene, results[engine.name, condition.name])
    if args.json:
        rows = [
            {"engine": e.name, **asdict(c), **summary(results[e.name, c.name])}
            for e in engines
            for c in CONDITIONS
        ]
        args.json.write_text(json.dumps({"utterances": len(clips), "rows": rows}, indent=1) + "\n")
    Console(width=140).print(table(results, engines, title))


if __name__ == "__main__":
    main()
