"""One decode queue per engine, shared by all sessions: finals before partials, first come first
served among equals. An utterance has at most one partial waiting; a newer one takes its place (and
its turn). The unit handed to the engine is a list of jobs that may share a batch."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from voicepipe.clock import Clock
from voicepipe.errors import EngineError

Request = TypeVar("Request")
Result = TypeVar("Result")

CLOSE_TIMEOUT_S = 10.0
"""A decode that runs at closing time gets so long to end; it cannot be interrupted."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Result]):
    """A job's result with its times in seconds of the scheduler's clock."""

    result: Result
    queue_s: float  # submitted until handed to the engine
    work_s: float  # handed to the engine until done


@dataclass(slots=True)
class SchedulerStats:
    """Counters since start, and the queue as it is."""

    decodes: int = 0  # jobs that ran, failed ones too
    batches: int = 0
    failures: int = 0
    replaced_partials: int = 0  # a newer partial of the same utterance took the place
    dropped_partials: int = 0  # cancelled while waiting, or pushed out of a full queue
    queued: int = 0
    running: int = 0
    deepest: int = 0  # most jobs ever waiting


@dataclass(slots=True, eq=False)
class Ticket(Generic[Request, Result]):
    """A job on its way. `future` is cancelled when the job was dropped before it ran."""

    owner: Hashable
    request: Request
    final: bool
    submitted_s: float
    future: asyncio.Future[Outcome[Result]]
    started: bool = field(default=False)


Runner = Callable[[Sequence[Request]], Awaitable[Sequence[Result]]]
"""Runs a batch of compatible jobs; results in the same order."""


class DecodeScheduler(Generic[Request, Result]):
    """See the module. Must be used from one event loop."""

    def __init__(
        self,
        run: Runner[Request, Result],
        clock: Clock,
        *,
        workers: int = 1,
        max_queue: int = 512,
        max_batch: int = 1,
        batch_key: Callable[[Request], Hashable] | None = None,
    ) -> None:
        self._run = run
        self._clock = clock
        self._workers = workers
        self._max_queue = max_queue
        self._max_batch = max_batch if batch_key else 1
        self._batch_key = batch_key or (lambda request: None)
        self._finals: deque[Ticket[Request, Result]] = deque()
        self._partials: dict[Hashable, Ticket[Request, Result]] = {}  # by owner, in turn
        self._tasks: set[asyncio.Task[None]] = set()
        self._active = 0  # tasks that will still look at the queue
        self._closed = False
        self.stats = SchedulerStats()

    def submit(self, request: Request, *, owner: Hashable, final: bool) -> Ticket[Request, Result]:
        """Queue a job. Raises EngineError when the queue is full of finals or closed."""
        if self._closed:
            raise EngineError("the speech recognizer is shut down", stage="asr")
        self._make_room(owner, final)
        loop = asyncio.get_running_loop()
        ticket = Ticket(owner, request, final, self._clock.now(), loop.create_future())
        if final:
            self._finals.append(ticket)
        else:
            if (stale := self._partials.get(owner)) is not None:
                stale.future.cancel()
                self.stats.replaced_partials += 1
            self._partials[owner] = ticket  # a key that was there keeps its place
        self._count_queue()
        if self._active < self._workers:
            self._active += 1
            task = asyncio.create_task(self._work(), name="asr-decode")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return ticket

    def cancel(self, ticket: Ticket[Request, Result]) -> None:
        """Drop a waiting job; of a running one only the result is dropped. Idempotent."""
        if ticket.final:
            if ticket in self._finals:
                self._finals.remove(ticket)
        elif self._partials.get(ticket.owner) is ticket:
            del self._partials[ticket.owner]
            self.stats.dropped_partials += 1
        ticket.future.cancel()
        self._count_queue()

    async def aclose(self) -> None:
        """Drop what waits (its futures are cancelled) and let what runs end. Idempotent."""
        self._closed = True
        for ticket in (*self._finals, *self._partials.values()):
            ticket.future.cancel()
        self._finals.clear()
        self._partials.clear()
        self._count_queue()
        if self._tasks:
            _, late = await asyncio.wait(set(self._tasks), timeout=CLOSE_TIMEOUT_S)
            for task in late:
                task.cancel()

    def _make_room(self, owner: Hashable, final: bool) -> None:
        replaces = not final and owner in self._partials
        if replaces or len(self._finals) + len(self._partials) < self._max_queue:
            return
        if not self._partials:
            raise EngineError(
                f"the speech recognizer is overloaded: {self._max_queue} decodes are waiting",
                stage="asr",
                retryable=True,
            )
        _, newest = self._partials.popitem()
        newest.future.cancel()
        self.stats.dropped_partials += 1

    def _next_batch(self) -> list[Ticket[Request, Result]]:
        """The job whose turn it is, and those behind it that may share its batch."""
        waiting = [*self._finals, *self._partials.values()]
        if self._max_batch == 1:
            batch = waiting[:1]
        else:
            key = self._batch_key(waiting[0].request) if waiting else None
            same = (ticket for ticket in waiting if self._batch_key(ticket.request) == key)
            batch = [ticket for ticket, _ in zip(same, range(self._max_batch), strict=False)]
        for ticket in batch:
            ticket.started = True
            if ticket.final:
                self._finals.remove(ticket)
            else:
                del self._partials[ticket.owner]
        self._count_queue()
        return batch

    async def _work(self) -> None:
        try:
            while batch := self._next_batch():
                await self._run_batch(batch)
        finally:
            self._active -= 1

    async def _run_batch(self, batch: Sequence[Ticket[Request, Result]]) -> None:
        started_s = self._clock.now()
        self.stats.running += len(batch)
        try:
            results = await self._run([ticket.request for ticket in batch])
            self._deliver(batch, results, started_s)
        except Exception as error:
            self.stats.failures += len(batch)
            _fail(batch, error)
        finally:
            self.stats.running -= len(batch)
            self.stats.decodes += len(batch)
            self.stats.batches += 1

    def _deliver(
        self, batch: Sequence[Ticket[Request, Result]], results: Sequence[Result], started_s: float
    ) -> None:
        if len(results) != len(batch):
            raise RuntimeError(f"{len(batch)} jobs gave {len(results)} results")
        work_s = self._clock.now() - started_s
        for ticket, result in zip(batch, results, strict=True):
            if not ticket.future.done():
                queue_s = started_s - ticket.submitted_s
                ticket.future.set_result(Outcome(result, queue_s, work_s))

    def _count_queue(self) -> None:
        self.stats.queued = len(self._finals) + len(self._partials)
        self.stats.deepest = max(self.stats.deepest, self.stats.queued)


def _fail(batch: Sequence[Ticket[Request, Result]], error: Exception) -> None:
    failure = error
    if not isinstance(error, EngineError):
        failure = EngineError(f"the speech recognizer failed: {error}", stage="asr")
        failure.__cause__ = error
    for ticket in batch:
        if not ticket.future.done():
            ticket.future.set_exception(failure)


class ThreadRunner(Generic[Request, Result]):
    """Runs batches in a small pool of threads; the engine releases the GIL while it computes."""

    def __init__(
        self, decode: Callable[[Sequence[Request]], Sequence[Result]], *, workers: int = 1
    ) -> None:
        self._decode = decode
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="asr-decode")

    async def __call__(self, requests: Sequence[Request]) -> Sequence[Result]:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._decode, requests)

    async def call(self, work: Callable[[], None]) -> None:
        """Run anything else where decodes run (loading, warm-up, unloading)."""
        await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """No more work; threads end when what runs has ended."""
        self._pool.shutdown(wait=False)
