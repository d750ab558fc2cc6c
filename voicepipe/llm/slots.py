"""A fixed number of slots, given to the most urgent waiter first."""

from __future__ import annotations

import asyncio
import heapq
import itertools

from voicepipe.runtime.errors import EngineError


class PrioritySlots:
    """`acquire(priority)` waits for a slot; lower numbers first, then first come first served.

    At most `max_waiting` wait. One more is refused, or takes the place of the least urgent waiter
    if it is more urgent; the one that loses gets a retryable EngineError. Waits end with their
    task's cancellation; deadlines are the caller's.
    """

    def __init__(
        self,
        slots: int,
        max_waiting: int,
        stage: str = "llm",
        whose: str = "The language model",
    ) -> None:
        """`stage`, `whose`: for the errors."""
        self._stage, self._whose = stage, whose
        self._free = slots
        self._max_waiting = max_waiting
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrival = itertools.count()

    @property
    def waiting(self) -> int:
        return sum(not turn.done() for _, _, turn in self._waiting)

    async def acquire(self, priority: int) -> None:
        """Returns holding a slot. Raises EngineError when too many wait."""
        if self._free > 0:  # then nobody waits: a freed slot goes straight to a waiter
            self._free -= 1
            return
        if self.waiting >= self._max_waiting:
            self._make_room(priority)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (priority, next(self._arrival), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release()  # the slot had come in the same moment
            turn.cancel()
            self._forget_done()  # where slots never come back, nobody else would
            raise

    def release(self) -> None:
        """Give a slot back; the most urgent waiter gets it."""
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def refuse_all(self, message: str) -> None:
        """End all waits with an EngineError."""
        for _, _, turn in self._waiting:
            if not turn.done():
                turn.set_exception(EngineError(message, stage=self._stage, retryable=False))
        self._waiting.clear()

    def _forget_done(self) -> None:
        self._waiting = [entry for entry in self._waiting if not entry[2].done()]
        heapq.heapify(self._waiting)

    def _make_room(self, priority: int) -> None:
        self._forget_done()
        last = max(self._waiting, key=lambda entry: entry[:2], default=None)
        if last is None or last[0] <= priority:
            raise self._overloaded()
        self._waiting.remove(last)
        heapq.heapify(self._waiting)
        last[2].set_exception(self._overloaded())

    def _overloaded(self) -> EngineError:
        return EngineError(
            f"{self._whose} is overloaded: {self._max_waiting} requests already wait for it.",
            stage=self._stage,
            retryable=True,
        )
