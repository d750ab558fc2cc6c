"""A language model that is told facts of its instructions once more where they are asked for."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

from voicepipe.llm.contract import ChatRequest, Delta
from voicepipe.llm.reminders import with_reminders
from voicepipe.llm.wrapped import WrappedModel
from voicepipe.runtime.errors import RequestRefused
from voicepipe.runtime.streams import closing


class RemindedModel(WrappedModel):
    """Next to the engine: rules and caches in front of it see what was said, and no more."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """See the contract. A prompt that is too long with reminders goes without."""
        told = request
        if not _sums_up(request):
            told = replace(request, messages=with_reminders(request.messages))
        try:
            async with closing(super().stream(told)) as deltas:
                async for delta in deltas:
                    yield delta
            return
        except RequestRefused:  # before anything was said
            if told.messages == request.messages:
                raise
        async with closing(super().stream(request)) as deltas:
            async for delta in deltas:
                yield delta

    async def warm(self, request: ChatRequest) -> None:
        """See the contract. What is still being said may come to be about something else."""
        messages = request.messages
        end = len(messages) - (bool(messages) and messages[-1].role == "user")
        told = (*with_reminders(messages[:end]), *messages[end:])
        await super().warm(replace(request, messages=told))


def _sums_up(request: ChatRequest) -> bool:
    """A summary's instructions are no facts (`session.summaries`)."""
    return request.idle and request.tool_choice == "none"
