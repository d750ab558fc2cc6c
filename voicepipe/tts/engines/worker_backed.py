"""What the engines that live in worker processes have in common, on the server's side."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from voicepipe.audio.pcm import from_bytes
from voicepipe.config import TtsSettings
from voicepipe.languages.known import language_of
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineUnavailable, RequestRefused
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.speakable import WordAligner, speakable
from voicepipe.workers.pool import WorkerPool
from voicepipe.workers.process import child_command
from voicepipe.workers.supervisor import Worker, WorkerOptions


def require_package(package: str, *, engine: str, install: str) -> None:
    """Raises EngineUnavailable with what to `install`; looks without importing it (licences)."""
    if importlib.util.find_spec(package) is None:
        raise EngineUnavailable(
            f"the {engine} engine needs the package {package!r}, which is not installed: "
            f"pip install {install}",
            stage="tts",
        )


class WorkerSynthesizer:
    """A Synthesizer whose engine runs in `settings.workers` processes.

    The child gets `{"text", "voice", "speed"}` and replies with PCM (s16le, mono, at
    `info["sample_rate"]`) under headers `{"words": [[char, sample], ...]}`: the words that start
    inside that chunk, by offset into the text and samples from the first chunk's start.
    """

    def __init__(
        self,
        settings: TtsSettings,
        clock: Clock,
        *,
        name: str,
        factory: str,
        options: Mapping[str, Any],
        worker_options: WorkerOptions | None = None,
    ) -> None:
        self.name = name
        self.sample_rate = 0
        self.pool = WorkerPool(
            [
                Worker(
                    child_command(factory, options),
                    name=name,
                    stage="tts",
                    options=worker_options,
                    clock=clock,
                )
                for _ in range(settings.workers)
            ]
        )
        self._timeout_s = settings.first_audio_timeout_ms / 1000

    @property
    def problem(self) -> str | None:
        """Why nothing is spoken now, while the engine is started."""
        return self.pool.problem

    async def start(self) -> None:
        """Start the workers. Raises EngineUnavailable."""
        await self.pool.start()
        self.sample_rate = int(self.pool.info["sample_rate"])

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """Speak one clause; nothing is yielded if there is nothing to say.

        Raises EngineError, `retryable` while nothing was yielded: the worker died or hung.
        RequestRefused for a voice that it does not have.
        """
        self._check_voice(voice.name)
        spoken = speakable(clause, language_of(voice.language))
        if not spoken.text:
            return
        aligner = WordAligner(spoken)
        request = {"text": spoken.text, "voice": voice.name, "speed": voice.speed}
        replies = self.pool.request(
            request, first_timeout_s=self._timeout_s, next_timeout_s=self._timeout_s
        )
        async with contextlib.aclosing(replies):
            async for reply in replies:
                located = (
                    aligner.word_at(char, sample / self.sample_rate)
                    for char, sample in reply.header.get("words", ())
                )
                words = tuple(word for word in located if word is not None)
                yield Speech(from_bytes(reply.payload), words)

    def voices(self) -> tuple[str, ...]:
        """Names for `Voice.name`; valid after `start`."""
        return tuple(self.pool.info["voices"])

    async def aclose(self) -> None:
        await self.pool.aclose()

    def _check_voice(self, name: str) -> None:
        if name and name not in self.voices():
            some = ", ".join(self.voices()[:8])
            raise RequestRefused(
                f"{self.name} has no voice {name!r}; it has {some} ... "
                f"({len(self.voices())} in all)",
                stage="tts",
            )
