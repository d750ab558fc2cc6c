"""A synthesizer in another process, by the contract of one in this."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from voicepipe.cluster.channel import Call, Channel
from voicepipe.cluster.items import packed
from voicepipe.cluster.reading import read
from voicepipe.cluster.remote_engine import RemoteEngine
from voicepipe.tts.contract import Speech, Voice


class RemoteSynthesizer(RemoteEngine):
    """Implements `contract.Synthesizer`."""

    def __init__(
        self, channel: Channel, engine: str = "tts", patience_s: float = 30.0, hedge_s: float = 0.0
    ) -> None:
        super().__init__(channel, engine, patience_s, hedge_s)

    @property
    def sample_rate(self) -> int:
        """Hz; valid after `start`."""
        return self._facts.sample_rate

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """See the contract."""
        call = Call(self._engine, "speak", {"clause": clause, "voice": packed(voice)[0]})
        async with aclosing(read(self._channel, call, self._patience_s, self._hedge_s)) as items:
            async for arrived in items:
                speech: Speech = arrived.item
                if arrived.route:
                    speech = replace(speech, route={**speech.route, **arrived.route})
                yield speech

    def voices(self) -> tuple[str, ...]:
        """As the engine told when it had started."""
        return self._facts.voices
