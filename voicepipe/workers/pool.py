"""Several workers with the same engine behind one door."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from voicepipe.workers.process import Reply, WorkerDied
from voicepipe.workers.supervisor import Worker, WorkerState


class WorkerPool:
    """Sends each request to the ready worker with the fewest in flight; one whose worker dies
    before the first reply is sent once more, elsewhere if it can be.
    """

    def __init__(self, workers: Sequence[Worker]) -> None:
        if not workers:
            raise ValueError("a pool needs at least one worker")
        self.workers = tuple(workers)
        self._turn = 0

    @property
    def info(self) -> Mapping[str, Any]:
        """The engine's facts; valid after `start`."""
        return self.workers[0].info

    @property
    def active(self) -> int:
        return sum(worker.active for worker in self.workers)

    @property
    def problem(self) -> str | None:
        """Why no worker serves; None: one does."""
        problems = [worker.problem for worker in self.workers]
        return None if None in problems else problems[0]

    async def start(self) -> None:
        """Start all at once. Raises the first EngineUnavailable; then none is left running."""
        outcomes = await asyncio.gather(
            *(worker.start() for worker in self.workers), return_exceptions=True
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                await self.aclose()
                raise outcome

    async def request(
        self, request: Mapping[str, Any], *, first_timeout_s: float, next_timeout_s: float
    ) -> AsyncGenerator[Reply]:
        """As `Worker.request`."""
        for last_try in (False, True):
            replies = self._pick().request(
                request, first_timeout_s=first_timeout_s, next_timeout_s=next_timeout_s
            )
            try:
                async with contextlib.aclosing(replies):
                    async for reply in replies:
                        yield reply
                return
            except WorkerDied as error:
                if last_try or not error.retryable:
                    raise

    async def aclose(self) -> None:
        await asyncio.gather(*(worker.aclose() for worker in self.workers))

    def _pick(self) -> Worker:
        """Round robin among the equally busy."""
        self._turn = (self._turn + 1) % len(self.workers)
        order = self.workers[self._turn :] + self.workers[: self._turn]
        return min(order, key=lambda w: (w.state is not WorkerState.READY, w.active))
