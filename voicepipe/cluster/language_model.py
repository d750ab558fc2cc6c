"""A language model in another process, by the contract of one in this."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from voicepipe.cluster.channel import Call, Channel, Doing
from voicepipe.cluster.items import packed
from voicepipe.cluster.reading import Arrived, read
from voicepipe.cluster.remote_engine import RemoteEngine
from voicepipe.llm.contract import ChatRequest, Delta, Finish


class RemoteModel(RemoteEngine):
    """Implements `contract.LanguageModel`."""

    def __init__(
        self, channel: Channel, engine: str = "llm", patience_s: float = 60.0, hedge_s: float = 0.0
    ) -> None:
        super().__init__(channel, engine, patience_s, hedge_s)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """See the contract."""
        route: dict[str, str] = {}
        hedge_s = 0.0 if request.idle else self._hedge_s
        async with aclosing(self._items(request, "answer", hedge_s)) as items:
            async for arrived in items:
                route.update(arrived.route)
                item: Delta = arrived.item
                if isinstance(item, Finish):
                    item = replace(item, route={**item.route, **route})
                yield item

    async def warm(self, request: ChatRequest) -> None:
        """See the contract. However late: another replica will not be asked for the answer."""
        async with aclosing(self._items(request, "warm", 0.0)) as items:
            async for _ in items:
                pass

    def _items(self, request: ChatRequest, doing: Doing, hedge_s: float) -> AsyncGenerator[Arrived]:
        call = Call(self._engine, doing, packed(request)[0], request.session_id)
        return read(self._channel, call, self._patience_s, hedge_s)
