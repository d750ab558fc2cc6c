"""What `bench_asr` measures: a recognizer, or its queue on an engine that only takes time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Protocol

from voicepipe.asr.contract import AsrOptions, Word
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.asr.engines.model_file import read_model_file
from voicepipe.asr.engines.whisper_recognizer import (
    WhisperRecognizer,
    batch_limits,
    stream_settings,
)
from voicepipe.asr.scheduler import DecodeScheduler, SchedulerStats
from voicepipe.asr.utterance import StreamingUtterance
from voicepipe.config import Settings
from voicepipe.lab.bench.virtual_time import LoopClock
from voicepipe.models.resolve import model_path
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.engine_factory import create_recognizer


class Engine(Protocol):
    """What speaks to the callers."""

    @property
    def stats(self) -> SchedulerStats: ...
    async def start(self) -> None: ...
    def open(self, options: AsrOptions) -> StreamingUtterance: ...
    def busy_s(self) -> float:
        """Seconds of work so far."""
        ...

    async def aclose(self) -> object: ...


class RealEngine:
    """The recognizer of the settings. Raises VoicepipeError for one without a decode queue."""

    def __init__(self, settings: Settings) -> None:
        recognizer = create_recognizer(settings, MonotonicClock())
        if not isinstance(recognizer, WhisperRecognizer):
            raise VoicepipeError(f"asr.engine = {settings.asr.engine!r} batches nothing to measure")
        self._recognizer = recognizer
        self.start, self.open, self.aclose = recognizer.start, recognizer.open, recognizer.aclose

    @property
    def stats(self) -> SchedulerStats:
        return self._recognizer.stats

    def busy_s(self) -> float:
        """CPU seconds of this process."""
        return sum(os.times()[:2])


class PricedEngine:
    """The queue and the utterances of the settings on an engine that only takes time."""

    def __init__(self, settings: Settings, price: tuple[float, float]) -> None:
        """`price`: ms of a batch, and ms for each second of its windows."""
        rules = read_model_file(model_path(settings.asr.model, settings))
        self._stream = stream_settings(settings.asr, rules, max_utterance_s=60.0)
        self._price, self._busy_s = price, 0.0
        self._scheduler = DecodeScheduler(
            self._run,
            LoopClock(),
            workers=settings.asr.workers,
            limits=batch_limits(settings.asr),
            batch_key=lambda request: request.batch_key,
            size=lambda request: request.window_s,
        )
        self.stats, self.aclose = self._scheduler.stats, self._scheduler.aclose

    async def start(self) -> None:
        """Nothing to load."""

    def open(self, options: AsrOptions) -> StreamingUtterance:
        """As a recognizer does."""
        return StreamingUtterance(options, self._stream, self._scheduler)

    def busy_s(self) -> float:
        """Engine seconds."""
        return self._busy_s

    async def _run(self, requests: Sequence[DecodeRequest]) -> list[Decoded]:
        batch_ms, second_ms = self._price
        work_s = (batch_ms + second_ms * sum(r.window_s for r in requests)) / 1000
        self._busy_s += work_s
        await asyncio.sleep(work_s)
        return [Decoded((Word("word", 0.0, 1.0, 1.0),), tokens=1, language="en")] * len(requests)
