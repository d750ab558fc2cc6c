"""Simulated engines that count what they make for each reply, whatever becomes of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from voicepipe.config import SimulatedSettings
from voicepipe.llm.contract import ChatRequest, Delta, TextDelta
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer


@dataclass(slots=True)
class Made:
    """For one reply."""

    turn_id: str
    tokens: int = 0
    audio_ms: float = 0.0


class Meter:
    """Of one session, in which at most one reply is in the making."""

    def __init__(self) -> None:
        self.replies: list[Made] = []  # those that the language model was asked for, in order


class MeteredModel(SimulatedModel):
    """A `LanguageModel` whose pieces are a token each."""

    def __init__(self, settings: SimulatedSettings, meter: Meter) -> None:
        super().__init__(settings)
        self._meter = meter

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See the contract."""
        made = Made(request.request_id)
        self._meter.replies.append(made)
        async with aclosing(super().stream(request)) as deltas:
            async for delta in deltas:
                made.tokens += isinstance(delta, TextDelta)
                yield delta


class MeteredSynthesizer(SimulatedSynthesizer):
    """A `Synthesizer`; what it says belongs to the newest reply."""

    def __init__(self, settings: SimulatedSettings, meter: Meter) -> None:
        super().__init__(settings)
        self._meter = meter

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """See the contract."""
        made = self._meter.replies[-1]
        async with aclosing(super().stream(clause, voice)) as chunks:
            async for chunk in chunks:
                made.audio_ms += chunk.pcm.size * 1000 / self.sample_rate
                yield chunk
