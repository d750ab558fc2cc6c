"""A language model that is told no personal data: it is taken out of what callers say before any
engine, cache, fallback or summary has it. Instructions and tools' results are the operator's own,
and go as they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from voicepipe.llm.contract import ChatRequest, Delta, LanguageModel
from voicepipe.privacy.redactor import Redactor

MANY_CHARS = 8000
"""Patterns need 1 ms for so much; more is for a thread, so that others do not wait."""


class RedactedModel:
    """Asks `model`. `slow`: the redactor takes longer than patterns do, so always in a thread."""

    def __init__(self, model: LanguageModel, redact: Redactor, *, slow: bool) -> None:
        self.name = model.name
        self._model, self._redact, self._slow = model, redact, slow

    async def start(self) -> None:
        """See the contract."""
        await self._model.start()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """See the contract."""
        stream = self._model.stream(await self._redacted(request))
        async with aclosing(stream) as deltas:  # type: ignore[type-var]
            async for delta in deltas:
                yield delta

    async def warm(self, request: ChatRequest) -> None:
        """See the contract: the same words as in `stream`, so that the prefix is the same."""
        await self._model.warm(await self._redacted(request))

    async def aclose(self) -> None:
        await self._model.aclose()

    async def _redacted(self, request: ChatRequest) -> ChatRequest:
        said = sum(len(one.content) for one in request.messages if one.role == "user")
        if self._slow or said > MANY_CHARS:
            return await asyncio.to_thread(self._without, request)
        return self._without(request)

    def _without(self, request: ChatRequest) -> ChatRequest:
        messages = tuple(
            replace(one, content=self._redact(one.content)) if one.role == "user" else one
            for one in request.messages
        )
        return replace(request, messages=messages)
