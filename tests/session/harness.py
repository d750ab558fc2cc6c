"""A session on simulated engines in virtual time, with a user who can speak and be silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from tests.session.phone import Phone
from tests.virtual_time import LoopClock
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_16K
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, Int16
from voicepipe.config import LatencySettings, Settings, SimulatedSettings
from voicepipe.conversation.items import MessageItem
from voicepipe.ledger.log import TurnLog
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.engines import Engines
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tools.toolbox import ToolBox
from voicepipe.tts.engines.simulated import SimulatedSynthesizer

E = TypeVar("E")

VOICED: Int16 = (8000 * np.sin(np.arange(FRAME_SAMPLES) * 0.1)).astype(np.int16)
SILENT: Int16 = np.zeros(FRAME_SAMPLES, dtype=np.int16)

SIMULATED = SimulatedSettings(
    asr=LatencySettings(mean_ms=100),
    llm_first_token=LatencySettings(mean_ms=100),
    llm_per_token=LatencySettings(mean_ms=10),
    tts=LatencySettings(mean_ms=60),
)


class LoudnessDetector:
    """Speech is what is loud: so the tests decide frame by frame."""

    def probability(self, frame: Int16) -> float:
        return 1.0 if int(np.abs(frame).max()) > 1000 else 0.0

    def reset(self) -> None:
        pass


class Conversation:
    """Drives one session; collects its events with the time at which they went out."""

    def __init__(self, session: Session, engines: Engines, log: TurnLog, phone: Phone) -> None:
        self.session = session
        self.phone = phone  # plays where a `lead_ms` was given
        self.engines = engines
        self.log = log
        self.events: list[ev.SessionEvent] = []
        self.times: list[float] = []

    async def collect(self) -> None:
        clock = LoopClock()
        while (event := await self.session.outbox.get()) is not None:
            self.events.append(event)
            self.times.append(clock.now())
            self.session.sent(event)

    async def speak(self, ms: int) -> None:
        """`ms` of loud audio in real time."""
        await self._play(VOICED, ms)

    async def quiet(self, ms: int) -> None:
        await self._play(SILENT, ms)

    async def _play(self, frame: Int16, ms: int) -> None:
        for _ in range(ms // FRAME_MS):
            self.session.handle(cmd.AppendAudio(pcm.to_bytes(frame)))
            await asyncio.sleep(FRAME_MS / 1000)

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def said_by_agent(self) -> list[MessageItem]:
        """Its messages of the history, those too that are still being written."""
        items = self.session.conversation.items
        return [i for i in items if isinstance(i, MessageItem) and i.role == "assistant"]

    def prompts(self) -> list[list[str]]:
        """What the model was shown, one list of "role: text" a request."""
        requests: list[Any] = self.engines.model.requests  # type: ignore[attr-defined]
        return [[f"{m.role}: {m.content}" for m in request.messages] for request in requests]

    def names(self, *leave_out: type[Any]) -> list[str]:
        return [type(e).__name__ for e in self.events if not isinstance(e, leave_out)]

    def time_of(self, kind: type[Any]) -> float:
        """When the first event of this kind went out."""
        return next(t for e, t in zip(self.events, self.times, strict=True) if isinstance(e, kind))


@asynccontextmanager
async def conversation(
    *,
    heard: Sequence[str] | Callable[[int], str] = ("what time is it",),
    answers: Sequence[Answer | str] = ("It is half past seven. Can I do more for you?",),
    settings: SessionSettings | None = None,
    simulated: SimulatedSettings = SIMULATED,
    config: Settings | None = None,
    lead_ms: float | None = None,
    tools: ToolBox | None = None,
) -> AsyncIterator[Conversation]:
    """Leave the block: the session is closed, and no task may be left. `lead_ms`: the agent is
    heard on a phone, with so much lead."""
    config = config or Settings(simulated=simulated)
    clock = LoopClock()
    engines = Engines(
        recognizer=SimulatedRecognizer(simulated, heard, clock),
        model=SimulatedModel(simulated, answers),
        synthesizer=SimulatedSynthesizer(simulated),
        new_detector=LoudnessDetector,
    )
    await engines.start()
    settings = settings or SessionSettings(transcription=Transcription())
    settings = replace(settings, input_format=PCM_16K, output_format=PCM_16K)
    log = TurnLog()
    phone = Phone(clock, PCM_16K, lead_ms or 0.0)
    sink = None if lead_ms is None else phone.sink
    session = Session(engines, config, settings, clock, log, sink=sink, tools=tools)
    talk = Conversation(session, engines, log, phone)
    collector = asyncio.create_task(talk.collect())
    try:
        yield talk
    finally:
        await session.aclose()
        await collector
        assert session.task_count == 0
        await engines.aclose()
