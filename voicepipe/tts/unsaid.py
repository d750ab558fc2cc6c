"""What of a clause is still to be said, after an engine that failed in the middle of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

from voicepipe.runtime.streams import closing
from voicepipe.tts.contract import Speech


async def unsaid(speech: AsyncIterator[Speech], said_s: float, rate: int) -> AsyncIterator[Speech]:
    """The `speech` of a whole clause, made once more, from `said_s` on. An engine that says a text
    always alike goes on at the very sample; another with a small step. Who says it, which the first
    chunk tells, is told with the first that is left."""
    skip = round(said_s * rate)
    route: Mapping[str, str] = {}
    async with closing(speech) as chunks:
        async for chunk in chunks:
            route = {**route, **chunk.route}
            if chunk.pcm.size > skip:
                words = tuple(word for word in chunk.words if word.start_s >= said_s)
                yield replace(chunk, pcm=chunk.pcm[skip:], words=words, route=route)
                route = {}
            skip = max(0, skip - chunk.pcm.size)
