"""How soon the agent falls silent when the user speaks, and what a false alarm costs.

python scripts/make_endpoint_people.py PEOPLE --human ../shared/human
python -m scripts.bench_barge_in --people PEOPLE/quiet --json barge_in.json
python -m scripts.bench_barge_in                              # synthetic voices
python -m scripts.bench_barge_in --set telephony.turns.pause_ms=40

The whole server side runs: audio input, the real voice detector, dialog, reply, output and a sink
that plays 20 ms of audio in 20 ms. Time is virtual, so that a busy machine changes no figure; audio
arrives in frames, each when its last sample has been spoken. Recognizer and voice are simulated:
no figure here needs a transcript, and none comes with one (what words add is in docs/barge-in.md).
The agent speaks with the voices of the other recordings. Rows of the telephone come twice: as the
line is, and with the agent's own voice taken out of what decides (`audio.echo_cancellation`).
Telephone sound is heard with the turn options of calls (`telephony.turns`), the rest with `turns`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scripts import bench_vad as sound
from scripts.echo_line import Echo, Line, RecordedVoice
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.audio import echo_canceller, pcm
from voicepipe.audio.formats import PCM_16K, PCMU_8K
from voicepipe.audio.pcm import FRAME_MS, SAMPLE_RATE, Int16
from voicepipe.config import GreetingSettings, LatencySettings, Settings, SimulatedSettings
from voicepipe.config.loading import load_settings, parse_assignments
from voicepipe.lab.bench.virtual_time import LoopClock, run_virtual
from voicepipe.lab.hearing_score import Rate
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
from voicepipe.vad.engines import create_detector

LEAD_MS = 200.0  # as much as a carrier is given
MONOLOGUE = "And so the agent goes on, and on, and on, telling of one thing after another. " * 12
NO_WORDS = SimulatedSettings(asr=LatencySettings(mean_ms=50), transcript="")
NOISES = ("click", "knock", "cough", "keys")
TELEPHONE = next(c for c in sound.CONDITIONS if c.name == "8 kHz")
LINE = replace(TELEPHONE, telephone=False)  # the caller's end of it


ECHOES = (
    *(Echo(30), Echo(40), Echo(20), Echo(20, 20), Echo(20, 60)),
    *(Echo(20, clip=4000), Echo(30, jump_ms=80), Echo(30, drift_ppm=100)),
)
CANCELLED = ", cancelled"
OVERLAP_MS = 500  # at which precision and recall are asked for
VOICE_S = 30  # of the agent's, before it says the same again


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
    users: int = 0  # who spoke over the agent
    heeded: int = 0  # ... and it was silent OVERLAP_MS after their first sound
    unheeded_silences: int = 0  # it was so long silent over nobody

    def add(self, other: Tally) -> None:
        """Take in what another has counted."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


class Listener:
    """Hears the agent and notes when it is silent."""

    def __init__(self, clock: LoopClock, line: Line | None) -> None:
        self._clock, self._line = clock, line
        self.sink = TimedSink(clock, LEAD_MS, self._take, self._clear)
        self.held_at: list[float] = []
        self.resumed_at: list[float] = []

    def _take(self, data: bytes) -> None:
        if self._line is not None:
            self._line.play(data)
        if len(self.held_at) > len(self.resumed_at):
            self.resumed_at.append(self._clock.now())

    def _clear(self) -> None:
        if self._line is not None:
            self._line.clear()
        if len(self.held_at) == len(self.resumed_at):
            self.held_at.append(self._clock.now())


@dataclass(frozen=True)
class Talk:
    """What is heard while the agent speaks. `speech`: when the user does, ms from the first frame;
    `voice`: the agent's, int16 [n], 16 kHz; `echo`: what the line returns of it."""

    frames: Sequence[Int16]
    speech: tuple[float, float] | None
    voice: Int16
    phone: bool  # a call, with the turn options of calls, over a line
    echo: Echo | None = None


async def listen(talk: Talk, settings: Settings, seed: int = 0) -> Tally:
    """The agent speaks all the while."""
    clock, tally = LoopClock(), Tally(scenes=1)
    line = Line(talk.echo, seed) if talk.phone else None
    listener = Listener(clock, line)
    engines = Engines(
        recognizer=SimulatedRecognizer(NO_WORDS),
        model=SimulatedModel(NO_WORDS),
        synthesizer=RecordedVoice(talk.voice),
        new_detector=lambda: create_detector(settings.vad),
    )
    await engines.start()
    session = Session(
        engines, settings, _wire(settings, talk), clock, TurnLog(), sink=listener.sink
    )
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
    for number, frame in enumerate(talk.frames, 1):
        await asyncio.sleep(began + number * FRAME_MS / 1000 - clock.now())
        heard = frame if line is None else line.frame(frame)
        session.handle(cmd.AppendAudio(pcm.to_bytes(heard)))
        if interrupted:
            break
    await asyncio.sleep(0)
    await session.aclose()
    await reader
    await engines.aclose()
    all_ms = len(talk.frames) * FRAME_MS
    _count(tally, listener, judged, interrupted, began, all_ms, talk.speech)
    return tally


def _wire(settings: Settings, talk: Talk) -> SessionSettings:
    turns, calls = settings.turns, settings.telephony.turns
    return SessionSettings(
        input_format=PCM_16K,
        output_format=PCMU_8K if talk.phone else PCM_16K,
        turns=phone_turns(turns, calls) if talk.phone else turns,
        telephone=talk.phone,
    )


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
    silences = _silences(held, [ms(at) for at in listener.resumed_at], all_ms)
    tally.unheeded_silences += sum(
        begin < start_ms and min(end, start_ms) - begin >= OVERLAP_MS for begin, end in silences
    )
    tally.alone_ms += min(start_ms, ms(interrupted[0]) if interrupted else all_ms)
    for at, resumed, verdict in zip(held, listener.resumed_at, judged, strict=False):
        if at < start_ms:
            tally.gaps.append(ms(resumed) - at)
            tally.resumed_after.append((resumed - verdict) * 1000)
    early = bool(interrupted) and ms(interrupted[0]) < start_ms
    tally.false_interrupts += early
    if speech is None or early:
        return
    tally.users += 1
    at_ms = start_ms + OVERLAP_MS
    tally.heeded += any(begin <= at_ms < end for begin, end in silences)
    if not interrupted:
        tally.missed += 1
        return
    tally.told_after.append(ms(interrupted[0]) - start_ms)
    # Held already when the user began (a false alarm): silent from the first word on.
    tally.silent_after.append(
        min(max(0.0, begin - start_ms) for begin, end in silences if end > start_ms)
    )


def _silences(
    held: Sequence[float], resumed: Sequence[float], all_ms: float
) -> list[tuple[float, float]]:
    """From when to when the agent was silent, ms; the last time for good, if interrupted."""
    ends = [*resumed, *([all_ms + OVERLAP_MS] * (len(held) - len(resumed)))]
    return list(zip(held, ends, strict=True))


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


def voice_of(clips: Sequence[sound.Clip], but: int | None = None) -> Int16:
    """An agent who speaks with the recordings after one of them; int16 [n]."""
    size = VOICE_S * SAMPLE_RATE
    parts: list[sound.Float] = []
    number = 0 if but is None else but + 1
    while sum(part.size for part in parts) < size:
        clip = clips[number % len(clips)]
        parts.append(clip.samples[clip.start : clip.end])
        number += 1
    return _as_int16(np.concatenate(parts)[:size])


def echoes(echo: Echo, clips: Sequence[sound.Clip]) -> Iterator[Talk]:
    """One reply after the other, each a call of its own: each recording once, as the agent's."""
    lead = np.zeros(sound.WARM_UP_MS * SAMPLE_RATE // 1000)
    for number, clip in enumerate(clips):
        reply = np.concatenate((lead, clip.samples[: clip.end]))
        silent = sound.make_noise(LINE, reply.size, clips, sound.SEED + 1 + number)
        yield Talk(sound.frames(LINE, silent), None, _as_int16(reply), True, echo)


def spoken_over(
    condition: sound.Condition, clips: Sequence[sound.Clip], echo: Echo | None = None
) -> Iterator[Talk]:
    """Each recording over the agent's speech."""
    plain = replace(condition, telephone=False)  # what makes it one is the line
    for number, scene in enumerate(sound.scenes(plain, clips), -1):
        if scene.start_ms is not None and scene.end_ms is not None:
            times = (scene.start_ms + sound.WARM_UP_MS, scene.end_ms + sound.WARM_UP_MS)
            voice = voice_of(clips, number)
            yield Talk(scene.frames, times, voice, condition.telephone, echo)


def _as_int16(samples: sound.Float) -> Int16:
    return np.clip(np.rint(samples), -32768, 32767).astype(np.int16)


# -- report ------------------------------------------------------------------------------------


def summary(tally: Tally) -> dict[str, float | int | str | None]:
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
        "recall_at_500": str(Rate(tally.heeded, tally.users)) if tally.users else None,
        "silent_for_nothing_500": tally.unheeded_silences,
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


def measure(settings: Settings, clips: Sequence[sound.Clip], only: str = "") -> dict[str, Tally]:
    """All kinds of sound, or those whose names hold `only`; a progress bar meanwhile."""
    rows: dict[str, Tally] = {}
    conditions = [c for c in sound.CONDITIONS if c.group not in ("babble 10-5 dB", "soft voice")]
    console = Console(stderr=True)

    def add(name: str, talks: Iterable[Talk], phone: bool) -> None:
        for talk in talks if only in name else ():
            for ending, chosen in _ears(settings, phone):
                heard = run_virtual(listen(talk, chosen, len(rows)))
                rows.setdefault(name + ending, Tally()).add(heard)

    for condition in track(conditions, "listening", console=console, transient=True):
        add(condition.name, spoken_over(condition, clips), condition.telephone)
    quiet = [one for name, one in rows.items() if "babble" not in name and CANCELLED not in name]
    rows["all but babble"] = together(quiet)
    for ending, _ in _ears(settings, True):
        calls = [rows.get(c.name + ending, Tally()) for c in conditions if c.telephone]
        rows["all 8 kHz" + ending] = together(calls)
    for number, kind in enumerate(NOISES):
        made = noises(kind, 60, number)
        add(kind, [Talk(made, None, voice_of(clips), phone=False)], False)
        add(f"8 kHz {kind}", [Talk(made, None, voice_of(clips), phone=True)], True)
    for echo in track(ECHOES, "echoes", console=console, transient=True):
        add(echo.name, echoes(echo, clips), True)
    for echo in track(ECHOES[:3], "over echoes", console=console, transient=True):
        add(f"spoken over {echo.name}", spoken_over(TELEPHONE, clips, echo), True)
    return {name: tally for name, tally in rows.items() if tally.scenes}


def _ears(settings: Settings, phone: bool) -> list[tuple[str, Settings]]:
    """How a row's name ends, and what it is heard with."""
    if not phone:
        return [("", settings)]
    raw = settings.audio.model_copy(update={"echo_cancellation": "off"})
    return [("", settings.model_copy(update={"audio": raw})), (CANCELLED, settings)]


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
    parser.add_argument("--people", type=Path, metavar="DIR", help="marked recordings instead")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th recording")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose names hold this")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    args = parser.parse_args()
    try:
        settings = load_settings(None, None, {}, parse_assignments(args.set))
    except ConfigError as error:
        parser.error(str(error))
    sound.SEED = args.seed
    clips = sound.people(args.people) if args.people else sound.built_in_clips()
    clips = clips[:: args.every]
    echo_canceller.load()
    greeting = GreetingSettings(text=MONOLOGUE)
    rows = measure(
        settings.model_copy(update={"greeting": greeting, "simulated": NO_WORDS}), clips, args.only
    )
    if args.json:
        figures = {name: summary(tally) for name, tally in rows.items()}
        args.json.write_text(json.dumps(figures, indent=1) + "\n")
    Console(width=200).print(table(rows))


if __name__ == "__main__":
    main()
