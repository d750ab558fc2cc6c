"""What one server process owns: engines, sessions, the log of turns. The transports share it."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC, datetime

from voicepipe.asr.engines import create_recognizer
from voicepipe.clock import Clock, MonotonicClock
from voicepipe.config import Settings
from voicepipe.errors import LimitExceeded, VoicepipeError
from voicepipe.latency.log import TurnLog
from voicepipe.llm.engines import create_language_model
from voicepipe.models.resolve import model_path
from voicepipe.session.engines import Engines, Progress
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings, TurnDetection
from voicepipe.tts.engines import create_synthesizer
from voicepipe.vad.engines import create_detector, create_end_of_turn

log = logging.getLogger(__name__)

_NO_MODEL_FILE = {"simulated", "openai", "espeak"}
"""Engines that open no file of ours, whatever their `model` setting says."""


def build_engines(settings: Settings, clock: Clock) -> Engines:
    """The engines that the settings name, not yet started.

    Raises ConfigError or EngineUnavailable, saying what is missing and how to get it.
    """
    asr, llm, tts = settings.asr, settings.llm, settings.tts
    asr_dir = None if asr.engine in _NO_MODEL_FILE else model_path(asr.model, settings)
    llm_dir = None if llm.engine in _NO_MODEL_FILE else model_path(llm.model, settings)
    tts_file = (
        model_path(tts.model, settings) if tts.model and tts.engine not in _NO_MODEL_FILE else None
    )
    return Engines(
        recognizer=create_recognizer(settings, asr_dir, clock),
        model=create_language_model(settings, llm_dir),
        synthesizer=create_synthesizer(settings, tts_file, clock),
        new_detector=lambda: create_detector(settings.vad),
        end_of_turn=create_end_of_turn(settings.turns),
    )


class Service:
    """Start it, open sessions, close it. `failure` says why the engines did not come up."""

    def __init__(
        self, settings: Settings, engines: Engines | None = None, clock: Clock | None = None
    ) -> None:
        self.settings = settings
        self.clock = clock or MonotonicClock()
        self.engines = engines or build_engines(settings, self.clock)
        self.turn_log = TurnLog()
        self.sessions: set[Session] = set()
        self.sessions_opened = 0
        self.sessions_refused = 0
        self.started_at = datetime.now(UTC)
        self.failure: VoicepipeError | None = None
        self._closing = False

    async def start(self, progress: Progress = lambda kind, state: None) -> None:
        """Warm all engines. Raises EngineUnavailable."""
        began = time.monotonic()
        try:
            await self.engines.start(progress)
        except VoicepipeError as error:
            self.failure = error
            raise
        log.info("engines ready after %.1f s", time.monotonic() - began)

    @property
    def ready(self) -> bool:
        return self.engines.all_ready and not self._closing

    def session_defaults(self, *, transcription_only: bool = False) -> SessionSettings:
        """What a session is set to before its client says anything."""
        turns = self.settings.turns
        return SessionSettings(
            instructions=self.settings.llm.instructions,
            voice=self.settings.tts.voice,
            speed=self.settings.tts.speed,
            turn_detection=TurnDetection(threshold=turns.speech_threshold),
            transcription_only=transcription_only,
        )

    def open_session(
        self,
        settings: SessionSettings,
        *,
        session_id: str | None = None,
        conversation_id: str | None = None,
        lead_ms: float | None = None,
    ) -> Session:
        """Raises LimitExceeded when the server is full or not ready."""
        limit = self.settings.limits.max_sessions
        if not self.ready:
            raise LimitExceeded("the server is not ready yet; /readyz says what it waits for")
        if len(self.sessions) >= limit:
            self.sessions_refused += 1
            raise LimitExceeded(f"the server holds {limit} sessions, its limit; try again later")
        session = Session(
            self.engines,
            self.settings,
            settings,
            self.clock,
            self.turn_log,
            session_id=session_id,
            conversation_id=conversation_id,
            lead_ms=lead_ms,
        )
        self.sessions.add(session)
        self.sessions_opened += 1
        return session

    async def close_session(self, session: Session) -> None:
        try:
            await session.aclose()
        finally:
            self.sessions.discard(session)

    async def aclose(self) -> None:
        """End all sessions, then the engines."""
        self._closing = True
        await asyncio.gather(*(self.close_session(s) for s in list(self.sessions)))
        await self.engines.aclose()
