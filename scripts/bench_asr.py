"""How many people can speak at once before their final transcripts come late: decodes of several
sessions batched against one at a time, in the same run.

python -m scripts.bench_asr
python -m scripts.bench_asr --levels 16,32,64 --seconds 30 --json asr.json
python -m scripts.bench_asr --profile cpu --set asr.workers=2
python -m scripts.bench_asr --priced 15+0.5

Each caller speaks recordings in real time, frame by frame, with partial results, falls silent for
120 ms as before a session's eager end, and waits for the final; then the next one. Every level is
spoken in both modes, in the order A B B A, so that a neighbour's load falls on both. Callers and
engine share this process, kept to `--cores`, as in the server. Look at `late` first: where callers
could not speak in time, the machine was too busy for any of these figures.

With --priced no model runs and time is virtual: a batch takes A ms and B ms for each second of its
windows. That shows what the queue does by itself, the same on every machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from scripts.bench_asr_engines import Engine, PricedEngine, RealEngine
from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.utterance import StreamingUtterance
from voicepipe.asr.windows import frame_energy
from voicepipe.audio import files
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, Int16, silence
from voicepipe.cli.progress import step_progress
from voicepipe.config import Settings
from voicepipe.config.loading import load_settings, parse_assignments
from voicepipe.lab.bench.virtual_time import run_virtual
from voicepipe.ledger.percentiles import percentile
from voicepipe.runtime import event_loop
from voicepipe.runtime.errors import VoicepipeError

RECORDINGS = Path(__file__).parents[1] / "tests" / "data" / "asr"
SOFT_END_MS = 120  # of silence before a final is asked for
QUIET = 0.02  # of the loudest frame: breath and room, not speech
PAUSE_S = 0.3  # of a caller between two recordings
ONE_AT_A_TIME = {"max_batch": 1, "final_window_ms": 0, "partial_window_ms": 0}
LEVELS = "8,16,24,32,48,64,80,96,128,160,192,256"
MODES = ("batched", "one at a time")


@dataclass
class Tally:
    """What the callers of one level saw in one mode; times in ms."""

    finals: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)  # frames, behind their time
    partials: int = 0
    speech_s: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)  # of SchedulerStats
    elapsed_s: float = 0.0
    busy_s: float = 0.0  # CPU of this process; priced: engine time

    def figures(self) -> dict[str, float]:
        """The tally as it is shown and written."""

        def count(name: str) -> int:
            return self.counts[name]

        return {
            "finals": len(self.finals),
            "final_p50_ms": round(percentile(self.finals, 0.5), 1),
            "final_p99_ms": round(percentile(self.finals, 0.99), 1),
            "partials_per_s": round(self.partials / self.speech_s, 2),  # of a caller's speech
            "stale_partials": count("replaced_partials") + count("dropped_partials"),
            "batch_mean": round(count("decodes") / max(count("batches"), 1), 2),
            "busy": round(self.busy_s / self.elapsed_s, 2),
            "late_p99_ms": round(percentile(self.late, 0.99), 1),
        }


async def speak_until(
    ends: float, engine: Engine, speech: Sequence[Int16], seed: int, tally: Tally
) -> None:
    """One caller, until the clock shows `ends`."""
    loop, rng = asyncio.get_running_loop(), random.Random(seed)
    start_s = min(2.0, (ends - loop.time()) / 2)
    await asyncio.sleep(rng.uniform(0, start_s))  # nobody starts with anybody else
    while loop.time() < ends:
        utterance = engine.open(AsrOptions())
        reader = asyncio.create_task(_count_partials(utterance, tally))
        pcm, began = rng.choice(speech), loop.time()
        for number in range(len(pcm) // FRAME_SAMPLES):
            due = began + (number + 1) * FRAME_MS / 1000  # a frame is there once it was spoken
            await asyncio.sleep(due - loop.time())
            tally.late.append((loop.time() - due) * 1000)
            utterance.feed(pcm[number * FRAME_SAMPLES : (number + 1) * FRAME_SAMPLES])
        asked = loop.time()
        await utterance.final()
        tally.finals.append((loop.time() - asked) * 1000)
        tally.speech_s += len(pcm) / SAMPLE_RATE
        utterance.cancel()
        await reader
        await asyncio.sleep(rng.uniform(0.5, 1.5) * PAUSE_S)


async def _count_partials(utterance: StreamingUtterance, tally: Tally) -> None:
    async for _ in utterance.hypotheses():
        tally.partials += 1


async def measure(
    engine: Engine, callers: int, seconds: float, speech: Sequence[Int16], tally: Tally
) -> None:
    """One level in one mode, added to `tally`."""
    before, busy_s = asdict(engine.stats), engine.busy_s()
    now = asyncio.get_running_loop().time
    began = now()
    async with asyncio.TaskGroup() as group:
        for seed in range(callers):
            group.create_task(speak_until(began + seconds, engine, speech, seed, tally))
    tally.elapsed_s += now() - began
    tally.busy_s += engine.busy_s() - busy_s
    after = asdict(engine.stats)
    tally.counts.update({name: after[name] - before[name] for name in after})


async def bench(
    settings: Settings, args: argparse.Namespace, step: Callable[[], None]
) -> list[dict[str, Any]]:
    """All levels, up to the first that is too much for both modes."""
    speech, levels = read_speech(args.folder), list[dict[str, Any]]()
    make = partial(PricedEngine, price=args.priced) if args.priced else RealEngine
    engines = dict(zip(MODES, (make(settings), make(_one_at_a_time(settings))), strict=True))
    try:
        for engine in engines.values():
            await engine.start()
        for callers in args.levels:
            tallies = {mode: Tally() for mode in MODES}
            for mode in (*MODES, *reversed(MODES)):
                await measure(engines[mode], callers, args.seconds / 2, speech, tallies[mode])
                step()
            figures = {mode: tally.figures() for mode, tally in tallies.items()}
            levels.append({"callers": callers, **figures})
            if all(one["final_p99_ms"] > args.bound for one in figures.values()):
                break
    finally:
        for engine in engines.values():
            await engine.aclose()
    return levels


def _one_at_a_time(settings: Settings) -> Settings:
    return settings.model_copy(update={"asr": settings.asr.model_copy(update=ONE_AT_A_TIME)})


def read_speech(folder: Path) -> list[Int16]:
    """The clean recordings with words of a folder's manifest, each up to its last sound and with
    the silence of a eager end."""
    entries = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    clips = [
        files.read(folder / entry["file"], SAMPLE_RATE)
        for entry in entries
        if entry["text"] and entry.get("snr_db") is None
    ]
    return [np.concatenate([_up_to_last_sound(clip), silence(SOFT_END_MS)]) for clip in clips]


def _up_to_last_sound(clip: Int16) -> Int16:
    level = np.sqrt(frame_energy(clip))
    last = int(np.flatnonzero(level > level.max() * QUIET)[-1])
    return clip[: (last + 1) * FRAME_SAMPLES]


def summary(levels: Sequence[dict[str, Any]], bound_ms: float) -> dict[str, Any]:
    """The most callers whose final p99 keeps the bound, per mode; every level below kept it too."""
    kept = dict.fromkeys(MODES, 0)
    for mode in MODES:
        for level in levels:
            if level[mode]["final_p99_ms"] > bound_ms:
                break
            kept[mode] = level["callers"]
    batched, single = (kept[mode] for mode in MODES)
    ratio = round(batched / single, 2) if single else None
    return {"bound_ms": bound_ms, "callers": kept, "ratio": ratio}


def table(levels: Sequence[dict[str, Any]]) -> Table:
    """One row per level and mode."""
    shown = Table(title="finals under load, ms")
    shown.add_column("callers", justify="right")
    shown.add_column("mode")
    for name in levels[0][MODES[0]]:
        shown.add_column(name.removesuffix("_ms").replace("_", " "), justify="right")
    for level in levels:
        for mode in MODES:
            shown.add_row(str(level["callers"]), mode, *map(str, level[mode].values()))
    return shown


def setup(settings: Settings, args: argparse.Namespace) -> dict[str, Any]:
    """What the figures were measured with."""
    cores = sorted(os.sched_getaffinity(0))[: args.cores]
    os.sched_setaffinity(0, cores)
    return {
        "profile": settings.profile,
        "asr": settings.asr.model_dump(mode="json", exclude={"fallback"}),
        "cores": len(cores),
        "seconds": args.seconds,
        "priced_ms": args.priced,
        "load_average_before": os.getloadavg()[0],
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--levels", default=LEVELS, help="callers at once")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each level in each mode")
    parser.add_argument("--bound", type=float, default=150.0, help="final p99 to keep, ms")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument(
        "--folder", type=Path, default=RECORDINGS, help="recordings, manifest.jsonl"
    )
    parser.add_argument("--priced", metavar="A+B", help="no model: ms a batch + ms a second")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    args = parser.parse_args()
    try:
        args.levels = sorted({int(level) for level in args.levels.split(",")})
    except ValueError:
        parser.error(f"--levels: numbers with commas between, not {args.levels!r}")
    if args.levels[0] < 1 or args.seconds < 2 or args.cores < 1:
        parser.error("levels and cores begin at 1, --seconds at 2")
    if args.priced:
        try:
            batch_ms, second_ms = map(float, args.priced.split("+"))
        except ValueError:
            parser.error(f"--priced: two numbers of ms, such as 15+0.5, not {args.priced!r}")
        args.priced = (batch_ms, second_ms)
    return args


def main() -> None:
    """Parse the command line, measure, print."""
    args = arguments()
    try:
        settings = load_settings(args.profile, None, {}, parse_assignments(args.set))
        about = setup(settings, args)
        with step_progress("speaking", len(args.levels) * len(MODES) * 2) as step:
            run = run_virtual if args.priced else event_loop.run
            levels = run(bench(settings, args, step))
    except VoicepipeError as error:
        raise SystemExit(f"error: {error}") from None
    found = summary(levels, args.bound)
    if args.json:
        written = {"setup": about, "levels": levels, "summary": found}
        args.json.write_text(json.dumps(written, indent=1) + "\n")
    console = Console(width=150)
    console.print(table(levels))
    kept = ", ".join(
        f"{'at least ' if most == args.levels[-1] else ''}{most} callers {mode}"
        for mode, most in found["callers"].items()
    )
    console.print(
        f"final p99 <= {args.bound:g} ms on {about['cores']} cores: {kept} (ratio {found['ratio']})"
        f"; load average before: {about['load_average_before']:.1f}"
    )


if __name__ == "__main__":
    main()
