"""What nobody waits for: prompts computed ahead while their callers still speak, summaries. It ends
as soon as somebody is waiting for an answer. What a slot has computed until then stays there."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class WarmUps:
    """Those that run now."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._running)

    async def run(self, work: Coroutine[Any, Any, None]) -> bool:
        """Until it is done (True) or has given way. Raises what `work` raises."""
        task = asyncio.create_task(work, name="warm-up of llama.cpp")
        self._running.add(task)
        try:
            await asyncio.wait({task})
        finally:
            await _end(task)
            self._running.discard(task)
        if task.cancelled():
            return False
        task.result()
        return True

    async def give_way(self) -> None:
        """Have all end."""
        for task in tuple(self._running):
            await _end(task)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
