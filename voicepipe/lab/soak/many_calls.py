"""Short calls, one after the other and several at once: what does the server keep of them?"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from dataclasses import dataclass

from websockets.asyncio.client import connect

from voicepipe.lab.bench.recordings import SILENCE, Recording, buzz
from voicepipe.lab.bench.usage import usage

AT_ONCE = 8
ANSWER_S = 30.0
"""A call whose answer does not come in this time is a failure."""

UNHEARD_S = 20
"""Length of a recording that each call adds as an item: audio that a session keeps."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Resident memory of the server's own process, MB."""

    calls: int
    before_mb: float
    after_mb: float

    @property
    def mb(self) -> float:
        return self.after_mb - self.before_mb


async def growth(
    url: str,
    pid: int,
    calls: int,
    warm_up: int = 100,
    on_call: Callable[[int], None] = lambda done: None,
) -> Growth:
    """Resident memory before and after `calls`, when all have ended. The first `warm_up` do not
    count: caches fill. Raises TimeoutError where an answer does not come."""
    await _hold(url, warm_up, on_call)
    before = _rss_mb(pid)
    await _hold(url, calls, on_call)
    return Growth(calls, before, _rss_mb(pid))


async def _hold(url: str, calls: int, on_call: Callable[[int], None]) -> None:
    spoken = _audio(buzz())
    left = iter(range(calls))

    async def worker() -> None:
        for number in left:
            await _call(url, spoken)
            on_call(number)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(worker(), name="calls")


async def _call(url: str, spoken: str) -> None:
    """A recording as an item, a question by voice, its answer, the end."""
    async with asyncio.timeout(ANSWER_S), connect(f"{url}/realtime?model=m", max_size=None) as ws:
        quiet = base64.b64encode(SILENCE * (50 * UNHEARD_S)).decode()
        content = [{"type": "input_audio", "audio": quiet, "transcript": "earlier words"}]
        item = {"type": "message", "role": "user", "content": content}
        await ws.send(json.dumps({"type": "conversation.item.create", "item": item}))
        await ws.send(json.dumps({"type": "input_audio_buffer.append", "audio": spoken}))
        while True:
            event = json.loads(await ws.recv())
            if event["type"] == "response.done":
                return


def _audio(question: Recording) -> str:
    """The question and the silence that ends it, as base64."""
    return base64.b64encode(b"".join(question.frames) + SILENCE * 75).decode()


def _rss_mb(pid: int) -> float:
    used = usage(pid)
    return 0.0 if used is None else used.rss_mb
