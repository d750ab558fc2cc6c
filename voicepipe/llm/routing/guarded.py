"""A language model behind a breaker."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

from voicepipe.llm.contract import ChatRequest, Delta, LanguageModel
from voicepipe.llm.wrapped import WrappedModel
from voicepipe.resilience.breaker import Breaker, BreakerState
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import RequestRefused
from voicepipe.runtime.hedging import BreakerOpen
from voicepipe.runtime.streams import closing


class GuardedModel(WrappedModel):
    """Not asked while the breaker is open: then every request raises `BreakerOpen` at once.

    The latency that is watched is that of the first delta; an error at any point is a failure.
    Requests that nobody waits for tell nothing of either: they are late by design, and not asked
    unless the breaker is closed.
    """

    def __init__(self, inner: LanguageModel, breaker: Breaker, clock: Clock) -> None:
        super().__init__(inner)
        self.breaker = breaker
        self._clock = clock

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """As the engine's; raises BreakerOpen, retryable, while the breaker is open."""
        if request.idle:
            async with closing(self._unwatched(request)) as deltas:
                async for delta in deltas:
                    yield delta
            return
        permit = self.breaker.enter()
        if permit is None:
            raise _open()
        began = self._clock.now()
        try:
            async with closing(self.inner.stream(request)) as deltas:
                async for delta in deltas:
                    permit.succeeded((self._clock.now() - began) * 1000)
                    yield delta
        except RequestRefused:  # says nothing of the engine
            raise
        except Exception:  # a fault that is no EngineError fails callers just the same
            permit.failed()
            raise
        finally:
            permit.done((self._clock.now() - began) * 1000)

    def _unwatched(self, request: ChatRequest) -> AsyncIterator[Delta]:
        if self.breaker.state is not BreakerState.CLOSED:
            raise _open()
        return self.inner.stream(request)

    async def warm(self, request: ChatRequest) -> None:
        """As the engine's, unless it is being left alone."""
        if self.breaker.state is BreakerState.CLOSED:
            await super().warm(request)


def _open() -> BreakerOpen:
    return BreakerOpen("the language model's breaker is open", stage="llm", retryable=True)
