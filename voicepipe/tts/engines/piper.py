"""Piper: natural voices on a CPU, at about a twentieth of real time.

piper-tts is GPL-3 and imported only in worker processes (`piper_child.py`). See
docs/engines/piper.md.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from voicepipe.config import TtsSettings
from voicepipe.config.engines import EngineContext
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.tts.engines.worker_backed import WorkerSynthesizer, require_package
from voicepipe.workers.supervisor import WorkerOptions

log = logging.getLogger(__name__)

START_TIMEOUT_S = 120.0
"""The first start cuts the voice: seconds here, a minute on a small computer."""


def piper_language(voice: Path) -> str | None:
    """ISO 639-1 of the voice in this .onnx file, as its .onnx.json says; None if it does not."""
    try:
        about = json.loads(voice.with_name(f"{voice.name}.json").read_text(encoding="utf-8"))
        return str(about["espeak"]["voice"]).split("-")[0].lower() or None
    except (OSError, ValueError, LookupError, TypeError):
        return None


class PiperSynthesizer(WorkerSynthesizer):
    """One voice file; its speakers, if it has several, are the voices.

    `model_file` is the voice's .onnx with its .onnx.json beside it; None if no such file is there.
    A voice is cut on its first start so that it can speak in windows (`vits/`); one that cannot be
    cut speaks sentence by sentence, and the log says why.
    """

    def __init__(
        self,
        settings: TtsSettings,
        model_file: Path | None,
        clock: Clock,
        worker_options: WorkerOptions | None = None,
    ) -> None:
        self._model = settings.model
        self._model_file = model_file
        super().__init__(
            settings,
            clock,
            name="piper",
            factory="voicepipe.tts.engines.piper_child:create",
            options={
                "model": str(model_file),
                "voice": settings.voice,
                "threads": settings.threads,
                "windows": True,
            },
            worker_options=worker_options or WorkerOptions(start_timeout_s=START_TIMEOUT_S),
        )

    async def start(self) -> None:
        """Raises EngineUnavailable naming what is missing and how to get it."""
        for package in ("piper", "onnx"):
            require_package(package, engine="piper", install="piper-tts onnx")
        self._require_voice()
        await super().start()
        if why_not := self.pool.info["windows"]:
            log.warning("the Piper voice speaks sentence by sentence, not in windows: %s", why_not)

    def _require_voice(self) -> None:
        if self._model_file is None:
            raise EngineUnavailable(
                f"the Piper voice {self._model!r} (tts.model) is not on this machine: "
                f"voicepipe models pull {self._model or 'NAME'}",
                stage="tts",
            )
        config = self._model_file.with_name(self._model_file.name + ".json")
        for file in (self._model_file, config):
            if not file.is_file():
                raise EngineUnavailable(
                    f"the Piper voice file {file} is missing: voicepipe models pull "
                    f"{self._model or 'NAME'}, or point tts.model at a .onnx file that has its "
                    ".onnx.json beside it",
                    stage="tts",
                )


def make(context: EngineContext[TtsSettings, None]) -> PiperSynthesizer:
    """See `Engine.make`."""
    return PiperSynthesizer(context.stage, context.model, context.clock)
