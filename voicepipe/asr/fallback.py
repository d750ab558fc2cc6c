"""A second recognizer for when the first fails, its final is late, or it is being left alone."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace

from voicepipe.asr.contract import AsrOptions, Hypothesis, Recognizer, Transcript, Utterance
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.resilience.breaker import Breaker, BreakerState
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.closing import close_all
from voicepipe.runtime.errors import EngineError, RequestRefused
from voicepipe.runtime.hedging import BreakerOpen, hedged

log = logging.getLogger(__name__)

MAX_KEPT_S = 120.0
"""Audio kept for the fallback; engines hear no longer utterances either."""


class FallbackRecognizer:
    """Asks `fallback` for a final when `primary`'s fails or is not there after `final_ms` (0: only
    when it fails or its breaker is open), and takes the first. The fallback costs nothing until
    then: it is opened and fed when it is needed.

    Partial results are the primary's, or the fallback's while the breaker is open. `decisions`
    counts; `Transcript.route["asr"]` says it.
    """

    def __init__(
        self,
        primary: Recognizer,
        fallback: Recognizer,
        breaker: Breaker,
        final_ms: float,
        clock: Clock,
    ) -> None:
        self.primary, self.fallback, self.breaker = primary, fallback, breaker
        self.name = primary.name
        self.late_s = final_ms / 1000 or None
        self.clock = clock
        self.decisions: Counter[str] = Counter()

    async def start(self) -> None:
        """Both engines. Raises EngineUnavailable: a fallback that is not there is none."""
        await self.primary.start()
        await self.fallback.start()

    def open(self, options: AsrOptions) -> FallbackUtterance:
        """As the engines'."""
        return FallbackUtterance(self, options)

    async def aclose(self) -> None:
        await close_all(("the first", self.primary.aclose), ("the fallback", self.fallback.aclose))


class FallbackUtterance:
    """Implements `contract.Utterance` with one, in trouble with two."""

    def __init__(self, owner: FallbackRecognizer, options: AsrOptions) -> None:
        self._owner = owner
        self._options = options
        self._kept: list[Int16] = []
        self._room = round(MAX_KEPT_S * SAMPLE_RATE)
        self._cancelled = False
        self._second: Utterance | None = None
        self._first: Utterance | None = None
        if owner.breaker.state is BreakerState.OPEN:
            self._second = owner.fallback.open(options)
        else:
            self._first = owner.primary.open(options)

    def feed(self, pcm: Int16) -> None:
        """See the contract."""
        if self._first is not None:
            self._first.feed(pcm)
        if self._second is not None:
            self._second.feed(pcm)
        elif self._room:  # a reference: the session keeps the same arrays
            self._kept.append(pcm[: self._room])
            self._room -= self._kept[-1].size

    def hypotheses(self) -> AsyncIterator[Hypothesis]:
        """See the contract."""
        leading = self._first or self._second
        assert leading is not None  # one is opened from the beginning
        return leading.hypotheses()

    async def final(self) -> Transcript:
        """See the contract. Raises the primary's error if both fail."""
        if self._cancelled:  # nothing failed: neither the breaker nor the fallback is to know
            raise EngineError("the utterance was cancelled", stage="asr")
        owner = self._owner
        race = hedged(self._primary_final, self._fallback_final, owner.late_s, owner.clock)
        async with aclosing(race):
            served = await anext(race)
        owner.decisions[served.decision] += 1
        if served.decision != "primary":
            log.info("recognition: %s", served.decision)
        transcript, planned_s = served.item, served.item.planned_s
        return replace(
            transcript,
            queue_s=transcript.queue_s + (served.after_s if planned_s is None else 0.0),
            planned_s=None if planned_s is None else planned_s + served.after_s,
            route={**transcript.route, "asr": served.decision},
        )

    def cancel(self) -> None:
        """See the contract."""
        self._cancelled = True
        self._room = 0
        self._kept.clear()
        for utterance in (self._first, self._second):
            if utterance is not None:
                utterance.cancel()

    async def _primary_final(self) -> AsyncGenerator[Transcript]:
        owner = self._owner
        permit = owner.breaker.enter() if self._first is not None else None
        if permit is None or self._first is None:
            raise BreakerOpen("the recognizer's breaker is open", stage="asr", retryable=True)
        began = owner.clock.now()
        try:
            transcript = await self._first.final()
            permit.succeeded((owner.clock.now() - began) * 1000)
        except RequestRefused:  # says nothing of the engine
            raise
        except Exception:  # an engine's own, too: nobody else would count it
            if not self._cancelled:  # else nothing failed: nobody wants it any more
                permit.failed()
            raise
        finally:
            permit.done((owner.clock.now() - began) * 1000)
        yield transcript

    async def _fallback_final(self) -> AsyncGenerator[Transcript]:
        if self._cancelled:
            raise EngineError("the utterance was cancelled", stage="asr")
        if self._second is None:
            self._second = self._owner.fallback.open(replace(self._options, partials=False))
            kept, self._kept = self._kept, []
            for pcm in kept:
                self._second.feed(pcm)
        yield await self._second.final()
