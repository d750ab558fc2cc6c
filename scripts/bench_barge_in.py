"""How soon the agent falls silent when the user speaks, and what a false alarm costs.

python -m scripts.bench_barge_in
python -m scripts.bench_barge_in --json barge_in.json
python -m scripts.bench_barge_in --set telephony.turns.pause_ms=40

The whole server side runs: audio input, the real voice detector, dialog, reply, output and a sink
that plays 20 ms of audio in 20 ms. Time is virtual, so that a busy machine changes no figure; audio
arrives in frames, each when its last sample has been spoken. Recognizer and voice are simulated:
no figure here needs a transcript, and none comes with one (what words add is in docs/barge-in.md).
Telephone sound is heard with the turn options of calls (`telephony.turns`), the rest with `turns`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scripts import bench_vad as sound
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_16K
from voicepipe.audio.pcm import FRAME_MS, SAMPLE_RATE, Int16
from voicepipe.config import GreetingSettings, LatencySettings, Settings, SimulatedSettings
from voicepipe.config.loading import load_settings, parse_assignments
from voicepipe.lab.bench.virtual_time import LoopClock, run_virtual
from voicepipe.lab.timed_sink import TimedSink
from voicepipe.ledger.log import TurnLog
from voicepipe.ledger.percentiles import percentile
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.telephony.phone_settings import phone_turns
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.engines import Engines
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings
from voicepipe.tts.engines.simulated import SimulatedSynthesizer
from voicepipe.vad.engines import create_detector

LEAD_MS = 200.0  # as much as a carrier is given
MONOLOGUE = "And so the agent goes on, and on, and on, telling of one thing after another. " * 12
NO_WORDS = SimulatedSettings(asr=LatencySettings(mean_ms=50), transcript="")
NOISES = ("click", "knock", "cough", "keys")
TELEPHONE = next(c for c in sound.CONDITIONS if c.name == "8 kHz")


@dataclass(frozen=True)
class Echo:
    """The agent's own voice, coming back from the far end of a telephone line."""

    loss_db: float  # under the level of speech
    burst_ms: int | None = None  # an echo canceller lets through so much, twice a second; None: all

    @property
    def name(self) -> str:
        """Of its row."""
        bursts = "" if self.burst_ms is None else f" {self.burst_ms} ms bursts"
        return f"echo -{self.loss_db:g} dB{bursts}"


ECHOES = (Echo(30), Echo(40), Echo(20, 20), Echo(20, 60))


@dataclass
class Tally:
    """What the agent did over some scenes, ms."""

    scenes: int = 0
    silent_after: list[float] = field(default_factory=list)  # the user began to speak
    told_after: list[float] = field(default_factory=list)  # ... until it was an interruption
    missed: int = 0  # spoken over to the end
    gaps: list[float] = field(default_factory=list)  # a false alarm's silence
    resumed_after: list[float] = field(default_factory=list)  # its judgement
    false_interrupts: int = 0
    alone_ms: float = 0.0  # nobody spoke but the agent

    def add(self, other: Tally) -> None:
        """Take in what another has counted."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


class Listener:
    """Hears the agent and notes when it is silent."""

    def __init__(self, clock: LoopClock) -> None:
        self._clock = clock
        self.sink = TimedSink(clock, LEAD_MS, self._take, self._clear)
        self.held_at: list[float] = []
        self.resumed_at: list[float] = []

    def _take(self, data: bytes) -> None:
        if len(self.held_at) > len(self.resumed_at):
            self.resumed_at.append(self._clock.now())

    def _clear(self) -> None:
        if len(self.held_at) == len(self.resumed_at):
            self.held_at.append(self._clock.now())


async def listen(
    frames: Sequence[Int16], speech: tuple[float, float] | None, settings: Settings, phone: bool
) -> Tally:
    """The agent speaks all the while; `speech`: when the user does, ms from the first frame;
    `phone`: with the turn options of calls."""
    clock, tally = LoopClock(), Tally(scenes=1)
    listener = Listener(clock)
    engines = Engines(
        recognizer=SimulatedRecognizer(NO_WORDS),
        model=SimulatedModel(NO_WORDS),
        synthesizer=SimulatedSynthesizer(NO_WORDS),
        new_detector=lambda: create_detector(settings.vad),
    )
    await engines.start()
    turns = phone_turns(settings.turns, settings.telephony.turns) if phone else settings.turns
    wire = SessionSettings(input_format=PCM_16K, output_format=PCM_16K, turns=turns)
    session = Session(engines, settings, wire, clock, TurnLog(), sink=listener.sink)
    judged: list[float] = []
    interrupted: list[float] = []

    async def read() -> None:
        while (event := await session.outbox.get()) is not None:
            if isinstance(event, ev.OutputResumed):
                judged.append(clock.now())
            elif isinstance(event, ev.SpeechStarted):
                interrupted.append(clock.now())

    reader = asyncio.create_task(read())
    session.greet()
    began = clock.now()
    for number, frame in enumerate(frames, 1):
        await asyncio.sleep(began + number * FRAME_MS / 1000 - clock.now())
        session.handle(cmd.AppendAudio(pcm.to_bytes(frame)))
        if interrupted:
            break
    await asyncio.sleep(0)
    await session.aclose()
    await reader
    await engines.aclose()
    _count(tally, listener, judged, interrupted, began, len(frames) * FRAME_MS, speech)
    return tally


def _count(
    tally: Tally,
    listener: Listener,
    judged: Sequence[float],
    interrupted: Sequence[float],
    began: float,
    all_ms: float,
    speech: tuple[float, float] | None,
) -> None:
    def ms(at: float) -> float:
        return (at - began) * 1000

    start_ms = all_ms if speech is None else speech[0]
    held = [ms(at) for at in listener.held_at]
    tally.alone_ms += min(start_ms, ms(interrupted[0]) if interrupted else all_ms)
    for at, resumed, verdict in zip(held, listener.resumed_at, judged, strict=False):
        if at < start_ms:
            tally.gaps.append(ms(resumed) - at)
            tally.resumed_after.append((resumed - verdict) * 1000)
    early = bool(interrupted) and ms(interrupted[0]) < start_ms
    tally.false_interrupts += early
    if speech is None or early:
        return
    if not interrupted:
        tally.missed += 1
        return
    tally.told_after.append(ms(interrupted[0]) - start_ms)
    # Held already when the user began (a false alarm): silent from the first word on.
    tally.silent_after.append(max(0.0, held[-1] - start_ms))


# -- material ----------------------------------------------------------------------------------


def noises(
    kind: str, seconds: int, seed: int, condition: sound.Condition = sound.CONDITIONS[0]
) -> list[Int16]:
    """Sounds that are no speech, one every two seconds, over the room's own noise."""
    random = np.random.default_rng(seed)
    size = seconds * SAMPLE_RATE
    samples = random.normal(0, sound.ROOM_RMS, size)
    for start in range(SAMPLE_RATE * 2, size - SAMPLE_RATE, SAMPLE_RATE * 2):
        for at, length_ms, level in _strokes(kind, random):
            first, count = start + at * SAMPLE_RATE // 1000, length_ms * SAMPLE_RATE // 1000
            burst = random.normal(0, level, count) * np.exp(-4 * np.arange(count) / count)
            if kind == "knock":
                burst = (
                    4 * level * np.sin(np.arange(count) * 0.06) * np.exp(-np.arange(count) / 300)
                )
            samples[first : first + count] += burst
    return sound.frames(condition, samples)


def _strokes(kind: str, random: np.random.Generator) -> list[tuple[int, int, float]]:
    """(offset ms, length ms, RMS) of the bursts that make one such sound."""
    if kind == "click":
        return [(0, 4, 6000.0)]
    if kind == "knock":
        return [(0, 60, 2500.0), (180, 60, 2500.0)]
    if kind == "cough":
        return [(0, 180, 4000.0), (240, 140, 2500.0)]
    return [(int(random.integers(0, 900)), 8, 2500.0) for _ in range(6)]


def echoes(echo: Echo, clips: Sequence[sound.Clip]) -> Iterator[list[Int16]]:
    """One reply after the other as the line returns it: each recording once, as the agent's."""
    random = np.random.default_rng(sound.SEED)
    lead = sound.WARM_UP_MS * SAMPLE_RATE // 1000
    for number, clip in enumerate(clips):
        returned = clip.samples * 10 ** (-echo.loss_db / 20)
        if echo.burst_ms is not None:
            passes = np.zeros(returned.size)
            for start in range(clip.start, clip.end, SAMPLE_RATE // 2):
                first = start + int(random.integers(SAMPLE_RATE // 3))
                passes[first : first + echo.burst_ms * SAMPLE_RATE // 1000] = 1
            returned *= passes
        samples = sound.make_noise(TELEPHONE, lead + returned.size, clips, sound.SEED + 1 + number)
        samples[lead:] += returned
        yield sound.frames(TELEPHONE, samples)


# -- report ------------------------------------------------------------------------------------


def summary(tally: Tally) -> dict[str, float | int | None]:
    """The tally as figures; None where nothing was measured."""

    def at(values: Sequence[float], share: float) -> float | None:
        return round(percentile(values, share)) if values else None

    return {
        "scenes": tally.scenes,
        "silent_p50_ms": at(tally.silent_after, 0.5),
        "silent_p95_ms": at(tally.silent_after, 0.95),
        "silent_p99_ms": at(tally.silent_after, 0.99),
        "told_p50_ms": at(tally.told_after, 0.5),
        "missed": tally.missed,
        "holds_per_min": round(len(tally.gaps) / tally.alone_ms * 60_000, 1),
        "held_s_per_min": round(sum(tally.gaps) / tally.alone_ms * 60, 2),
        "gap_p50_ms": at(tally.gaps, 0.5),
        "gap_max_ms": at(tally.gaps, 1.0),
        "resume_p99_ms": at(tally.resumed_after, 0.99),
        "false_interrupts": tally.false_interrupts,
    }


def table(rows: dict[str, Tally]) -> Table:
    """One row per kind of sound."""
    shown = Table(title="barge-in, from the user's first sound, ms")
    shown.add_column("sound")
    for name in summary(Tally(alone_ms=1)):
        shown.add_column(name.removesuffix("_ms").replace("_", " "), justify="right")
    for name, tally in rows.items():
        shown.add_row(name, *("-" if v is None else str(v) for v in summary(tally).values()))
    return shown


def measure(settings: Settings) -> dict[str, Tally]:
    """All kinds of sound, a progress bar meanwhile."""
    clips = sound.built_in_clips()
    rows: dict[str, Tally] = {}
    conditions = [c for c in sound.CONDITIONS if c.group not in ("babble 10-5 dB", "soft voice")]
    console = Console(stderr=True)
    for condition in track(conditions, "listening", console=console, transient=True):
        rows[condition.name] = tally = Tally()
        for scene in sound.scenes(condition, clips):
            if scene.start_ms is not None and scene.end_ms is not None:
                times = (scene.start_ms + sound.WARM_UP_MS, scene.end_ms + sound.WARM_UP_MS)
                heard = listen(scene.frames, times, settings, condition.telephone)
                tally.add(run_virtual(heard))
    rows["all but babble"] = together(one for name, one in rows.items() if "babble" not in name)
    rows["all 8 kHz"] = together(rows[c.name] for c in conditions if c.telephone)
    for number, kind in enumerate(NOISES):
        rows[kind] = run_virtual(listen(noises(kind, 60, number), None, settings, phone=False))
        narrow = noises(kind, 60, number, TELEPHONE)
        rows[f"8 kHz {kind}"] = run_virtual(listen(narrow, None, settings, phone=True))
    for echo in track(ECHOES, "echoes", console=console, transient=True):
        rows[echo.name] = together(
            run_virtual(listen(frames, None, settings, phone=True))
            for frames in echoes(echo, clips)
        )
    return rows


def together(tallies: Iterable[Tally]) -> Tally:
    """Their sum."""
    total = Tally()
    for tally in tallies:
        total.add(tally)
    return total


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--seed", type=int, default=sound.SEED, help="other noise, same voices")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    args = parser.parse_args()
    try:
        settings = load_settings(None, None, {}, parse_assignments(args.set))
    except ConfigError as error:
        parser.error(str(error))
    sound.SEED = args.seed
    greeting = GreetingSettings(text=MONOLOGUE)
    rows = measure(settings.model_copy(update={"greeting": greeting, "simulated": NO_WORDS}))
    if args.json:
        figures = {name: summary(tally) for name, tally in rows.items()}
        args.json.write_text(json.dumps(figures, indent=1) + "\n")
    Console(width=170).print(table(rows))


if __name__ == "__main__":
    main()
