"""Two streams for one purpose: the second starts when the first is late or fails, the one that
speaks first is kept, the other is stopped. Used for language models, speech and recognition alike.

Each stream is read by a task of its own from beginning to end, since engines may hold timeouts and
task groups across their yields, which one task must enter and leave.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import closing

log = logging.getLogger(__name__)
T = TypeVar("T")

Decision = Literal["primary", "fallback_late", "fallback_error", "fallback_open"]
"""Who served and why: the first choice; or the second because the first was late, had failed, or
was not asked (its breaker is open)."""

ITEMS_AHEAD = 64
"""Read before they are asked for; then the engine waits."""

STOP_DEADLINE_S = 2.0
"""An engine that does not stop in this time is reported, not waited for."""


class BreakerOpen(EngineError):
    """The engine was not asked: its breaker is open."""


@dataclass(frozen=True, slots=True)
class Served(Generic[T]):
    """One item, who it came from, and how long that one was waited for before it was asked."""

    item: T
    decision: Decision
    after_s: float


async def hedged(
    primary: Callable[[], AsyncIterator[T]],
    fallback: Callable[[], AsyncIterator[T]],
    late_s: float | None,
    clock: Clock,
) -> AsyncGenerator[Served[T]]:
    """The stream that speaks first. `fallback` is opened when `primary` has given nothing after
    `late_s` seconds (None: however late) or has raised before its first item. After the first item
    there is no way back: errors of the stream then are errors here.

    Raises the primary's error if both fail. Closing stops both.
    """
    racers = [_Racer("primary", primary)]
    began, after_s = clock.now(), 0.0
    decision: Decision = "primary"
    try:
        winner = racers[0]
        if not await winner.speaks_within(late_s):
            why = _why(winner)
            asked_after_s = clock.now() - began
            racers.append(_Racer("fallback", fallback))
            winner = await _first_to_speak(racers)
            if winner is not racers[0]:
                decision, after_s = why, asked_after_s
        for racer in racers:
            if racer is not winner:
                racer.cancel()
        async for item in winner.items():
            yield Served(item, decision, after_s)
    finally:
        await _stop(racers)


def _why(primary: _Racer[T]) -> Decision:
    if primary.error is None:
        return "fallback_late"
    return "fallback_open" if isinstance(primary.error, BreakerOpen) else "fallback_error"


class _Racer(Generic[T]):
    """A stream being read ahead by its task."""

    def __init__(self, name: str, open_stream: Callable[[], AsyncIterator[T]]) -> None:
        self._open_stream = open_stream
        self._items: asyncio.Queue[T | None] = asyncio.Queue(ITEMS_AHEAD)
        self._spoke = asyncio.Event()  # an item, an end or an error: silent no more
        self._began = False  # there was an item, or an end without any
        self.error: Exception | None = None
        self.task = asyncio.create_task(self._read(), name=f"hedge-{name}")

    @property
    def failed(self) -> bool:
        """Ended in an error before the first item."""
        return self.error is not None and not self._began

    async def speaks_within(self, seconds: float | None) -> bool:
        """Whether it has an item (or a proper end) by then."""
        try:
            async with asyncio.timeout(seconds):
                await self._spoke.wait()  # the engine's own deadline ends it
        except TimeoutError:
            return False
        return not self.failed

    async def items(self) -> AsyncGenerator[T]:
        while (item := await self._items.get()) is not None:
            yield item
        if self.error is not None:
            raise self.error

    def cancel(self) -> None:
        self.task.cancel()

    async def _read(self) -> None:
        try:
            await self._pump(self._open_stream())
        except Exception as error:
            self.error = error
        except asyncio.CancelledError:
            if self.task.cancelling():
                raise
            self.error = RuntimeError("a wait within the engine was cancelled")  # not by us
        if self.error is not None and not self._began:
            self._spoke.set()
            return
        await self._put(None)

    async def _pump(self, stream: AsyncIterator[T]) -> None:
        async with closing(stream):
            async for item in stream:
                await self._put(item)

    async def _put(self, item: T | None) -> None:
        await self._items.put(item)
        self._began = True
        self._spoke.set()


async def _first_to_speak(racers: list[_Racer[T]]) -> _Racer[T]:
    """Raises the first racer's error if none will ever speak."""
    waits = {
        asyncio.create_task(racer.speaks_within(None), name="hedge-wait"): racer for racer in racers
    }
    pending = set(waits)
    try:
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            speaking = {waits[task] for task in done if task.result()}
            for racer in racers:  # in their order: both at once means the primary
                if racer in speaking:
                    return racer
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
    first, last = racers[0].error, racers[-1].error
    assert first is not None
    if last is not first:
        log.warning("the fallback failed too: %s", type(last).__name__)
        if isinstance(first, BreakerOpen) and last is not None:
            raise last  # it says what went wrong; the other only that nobody was asked
    raise first


async def _stop(racers: list[_Racer[T]]) -> None:
    for racer in racers:
        racer.cancel()
    _, stuck = await asyncio.wait([r.task for r in racers], timeout=STOP_DEADLINE_S)
    for task in stuck:
        log.error("%s did not stop within %.0f s", task.get_name(), STOP_DEADLINE_S)
