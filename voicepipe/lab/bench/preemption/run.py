"""Real sessions on marked recordings, in virtual time, on engines that cost nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_16K
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, Int16
from voicepipe.config import AnticipationSettings, FillerSettings, Settings
from voicepipe.lab.bench.endpoint import replay
from voicepipe.lab.bench.endpoint.turns import MarkedTurn
from voicepipe.lab.bench.preemption.metered import Made, Meter, MeteredModel, MeteredSynthesizer
from voicepipe.lab.bench.preemption.recognizer import MarkedRecognizer
from voicepipe.lab.bench.preemption.script import Script
from voicepipe.lab.bench.virtual_time import LoopClock, run_virtual
from voicepipe.ledger.log import TurnLog
from voicepipe.ledger.records import TurnRecord
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.engines import Engines
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings

ANSWERED_MS = 60_000
"""After a recording's end the answer has been played by then at the latest."""

MAX_ITEMS = 1_000_000  # of one conversation

_SILENCE: Int16 = np.zeros(FRAME_SAMPLES, dtype=np.int16)


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of one marked turn."""

    name: str
    voice_to_voice_ms: float | None  # from its true end to the first answer sample; None: never
    records: tuple[TurnRecord, ...]  # the ledger's, one for each turn that the session made of it


@dataclass(slots=True)
class Course:
    """One speaker's session."""

    turns: list[Answered] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)  # by the engines, for each reply


def hold(speaker: replay.Session, settings: Settings, on_turn: Callable[[], None]) -> Course:
    """One speaker's turns as one session under `settings`, whose `simulated` section says how long
    the engines take. Each turn begins when the answer to the one before has been played.
    """
    return run_virtual(_hold(speaker, settings, on_turn))


async def _hold(speaker: replay.Session, settings: Settings, on_turn: Callable[[], None]) -> Course:
    settings = _as_measured(settings)
    script, meter, simulated = Script(), Meter(), settings.simulated
    engines = Engines(
        recognizer=MarkedRecognizer(script, settings),
        model=MeteredModel(simulated, meter),
        synthesizer=MeteredSynthesizer(simulated, meter),
        new_detector=lambda: script,
    )
    wanted = SessionSettings(
        turn_events=True,
        language=speaker[0].turn.language,
        input_format=PCM_16K,
        output_format=PCM_16K,
    )
    session = Session(engines, settings, wanted, LoopClock(), TurnLog())
    caller = _Caller(session, script)
    collector = asyncio.create_task(caller.collect(), name="collect")
    try:
        turns = []
        for heard in speaker:
            turns.append(await caller.take_turn(heard))
            on_turn()
    finally:
        await session.aclose()
        await collector
    return Course(turns, meter.replies)


def _as_measured(settings: Settings) -> Settings:
    """Nothing that would count as work for an answer and is none: no filler, no "uh-huh", nothing
    made ready in idle time. And room for any number of turns."""
    return settings.model_copy(
        update={
            "filler": FillerSettings(after_ms=0),
            "turns": replace(settings.turns, listening_after_ms=0),
            "anticipation": AnticipationSettings(),
            "limits": settings.limits.model_copy(update={"max_items": MAX_ITEMS}),
        }
    )


class _Caller:
    """Speaks recordings in real time and waits for the answers."""

    def __init__(self, session: Session, script: Script) -> None:
        self._session = session
        self._script = script
        self._clock = LoopClock()
        self._began = self._clock.now()
        self._records: list[TurnRecord] = []
        self._first_audio: dict[str, float] = {}  # of each response: when

    async def collect(self) -> None:
        """Take the session's events until it ends."""
        while (event := await self._session.outbox.get()) is not None:
            self._session.sent(event)
            match event:
                case ev.AudioDelta(ref, answer=True):
                    self._first_audio.setdefault(ref.response_id, self._clock.now())
                case ev.TurnMeasured(record):
                    self._records.append(record)
                case _:
                    pass

    async def take_turn(self, heard: replay.Heard) -> Answered:
        """Speak one recording; returns when all that came of it is over."""
        turn, before = heard.turn, len(self._records)
        ends_ms = self._script.position_ms + turn.end_ms
        self._script.begin(turn)
        for frame, probability in zip(_frames(turn), heard.probabilities, strict=True):
            await self._send(frame, probability)
        for _ in range(ANSWERED_MS // FRAME_MS):
            await self._send(_SILENCE, 0.0)
            if self._session.at_rest:
                break
        else:
            raise VoicepipeError(f"{turn.name}: no end of its answer within {ANSWERED_MS} ms")
        records = tuple(self._records[before:])
        return Answered(turn.name, self._voice_to_voice_ms(records, ends_ms), records)

    async def _send(self, frame: Int16, probability: float) -> None:
        """One frame, when its last sample has been spoken."""
        self._script.position_ms += FRAME_MS
        self._script.voiced = probability
        due = self._began + self._script.position_ms / 1000
        await asyncio.sleep(max(0.0, due - self._clock.now()))
        self._session.handle(cmd.AppendAudio(pcm.to_bytes(frame)))

    def _voice_to_voice_ms(self, records: Iterable[TurnRecord], ends_ms: float) -> float | None:
        ended = self._began + ends_ms / 1000
        for record in reversed(tuple(records)):
            at = self._first_audio.get(record.response_id)
            if at is not None and at >= ended:
                return (at - ended) * 1000
        return None


def _frames(turn: MarkedTurn) -> Int16:
    whole: Int16 = turn.samples[: turn.samples.size // FRAME_SAMPLES * FRAME_SAMPLES]
    return whole.reshape(-1, FRAME_SAMPLES)
