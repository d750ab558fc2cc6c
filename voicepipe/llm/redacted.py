"""A language model that is told no personal data: it is taken out of what callers say before any
engine, cache, fallback or summary has it, and out of what tools were called with and what callers
keyed in. Instructions and other tools' results are the operator's own, and go as they are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from voicepipe.llm.contract import ChatRequest, Delta, LanguageModel, Message, ToolCall
from voicepipe.llm.wrapped import WrappedModel
from voicepipe.privacy.redactor import Redactor

MANY_CHARS = 8000
"""Patterns need 1 ms for so much; more is for a thread, so that others do not wait."""


class RedactedModel(WrappedModel):
    """Tells `inner` no more than that. `slow`: the redactor takes longer than patterns do, so
    always in a thread. `callers`: names of tools whose results are the caller's words or keys."""

    def __init__(
        self, inner: LanguageModel, redact: Redactor, *, slow: bool, callers: Collection[str] = ()
    ) -> None:
        super().__init__(inner)
        self._redact, self._slow = redact, slow
        self._callers = frozenset(callers)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """See the contract."""
        async with aclosing(super().stream(await self._redacted(request))) as deltas:
            async for delta in deltas:
                yield delta

    async def warm(self, request: ChatRequest) -> None:
        """See the contract: the same words as in `stream`, so that the prefix is the same."""
        await super().warm(await self._redacted(request))

    async def _redacted(self, request: ChatRequest) -> ChatRequest:
        said = sum(len(one.content) for one in request.messages if one.role != "system")
        if self._slow or said > MANY_CHARS:
            return await asyncio.to_thread(self._without, request)
        return self._without(request)

    def _without(self, request: ChatRequest) -> ChatRequest:
        calls = (call for one in request.messages for call in one.tool_calls)
        theirs = {call.call_id for call in calls if call.name in self._callers}
        messages = tuple(self._message(one, theirs) for one in request.messages)
        return replace(request, messages=messages)

    def _message(self, one: Message, theirs: Collection[str | None]) -> Message:
        if one.role == "user":
            return replace(one, content=self._redact(one.content))
        if one.role == "tool" and one.call_id in theirs:
            return replace(one, content=self._json(one.content))
        if one.tool_calls:
            return replace(one, tool_calls=tuple(map(self._call, one.tool_calls)))
        return one

    def _call(self, call: ToolCall) -> ToolCall:
        return replace(call, arguments=self._json(call.arguments))

    def _json(self, text: str) -> str:
        """JSON stays JSON, and what holds nothing stays as it was written."""
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return self._redact(text)
        told = self._value(found)
        return text if told == found else json.dumps(told, ensure_ascii=False)

    def _value(self, found: Any) -> Any:
        match found:
            case dict():
                return {self._redact(name): self._value(one) for name, one in found.items()}
            case list():
                return [self._value(one) for one in found]
            case str():
                return self._redact(found)
            case int() | float() if (told := self._redact(str(found))) != str(found):
                return told
        return found
