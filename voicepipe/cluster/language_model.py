"""A language model in another process, by the contract of one in this."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from voicepipe.cluster.channel import Call, Channel, Doing
from voicepipe.cluster.items import packed
from voicepipe.cluster.reading import Arrived, read
from voicepipe.llm.contract import ChatRequest, Delta, Finish


class RemoteModel:
    """Implements `contract.LanguageModel`. `patience_s`: the longest silence within a request."""

    def __init__(self, channel: Channel, engine: str = "llm", patience_s: float = 60.0) -> None:
        self.name = engine  # until it has told its own
        self._channel, self._engine, self._patience_s = channel, engine, patience_s

    @property
    def problem(self) -> str | None:
        """Why it cannot serve now; None: it can."""
        return self._channel.problem(self._engine)

    async def start(self) -> None:
        """Wait for the engine. Raises EngineUnavailable."""
        await self._channel.start(self)
        self.name = (await self._channel.facts(self._engine)).name

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """See the contract."""
        route: dict[str, str] = {}
        async with aclosing(self._items(request, "answer")) as items:
            async for arrived in items:
                route.update(arrived.route)
                item: Delta = arrived.item
                if isinstance(item, Finish):
                    item = replace(item, route={**item.route, **route})
                yield item

    async def warm(self, request: ChatRequest) -> None:
        """See the contract."""
        async with aclosing(self._items(request, "warm")) as items:
            async for _ in items:
                pass

    async def aclose(self) -> None:
        """The engine itself goes on: it is others' too."""
        await self._channel.aclose(self)

    def _items(self, request: ChatRequest, doing: Doing) -> AsyncGenerator[Arrived]:
        call = Call(self._engine, doing, packed(request)[0], request.session_id)
        return read(self._channel, call, self._patience_s)
