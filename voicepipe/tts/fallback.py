"""A second synthesizer for when the first is late, fails or is being left alone."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from voicepipe.resilience.breaker import Breaker
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.closing import close_all
from voicepipe.runtime.errors import RequestRefused
from voicepipe.runtime.hedging import BreakerOpen, Served, hedged
from voicepipe.runtime.streams import closing
from voicepipe.tts.clause_rate import ClauseRate
from voicepipe.tts.contract import Speech, Synthesizer, Voice

log = logging.getLogger(__name__)


class FallbackSynthesizer:
    """Starts `fallback` when `primary` has given no audio after `first_audio_ms` (0: only when it
    fails or its breaker is open), keeps whichever speaks first and stops the other.

    The fallback's audio comes at the primary's rate, in the voice asked for where it has that name,
    else in `fallback_voice` ("": its default). `decisions` counts; the first chunk's `route["tts"]`
    says it.
    """

    def __init__(
        self,
        primary: Synthesizer,
        fallback: Synthesizer,
        breaker: Breaker,
        first_audio_ms: float,
        clock: Clock,
        *,
        fallback_voice: str = "",
    ) -> None:
        self.primary, self.fallback, self.breaker = primary, fallback, breaker
        self.name = primary.name
        self.decisions: Counter[str] = Counter()
        self._late_s = first_audio_ms / 1000 or None
        self._clock = clock
        self._fallback_voice = fallback_voice

    @property
    def sample_rate(self) -> int:
        return self.primary.sample_rate

    @sample_rate.setter
    def sample_rate(self, rate: int) -> None:
        """The contract's attribute is plain, so it can be written."""
        self.primary.sample_rate = rate

    @property
    def problem(self) -> str | None:
        """The primary's, where the fallback cannot speak for it either."""
        backup: str | None = getattr(self.fallback, "problem", None)
        return None if backup is None else getattr(self.primary, "problem", None)

    async def start(self) -> None:
        """Both engines. Raises EngineUnavailable: a fallback that is not there is none."""
        await self.primary.start()
        await self.fallback.start()

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """As the engines'. Raises the primary's error if both fail before the first sound."""
        race = hedged(
            lambda: self._guarded(clause, voice),
            lambda: self._resampled(clause, voice),
            self._late_s,
            self._clock,
        )
        first = True
        async with aclosing(race):
            async for served in race:
                yield self._marked(served) if first else served.item
                first = False

    def voices(self) -> tuple[str, ...]:
        """The primary's: a voice that is only there in trouble is no choice."""
        return self.primary.voices()

    async def aclose(self) -> None:
        await close_all(("the first", self.primary.aclose), ("the fallback", self.fallback.aclose))

    def _marked(self, served: Served[Speech]) -> Speech:
        decision, speech = served.decision, served.item
        self.decisions[decision] += 1
        if decision != "primary":
            log.info("speech synthesis: %s", decision)
        planned_s = speech.planned_s
        if planned_s is not None:
            planned_s += served.after_s  # the wait was by design
        route = {**speech.route, "tts": decision}
        if decision == "primary":  # which may have had a stand-in of its own, not to be cached
            route = {"tts": decision, **speech.route}
        return replace(speech, planned_s=planned_s, route=route)

    async def _guarded(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        permit = self.breaker.enter()
        if permit is None:
            raise BreakerOpen("the synthesizer's breaker is open", stage="tts", retryable=True)
        began = self._clock.now()
        try:
            async with closing(self.primary.stream(clause, voice)) as chunks:
                async for speech in chunks:
                    permit.succeeded((self._clock.now() - began) * 1000)
                    yield speech
        except RequestRefused:  # says nothing of the engine
            raise
        except Exception:  # an engine's own, too: nobody else would count it
            permit.failed()
            raise
        finally:
            permit.done((self._clock.now() - began) * 1000)

    async def _resampled(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        if voice.name not in self.fallback.voices():
            voice = replace(voice, name=self._fallback_voice)
        rate = ClauseRate(self.fallback.sample_rate, self.sample_rate)
        spoke = False
        async with closing(self.fallback.stream(clause, voice)) as chunks:
            async for speech in chunks:
                converted = replace(speech, pcm=rate.convert(speech.pcm))
                if converted.pcm.size or converted.words:
                    yield converted
                spoke = True
        if spoke and (tail := rate.tail()).size:
            yield Speech(tail)
