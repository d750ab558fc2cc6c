"""The `faster_whisper` engine: Whisper checkpoints in CTranslate2's format, on CPU or CUDA."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.asr.engines.model_file import read_model_file
from voicepipe.asr.engines.whisper_decoder import WhisperDecoder
from voicepipe.asr.scheduler import DecodeScheduler, SchedulerStats, ThreadRunner
from voicepipe.asr.utterance import StreamingUtterance, StreamSettings
from voicepipe.audio.pcm import Int16
from voicepipe.clock import Clock
from voicepipe.config import AsrSettings
from voicepipe.errors import EngineUnavailable

NEEDED_FILES = ("model.bin", "config.json", "tokenizer.json")
"""Without `tokenizer.json` faster-whisper would try to download one."""

_WARM_WINDOWS = 4  # sizes warmed at start; memory is shared by those between


class FasterWhisperRecognizer:
    """Implements `contract.Recognizer`. One model, one decode queue, many utterances."""

    name = "faster_whisper"

    def __init__(
        self,
        settings: AsrSettings,
        model_dir: Path,
        clock: Clock,
        *,
        workers: int = 1,
        max_utterance_s: float = 120.0,
    ) -> None:
        """`workers`: decodes that run at the same time (each with `settings.threads`)."""
        self._settings = settings
        self._model_dir = model_dir
        self._clock = clock
        self._workers = workers
        self._max_utterance_s = max_utterance_s
        self._decoder: WhisperDecoder | None = None
        self._stream: StreamSettings | None = None
        self._runner: ThreadRunner[DecodeRequest, Decoded] | None = None
        self._scheduler: DecodeScheduler[DecodeRequest, Decoded] | None = None
        self._open: weakref.WeakSet[StreamingUtterance] = weakref.WeakSet()

    @property
    def stats(self) -> SchedulerStats:
        """Counters of the decode queue."""
        return self._scheduler.stats if self._scheduler else SchedulerStats()

    async def start(self) -> None:
        """See the contract. Idempotent."""
        if self._scheduler is not None:
            return
        _check_files(self._model_dir)
        rules = read_model_file(self._model_dir)
        settings = self._settings
        self._stream = StreamSettings(
            windows=rules.windows(settings),
            filters=rules.filters(),
            partial_ms=settings.partial_ms,
            tokens_per_s=rules.tokens_per_s or settings.max_tokens_per_s,
            max_tokens=rules.max_tokens,
            max_utterance_s=self._max_utterance_s,
        )
        runner = ThreadRunner(self._decode, workers=self._workers)
        try:
            await runner.call(
                lambda: self._load(WhisperDecoder(settings, self._model_dir, rules, self._workers))
            )
            await runner.call(self._warm)
        except BaseException:
            self._unload()
            runner.close()
            raise
        self._runner = runner
        self._scheduler = DecodeScheduler(
            runner,
            self._clock,
            workers=self._workers,
            batch_key=lambda request: request.batch_key,
        )

    def open(self, options: AsrOptions) -> StreamingUtterance:
        """See the contract. Raises EngineUnavailable before `start`."""
        if self._scheduler is None or self._stream is None:
            raise EngineUnavailable("the speech recognizer has not been started", stage="asr")
        utterance = StreamingUtterance(options, self._stream, self._scheduler)
        self._open.add(utterance)
        return utterance

    async def aclose(self) -> None:
        """Cancel all utterances, let the running decode end, free the model. Idempotent."""
        for utterance in list(self._open):
            utterance.cancel()
        if self._scheduler is not None and self._runner is not None:
            await self._scheduler.aclose()
            await self._runner.call(self._unload)
            self._runner.close()
        self._scheduler = self._runner = None

    # --- in the decode threads ---

    def _load(self, decoder: WhisperDecoder) -> None:
        self._decoder = decoder

    def _decode(self, requests: Sequence[DecodeRequest]) -> list[Decoded]:
        if self._decoder is None:
            raise EngineUnavailable("the speech recognizer is not loaded", stage="asr")
        return self._decoder.decode(requests)

    def _warm(self) -> None:
        """Decode faint noise in windows from the shortest to the longest: first calls allocate."""
        if self._stream is None:
            return
        noise: Int16 = np.random.default_rng(0).integers(-30, 30, 30 * 16_000).astype(np.int16)
        sizes = self._stream.windows.sizes()
        picked = {sizes[round(i * (len(sizes) - 1) / (_WARM_WINDOWS - 1))] for i in range(4)}
        language = self._settings.language
        for window in sorted(picked):
            request = DecodeRequest(noise[:window], window, max_tokens=8, language=language)
            self._decode([request])

    def _unload(self) -> None:
        if self._decoder is not None:
            self._decoder.unload()
        self._decoder = None


def _check_files(model_dir: Path) -> None:
    try:
        import ctranslate2  # noqa: F401
        import faster_whisper  # noqa: F401
    except ImportError as error:
        raise EngineUnavailable(
            f"the faster_whisper engine needs the package {error.name}: pip install faster-whisper",
            stage="asr",
        ) from error
    missing = [name for name in NEEDED_FILES if not (model_dir / name).is_file()]
    if not model_dir.is_dir() or missing:
        what = f"has no {', '.join(missing)}" if model_dir.is_dir() else "does not exist"
        raise EngineUnavailable(
            f"the ASR model directory {model_dir} {what}. Get a model with `voicepipe models pull`,"
            " or set asr.model to a directory that holds a Whisper model in CTranslate2 format",
            stage="asr",
        )
