"""A synthesizer in another process, by the contract of one in this."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from voicepipe.cluster.channel import Call, Channel, Facts
from voicepipe.cluster.items import packed
from voicepipe.cluster.reading import read
from voicepipe.tts.contract import Speech, Voice


class RemoteSynthesizer:
    """Implements `contract.Synthesizer`. `patience_s`: the longest silence within a clause."""

    def __init__(self, channel: Channel, engine: str = "tts", patience_s: float = 30.0) -> None:
        self.name = engine  # until it has told its own
        self._channel, self._engine, self._patience_s = channel, engine, patience_s
        self._facts = Facts()

    @property
    def sample_rate(self) -> int:
        """Hz; valid after `start`."""
        return self._facts.sample_rate

    @property
    def problem(self) -> str | None:
        """Why it cannot serve now; None: it can."""
        return self._channel.problem(self._engine)

    async def start(self) -> None:
        """Wait for the engine. Raises EngineUnavailable."""
        await self._channel.start(self)
        self._facts = await self._channel.facts(self._engine)
        self.name = self._facts.name

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """See the contract."""
        call = Call(self._engine, "speak", {"clause": clause, "voice": packed(voice)[0]})
        async with aclosing(read(self._channel, call, self._patience_s)) as items:
            async for arrived in items:
                speech: Speech = arrived.item
                if arrived.route:
                    speech = replace(speech, route={**speech.route, **arrived.route})
                yield speech

    def voices(self) -> tuple[str, ...]:
        """As the engine told when it had started."""
        return self._facts.voices

    async def aclose(self) -> None:
        """The engine itself goes on: it is others' too."""
        await self._channel.aclose(self)
