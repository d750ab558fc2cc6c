"""espeak-ng: instant, offline, 130 languages, and it sounds like a robot.

The engine is GPL-3 and not thread-safe; it lives in worker processes (`espeak_child.py`). Nothing
of it is imported here.
"""

from __future__ import annotations

from voicepipe.config import TtsSettings
from voicepipe.config.engines import EngineContext
from voicepipe.runtime.clock import Clock
from voicepipe.tts.engines.worker_backed import WorkerSynthesizer, require_package
from voicepipe.workers.supervisor import WorkerOptions

DEFAULT_VOICE = "en-us+f3"
"""Of the variants, f3 keeps clear of clipping and starts within 50 ms of the first sample."""


class EspeakSynthesizer(WorkerSynthesizer):
    """Voices are language codes ("en-us"), each also with a timbre ("en-gb+f3").

    Speeds below 0.48 sound like 0.48, espeak's slowest.
    """

    def __init__(
        self, settings: TtsSettings, clock: Clock, worker_options: WorkerOptions | None = None
    ) -> None:
        super().__init__(
            settings,
            clock,
            name="espeak",
            factory="voicepipe.tts.engines.espeak_child:create",
            options={"voice": settings.voice or DEFAULT_VOICE},
            worker_options=worker_options,
        )

    def _check_voice(self, name: str) -> None:
        """Every voice has every timbre, though only the English ones are listed with them."""
        base, plus, timbre = name.partition("+")
        super()._check_voice(base)
        if plus:
            super()._check_voice(f"en-us+{timbre}")

    async def start(self) -> None:
        """Raises EngineUnavailable naming what is missing."""
        require_package("espeakng_loader", engine="espeak", install="espeakng-loader")
        await super().start()


def make(context: EngineContext[TtsSettings, None]) -> EspeakSynthesizer:
    """See `Engine.make`."""
    return EspeakSynthesizer(context.stage, context.clock)
