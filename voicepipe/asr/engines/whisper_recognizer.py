"""A recognizer around a Whisper decoder: one model, one decode queue, many utterances. What runs
the model is the subclass's (`faster_whisper.py`, `transformers.py`)."""

from __future__ import annotations

import logging
import weakref
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Protocol, Self

import numpy as np

from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.decode_queue import BatchLimits
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.asr.engines.model_file import FILE_NAME, ModelFile, read_model_file
from voicepipe.asr.scheduler import DecodeScheduler, SchedulerStats, ThreadRunner
from voicepipe.asr.utterance import StreamingUtterance, StreamSettings
from voicepipe.asr.windows import WindowLimits
from voicepipe.audio.pcm import Int16
from voicepipe.config import AsrSettings
from voicepipe.config.engines import EngineContext
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineUnavailable

log = logging.getLogger(__name__)

_WARM_WINDOWS = 4  # sizes warmed at start; memory is shared by those between


class Decoder(Protocol):
    """A loaded model. Blocking; called in the decode threads."""

    def decode(self, requests: Sequence[DecodeRequest]) -> list[Decoded]:
        """Decode requests of one `batch_key`; results in the same order."""
        ...

    def unload(self) -> None:
        """Free the weights."""
        ...


class WhisperRecognizer(ABC):
    """Implements `contract.Recognizer`."""

    name: str
    needed_files: ClassVar[tuple[str, ...]]  # in the model directory; one of each "a|b"
    model_format: ClassVar[str]  # as a person would call it

    @classmethod
    def of(cls, context: EngineContext[AsrSettings, None]) -> Self:
        """One as the settings say. Raises ConfigError without a model."""
        limit_s = context.limits.max_audio_backlog_s
        model = context.required_model()
        return cls(context.stage, model, context.clock, max_utterance_s=limit_s)

    def __init__(
        self,
        settings: AsrSettings,
        model_dir: Path,
        clock: Clock,
        *,
        max_utterance_s: float = 120.0,
    ) -> None:
        self._settings = settings
        self._model_dir = model_dir
        self._clock = clock
        self._max_utterance_s = max_utterance_s
        self._decoder: Decoder | None = None
        self._stream: StreamSettings | None = None
        self._runner: ThreadRunner[DecodeRequest, Decoded] | None = None
        self._scheduler: DecodeScheduler[DecodeRequest, Decoded] | None = None
        self._open: weakref.WeakSet[StreamingUtterance] = weakref.WeakSet()

    @abstractmethod
    def _check_packages(self) -> None:
        """Import what is needed. Raises EngineUnavailable naming what is missing."""

    @abstractmethod
    def _load(self, rules: ModelFile) -> Decoder:
        """Load the model, in a decode thread. Raises EngineUnavailable."""

    @property
    def _workers(self) -> int:
        return self._settings.workers

    @property
    def stats(self) -> SchedulerStats:
        """Counters of the decode queue."""
        return self._scheduler.stats if self._scheduler else SchedulerStats()

    async def start(self) -> None:
        """See the contract. Idempotent."""
        if self._scheduler is not None:
            return
        self._check_packages()
        self._check_files()
        rules = read_model_file(self._model_dir)
        if self._settings.hotwords and rules.prompt is not None:
            log.warning(
                "asr.hotwords is ignored: the model in %s has not learnt to be shown words to "
                "expect (%s names its prompt)",
                self._model_dir,
                FILE_NAME,
            )
        stream = self._stream = stream_settings(self._settings, rules, self._max_utterance_s)
        runner = ThreadRunner(self._decode, workers=self._workers)
        try:
            await runner.call(lambda: self._keep(self._load(rules)))
            await runner.call(lambda: self._warm(stream.windows))
        except BaseException:
            self._unload()
            runner.close()
            raise
        self._runner = runner
        self._scheduler = DecodeScheduler(
            runner,
            self._clock,
            workers=self._workers,
            limits=batch_limits(self._settings),
            batch_key=lambda request: request.batch_key,
            size=lambda request: request.window_s,
        )

    def open(self, options: AsrOptions) -> StreamingUtterance:
        """See the contract. Raises EngineUnavailable before `start`."""
        if self._scheduler is None or self._stream is None:
            raise EngineUnavailable("the speech recognizer has not been started", stage="asr")
        utterance = StreamingUtterance(options, self._stream, self._scheduler)
        self._open.add(utterance)
        return utterance

    async def aclose(self) -> None:
        """Cancel all utterances, let the running decode end, free the model. Idempotent. A decode
        that does not end in time keeps the model: nobody waits for it, or frees what it uses."""
        for utterance in list(self._open):
            utterance.cancel()
        if self._scheduler is not None and self._runner is not None:
            if await self._scheduler.aclose():
                await self._runner.call(self._unload)
            else:
                log.warning("the speech recognizer still decodes at closing time, and is left")
            self._runner.close()
        self._scheduler = self._runner = None

    def _check_files(self) -> None:
        model_dir = self._model_dir
        missing = [
            names.replace("|", " or ")
            for names in self.needed_files
            if not any((model_dir / name).is_file() for name in names.split("|"))
        ]
        if model_dir.is_dir() and not missing:
            return
        what = f"has no {', '.join(missing)}" if model_dir.is_dir() else "does not exist"
        raise EngineUnavailable(
            f"the ASR model directory {model_dir} {what}. Get a model with `voicepipe models pull`,"
            f" or set asr.model to a directory that holds a Whisper model in {self.model_format} "
            "format",
            stage="asr",
        )

    # --- in the decode threads ---

    def _keep(self, decoder: Decoder) -> None:
        self._decoder = decoder

    def _decode(self, requests: Sequence[DecodeRequest]) -> list[Decoded]:
        if self._decoder is None:
            raise EngineUnavailable("the speech recognizer is not loaded", stage="asr")
        return self._decoder.decode(requests)

    def _warm(self, windows: WindowLimits) -> None:
        """Decode faint noise, in windows from the shortest to the longest and in a full batch:
        first calls allocate."""
        noise: Int16 = np.random.default_rng(0).integers(-30, 30, 30 * 16_000).astype(np.int16)
        sizes = windows.sizes()
        picked = {
            sizes[round(i * (len(sizes) - 1) / (_WARM_WINDOWS - 1))] for i in range(_WARM_WINDOWS)
        }
        language = self._settings.language
        for window in sorted(picked):
            request = DecodeRequest(noise[:window], window, max_tokens=8, language=language)
            self._decode([request])
            if window == min(picked):
                self._decode([request] * self._settings.max_batch)

    def _unload(self) -> None:
        if self._decoder is not None:
            self._decoder.unload()
        self._decoder = None


def stream_settings(
    settings: AsrSettings, rules: ModelFile, max_utterance_s: float
) -> StreamSettings:
    """What the utterances of an engine share, by its settings and its model."""
    return StreamSettings(
        windows=rules.windows(settings),
        filters=rules.filters(),
        partial_ms=settings.partial_ms,
        tokens_per_s=rules.tokens_per_s or settings.max_tokens_per_s,
        max_tokens=rules.max_tokens,
        max_utterance_s=max_utterance_s,
    )


def batch_limits(settings: AsrSettings) -> BatchLimits:
    """How decodes are put together, by the settings."""
    return BatchLimits(
        most=settings.max_batch,
        final_window_s=settings.final_window_ms / 1000,
        partial_window_s=settings.partial_window_ms / 1000,
    )
