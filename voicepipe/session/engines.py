"""The engines one process shares among all its sessions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from voicepipe.asr.contract import Recognizer
from voicepipe.llm.contract import LanguageModel
from voicepipe.resilience.breaker import Breaker
from voicepipe.runtime.closing import close_all
from voicepipe.runtime.errors import EngineUnavailable, VoicepipeError
from voicepipe.runtime.progress import told
from voicepipe.tts.contract import Synthesizer
from voicepipe.vad.contract import EndOfTurnModel, VoiceDetector

log = logging.getLogger(__name__)

Progress = Callable[[str, str], None]
"""Told of (engine kind, "starting" | what it does meanwhile | "ready" | "failed" |
"stopped": another one failed)."""


@dataclass(slots=True)
class Engines:
    """One of each; `new_detector` makes a voice detector per session. `end_of_turn` hears whether a
    turn is over, where the settings ask for that."""

    recognizer: Recognizer
    model: LanguageModel
    synthesizer: Synthesizer
    new_detector: Callable[[], VoiceDetector]
    end_of_turn: EndOfTurnModel | None = None
    ready: dict[str, bool] = field(default_factory=dict)
    breakers: Mapping[str, Breaker] = field(default_factory=dict)  # stages that have a fallback
    full: Callable[[], str | None] = lambda: None  # the pool of which no replica has room left
    offered_models: Callable[[], Sequence[str]] = tuple  # beside its own, what a call may choose

    async def start(self, progress: Progress = lambda kind, state: None) -> None:
        """Load all engines side by side. Raises the first EngineUnavailable, the rest stopped."""
        kinds: dict[str, Recognizer | LanguageModel | Synthesizer] = {
            "asr": self.recognizer,
            "llm": self.model,
            "tts": self.synthesizer,
        }
        self.ready = dict.fromkeys(kinds, False)

        async def start_one(kind: str) -> None:
            progress(kind, "starting")
            try:
                with told(lambda step: progress(kind, step)):
                    await kinds[kind].start()
            except Exception as error:
                progress(kind, "failed")
                if isinstance(error, VoicepipeError):
                    raise
                log.exception("the %s engine failed to start", kind)  # a library's own error
                problem = f"the {kind} engine failed to start: {type(error).__name__}: {error}"
                raise EngineUnavailable(problem, stage=kind) from error
            except BaseException:  # another one failed, or nobody waits any more
                progress(kind, "stopped")
                raise
            self.ready[kind] = True
            progress(kind, "ready")

        try:
            async with asyncio.TaskGroup() as group:
                for kind in kinds:
                    group.create_task(start_one(kind), name=f"start {kind}")
        except BaseExceptionGroup as failures:
            await self.aclose()
            raise failures.exceptions[0] from None

    @property
    def all_ready(self) -> bool:
        return bool(self.ready) and all(self.ready.values())

    def problems(self) -> dict[str, str]:
        """Which engines have started and cannot serve now, as far as they tell, and why."""
        if not self.all_ready:
            return {}
        kinds = {"asr": self.recognizer, "llm": self.model, "tts": self.synthesizer}
        told = {kind: getattr(engine, "problem", None) for kind, engine in kinds.items()}
        return {kind: problem for kind, problem in told.items() if isinstance(problem, str)}

    async def aclose(self) -> None:
        """Stop all; safe to call twice. One that fails is logged."""
        self.ready = dict.fromkeys(self.ready, False)
        await close_all(
            ("the tts engine", self.synthesizer.aclose),
            ("the llm engine", self.model.aclose),
            ("the asr engine", self.recognizer.aclose),
        )
