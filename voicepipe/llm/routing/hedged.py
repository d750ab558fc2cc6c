"""A second language model for when the first is late, fails or is being left alone."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from voicepipe.llm.contract import ChatRequest, Delta, Finish, LanguageModel
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.hedging import Served, hedged
from voicepipe.runtime.streams import closing

log = logging.getLogger(__name__)


class HedgedModel:
    """Starts `fallback` when `primary` has given nothing after `first_token_ms` (0: only when it
    fails), keeps whichever speaks first and stops the other. After the first token the choice
    stands. `decisions` counts who served; `Finish.route["llm"]` says it. What nobody waits for is
    the primary's alone, however late.
    """

    def __init__(
        self,
        primary: LanguageModel,
        fallback: LanguageModel,
        first_token_ms: float,
        clock: Clock,
    ) -> None:
        self.primary, self.fallback = primary, fallback
        self.name = primary.name
        self.decisions: Counter[str] = Counter()
        self._late_s = first_token_ms / 1000 or None
        self._clock = clock

    async def start(self) -> None:
        """Both engines. Raises EngineUnavailable: a fallback that is not there is none."""
        await self.primary.start()
        await self.fallback.start()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """As the engines'. Raises the primary's error if both fail before the first token."""
        if request.idle:
            async with closing(self.primary.stream(request)) as deltas:
                async for delta in deltas:
                    yield delta
            return
        race = hedged(
            lambda: self.primary.stream(request),
            lambda: self.fallback.stream(replace(request, model="")),  # its server has others
            self._late_s,
            self._clock,
        )
        first = True
        async with aclosing(race):
            async for served in race:
                if first:
                    self.decisions[served.decision] += 1
                    if served.decision != "primary":
                        log.info("language model: %s", served.decision)
                yield _marked(served, first=first)
                first = False

    async def warm(self, request: ChatRequest) -> None:
        """The primary only: the fallback is rarely asked, and its prefix would be gone by then."""
        await self.primary.warm(request)

    async def aclose(self) -> None:
        """Both, even if one will not."""
        try:
            await self.primary.aclose()
        except EngineError:
            log.warning("the primary language model did not close cleanly")
        finally:
            await self.fallback.aclose()


def _marked(served: Served[Delta], *, first: bool) -> Delta:
    delta = served.item
    if isinstance(delta, Finish):
        return replace(delta, route={**delta.route, "llm": served.decision})
    if first and served.after_s and delta.planned_s is not None:
        return replace(delta, planned_s=delta.planned_s + served.after_s)  # the wait was by design
    return delta
