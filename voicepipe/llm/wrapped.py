"""A language model in front of another."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from voicepipe.llm.contract import ChatRequest, Delta, LanguageModel
from voicepipe.runtime.streams import closing


class WrappedModel:
    """Hands everything on to `inner`; a subclass says what it does itself."""

    def __init__(self, inner: LanguageModel) -> None:
        self.inner = inner
        self.name = inner.name

    @property
    def problem(self) -> str | None:
        """Why `inner` cannot serve now, where it tells."""
        told: str | None = getattr(self.inner, "problem", None)
        return told

    async def start(self) -> None:
        """See the contract."""
        await self.inner.start()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """See the contract."""
        async with closing(self.inner.stream(request)) as deltas:
            async for delta in deltas:
                yield delta

    async def warm(self, request: ChatRequest) -> None:
        """See the contract."""
        await self.inner.warm(request)

    async def aclose(self) -> None:
        await self.inner.aclose()
