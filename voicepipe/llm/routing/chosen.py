"""Another language model for the calls that choose one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace

from voicepipe.llm.contract import ChatRequest, Delta, Finish, LanguageModel
from voicepipe.llm.wrapped import WrappedModel
from voicepipe.runtime.closing import close_all
from voicepipe.runtime.streams import closing


class ChosenModel(WrappedModel):
    """`first` answers, and one of `others` those requests whose `model` is its name. Of any request
    that names a model `Finish.route["model"]` says which.

    A name that is not in `others` is left to `first`, whose server may have several.
    """

    def __init__(self, first: LanguageModel, others: Mapping[str, LanguageModel]) -> None:
        super().__init__(first)
        self.others = dict(others)

    async def start(self) -> None:
        """All of them, one after the other. Raises EngineUnavailable."""
        await super().start()
        for model in self.others.values():
            await model.start()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """As the engines'."""
        model, asked = self._for(request)
        async with closing(model.stream(asked)) as deltas:
            async for delta in deltas:
                if request.model and isinstance(delta, Finish):
                    yield replace(delta, route={**delta.route, "model": request.model})
                else:
                    yield delta

    async def warm(self, request: ChatRequest) -> None:
        """The one that will answer."""
        model, asked = self._for(request)
        await model.warm(asked)

    async def aclose(self) -> None:
        """All of them, even if one will not."""
        models = [("the language model", self.inner), *self.others.items()]
        await close_all(*((name, model.aclose) for name, model in models))

    def _for(self, request: ChatRequest) -> tuple[LanguageModel, ChatRequest]:
        other = self.others.get(request.model)
        return (self.inner, request) if other is None else (other, replace(request, model=""))
