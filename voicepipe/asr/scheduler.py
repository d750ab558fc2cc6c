"""One decode queue per engine, shared by all sessions: `decode_queue.DecodeQueue` says whose turn
it is, tasks here hand batches to the engine. With several workers one is kept for finals."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from voicepipe.asr.decode_queue import BatchLimits, DecodeQueue
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.seldom import Seldom

log = logging.getLogger(__name__)

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
    finals: int = 0  # of them
    batches: int = 0
    shared: int = 0  # decodes that had company in their batch
    largest: int = 0  # most in a batch
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
    key: Hashable = None
    size: float = 1.0
    due_s: float = 0.0
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
        limits: BatchLimits | None = None,
        batch_key: Callable[[Request], Hashable] = lambda request: None,
        size: Callable[[Request], float] = lambda request: 1.0,
    ) -> None:
        """Requests of equal `batch_key` may share a batch; the engine's time grows with `size`."""
        self._run = run
        self._clock = clock
        self._workers = workers
        self._max_queue = max_queue
        self._batch_key = batch_key
        self._size = size
        self._queue: DecodeQueue[Ticket[Request, Result]] = DecodeQueue(limits or BatchLimits())
        self._tasks: set[asyncio.Task[None]] = set()
        self._active = 0  # tasks that will still look at the queue
        self._running = 0  # batches
        self._partials_running = 0  # of them
        self._arrived = asyncio.Event()  # something to look at for those who wait for company
        self._closed = False
        self._partials_lost, self._own_errors = Seldom(clock), Seldom(clock)
        self.stats = SchedulerStats()

    def submit(self, request: Request, *, owner: Hashable, final: bool) -> Ticket[Request, Result]:
        """Queue a job. Raises EngineError when the queue is full of finals or closed."""
        if self._closed:
            raise EngineError("the speech recognizer is shut down", stage="asr")
        self._make_room(owner, final)
        now, future = self._clock.now(), asyncio.get_running_loop().create_future()
        key, size = self._batch_key(request), self._size(request)
        ticket = Ticket(owner, request, final, now, future, key, size)
        stale = self._queue.add(ticket, now, idle=self._running < self._workers)
        if stale is not None:
            stale.future.cancel()
            self.stats.replaced_partials += 1
        self._count_queue()
        self._arrived.set()
        if self._active < self._workers:
            self._active += 1
            task = asyncio.create_task(self._work(), name="asr-decode")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return ticket

    def cancel(self, ticket: Ticket[Request, Result]) -> None:
        """Drop a waiting job; of a running one only the result is dropped. Idempotent."""
        if self._queue.remove(ticket) and not ticket.final:
            self.stats.dropped_partials += 1
        ticket.future.cancel()
        self._count_queue()

    def say_partial_lost(self, error: BaseException) -> None:
        """A partial failed: the log has it, but not of each in every call while all of them do."""
        if (more := self._partials_lost.turn()) is not None:
            log.warning("a partial decode failed: %s%s", error, more)

    async def aclose(self) -> bool:
        """Drop what waits (its futures are cancelled) and let what runs end; whether it did in
        time. Idempotent."""
        self._closed = True
        for ticket in self._queue.jobs():
            ticket.future.cancel()
        self._queue.clear()
        self._count_queue()
        self._arrived.set()
        if not self._tasks:
            return True
        _, late = await asyncio.wait(set(self._tasks), timeout=CLOSE_TIMEOUT_S)
        for task in late:
            task.cancel()
        return not late

    def _make_room(self, owner: Hashable, final: bool) -> None:
        replaces = not final and self._queue.replaces(owner)
        if replaces or len(self._queue) < self._max_queue:
            return
        newest = self._queue.pop_newest_partial()
        if newest is None:
            raise EngineError(
                f"the speech recognizer is overloaded: {self._max_queue} decodes are waiting",
                stage="asr",
                retryable=True,
            )
        newest.future.cancel()
        self.stats.dropped_partials += 1

    async def _work(self) -> None:
        try:
            while (found := self._take()) is not None:
                if isinstance(found, list):
                    await self._run_batch(found)
                else:
                    await self._wait_until(found)
        finally:
            self._active -= 1

    def _take(self) -> list[Ticket[Request, Result]] | float | None:
        """A batch to run now, or the time to look again; None: nothing that this worker may do."""
        spare = self._workers == 1 or self._partials_running < self._workers - 1
        found = self._queue.take(self._clock.now(), partials=spare)
        self._count_queue()
        return found

    async def _wait_until(self, due_s: float) -> None:
        """Until then, or until something arrives that may change what comes next."""
        self._arrived.clear()
        try:
            async with asyncio.timeout(max(0.0, due_s - self._clock.now())):
                await self._arrived.wait()
        except TimeoutError:
            pass

    async def _run_batch(self, batch: list[Ticket[Request, Result]]) -> None:
        started_s = self._clock.now()
        for ticket in batch:
            ticket.started = True
        partials = not batch[0].final
        self._running += 1
        self._partials_running += partials
        self.stats.running += len(batch)
        try:
            await self._decode(batch, started_s)
        finally:
            self._running -= 1
            self._partials_running -= partials
            self.stats.running -= len(batch)
            self._count_batch(batch)

    async def _decode(self, batch: list[Ticket[Request, Result]], started_s: float) -> None:
        """A batch that fails is run again job by job: what is wrong with one caller's wishes (a
        language the model does not know) is nothing to the others.
        """
        try:
            results = await self._run([ticket.request for ticket in batch])
            self._deliver(batch, results, started_s)
        except Exception as error:
            if len(batch) == 1:
                self.stats.failures += 1
                self._fail(batch[0], error)
                return
            for ticket in batch:
                await self._decode([ticket], self._clock.now())

    def _deliver(
        self, batch: list[Ticket[Request, Result]], results: Sequence[Result], started_s: float
    ) -> None:
        if len(results) != len(batch):
            raise RuntimeError(f"{len(batch)} jobs gave {len(results)} results")
        work_s = self._clock.now() - started_s
        self._queue.took(batch, work_s)
        for ticket, result in zip(batch, results, strict=True):
            if not ticket.future.done():
                queue_s = started_s - ticket.submitted_s
                ticket.future.set_result(Outcome(result, queue_s, work_s))

    def _fail(self, ticket: Ticket[Request, Result], error: Exception) -> None:
        failure = error
        if not isinstance(error, EngineError):
            kind = type(error).__name__  # callers are told no more: it may quote paths and memory
            if (more := self._own_errors.turn()) is not None:
                log.error("the speech recognizer failed%s", more, exc_info=error)
            failure = EngineError(f"the speech recognizer failed: {kind}", stage="asr")
            failure.__cause__ = error
        if not ticket.future.done():
            ticket.future.set_exception(failure)

    def _count_batch(self, batch: Sequence[Ticket[Request, Result]]) -> None:
        stats, size = self.stats, len(batch)
        stats.decodes += size
        stats.finals += size if batch[0].final else 0
        stats.batches += 1
        stats.shared += size if size > 1 else 0
        stats.largest = max(stats.largest, size)

    def _count_queue(self) -> None:
        self.stats.queued = len(self._queue)
        self.stats.deepest = max(self.stats.deepest, self.stats.queued)


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
