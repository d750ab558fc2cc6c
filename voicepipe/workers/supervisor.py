"""Keeps one worker process alive: starts it, watches it, restarts it, ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from voicepipe.runtime.clock import Clock, MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.workers.process import Reply, WorkerDied, WorkerProcess

log = logging.getLogger(__name__)


SHAKY_S = 5.0
"""A worker in a crash loop lives for moments; one that lives so long is out of it."""


class WorkerState(StrEnum):
    """STARTING loads; READY serves; DEAD waits for its restart, requests wait with it; FAILED
    died too often in a row, requests are refused at once while it is tried now and then.
    """

    STARTING = "starting"
    READY = "ready"
    DEAD = "dead"
    FAILED = "failed"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Deadlines and limits of one worker."""

    start_timeout_s: float = 30.0  # a large model from a cold disk
    stop_timeout_s: float = 2.0  # per step: end of stdin, SIGTERM, SIGKILL
    ping_interval_s: float = 5.0
    ping_timeout_s: float = 5.0  # answered by a thread of its own, also while the engine works
    first_backoff_s: float = 0.05  # a crash is mostly one bad request: be back at once
    max_backoff_s: float = 10.0
    deaths_to_fail: int = 5  # in a row, without one request served in between
    max_unread_bytes: int = 16 * 1024 * 1024  # per request: 6 min of 22 kHz speech, then it fails


class Worker:
    """A supervised engine process, shared by all sessions.

    `command` comes from `child_command`; `stage` ("tts" ...) goes into the errors. Counters:
    `active` requests now, `served` in full, `failed`, `restarts`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str,
        stage: str,
        options: WorkerOptions | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.name = name
        self.state = WorkerState.CLOSED
        self.info: Mapping[str, Any] = {}
        self.restarts = 0
        self.served = 0
        self.failed = 0
        self._command = tuple(command)
        self._stage = stage
        self._options = options or WorkerOptions()
        self._clock = clock or MonotonicClock()
        self._process: WorkerProcess | None = None
        self._task: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()  # READY, FAILED or CLOSED: nothing to wait for
        self._served_in_this_life = False
        self._last_death = ""
        self._deaths = 0  # in a row, without one request served in between
        self._born_s = 0.0

    @property
    def active(self) -> int:
        return self._process.active if self._process else 0

    @property
    def problem(self) -> str | None:
        """Why requests fail or wait now; None: they are served. A worker that has died several
        times in a row must live for a while before it is believed to be well."""
        shaky = self._deaths > 1 and self._clock.now() - self._born_s < SHAKY_S
        if self.state is WorkerState.READY and not shaky:
            return None
        why = f" ({self._last_death})" if self._last_death else ""
        return f"the {self.name} worker is {'unsteady' if shaky else self.state}{why}"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the process and wait until its engine is ready.

        Raises EngineUnavailable saying why; then nothing is left running.
        """
        if self._task is not None:
            return
        first: asyncio.Future[None] = asyncio.Future()
        task = asyncio.create_task(self._supervise(first), name=f"{self.name} worker")
        self._task = task
        try:
            await asyncio.wait({first, task}, return_when=asyncio.FIRST_COMPLETED)
            if task.cancelled():  # by `aclose`
                text = f"the {self.name} worker was closed while it started"
                raise EngineUnavailable(text, stage=self._stage)
            await (first if first.done() else task)
        except BaseException:
            await self.aclose()
            raise

    async def request(
        self, request: Mapping[str, Any], *, first_timeout_s: float, next_timeout_s: float
    ) -> AsyncGenerator[Reply]:
        """Replies of the engine to one JSON-able request. The first deadline covers the wait for
        a restart and for the engine, the next ones each further reply. Close the iterator to
        cancel. Raises EngineUnavailable (not started, or failed), WorkerDied, EngineError;
        `retryable` while nothing was yielded.
        """
        started_s = self._clock.now()
        try:
            process = await self._ready_process(first_timeout_s)
            left_s = max(0.0, first_timeout_s - (self._clock.now() - started_s))
            async with contextlib.aclosing(
                process.request(request, left_s, next_timeout_s, hung_s=first_timeout_s)
            ) as replies:
                async for reply in replies:
                    yield reply
        except EngineError:
            self.failed += 1
            raise
        self.served += 1
        self._served_in_this_life = True

    async def ping(self, timeout_s: float) -> float:
        """Round trip to the process in seconds. Raises TimeoutError or EngineError."""
        process = await self._ready_process(timeout_s)
        return await process.ping(timeout_s)

    async def aclose(self) -> None:
        """End the process; requests in flight fail. Idempotent."""
        if self._task is None:
            return
        task, self._task = self._task, None
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        self._enter(WorkerState.CLOSED)

    # --- waiting

    async def _ready_process(self, timeout_s: float) -> WorkerProcess:
        try:
            async with asyncio.timeout(timeout_s):
                await self._settled.wait()
        except TimeoutError:
            raise EngineError(
                f"the {self.name} worker is {self.state} and was not back within {timeout_s:g} s",
                stage=self._stage,
                retryable=True,
            ) from None
        if self.state is WorkerState.READY and self._process is not None:
            return self._process
        why = f" ({self._last_death})" if self._last_death else ""
        raise EngineUnavailable(
            f"the {self.name} worker is {self.state}{why}", stage=self._stage, retryable=True
        )

    def _enter(self, state: WorkerState) -> None:
        self.state = state
        if state in (WorkerState.STARTING, WorkerState.DEAD):
            self._settled.clear()
        else:
            self._settled.set()

    # --- keeping it alive

    async def _supervise(self, first: asyncio.Future[None]) -> None:
        while True:
            # While FAILED, attempts are made without making anybody wait for them.
            if self.state is not WorkerState.FAILED:
                self._enter(WorkerState.STARTING)
            self._served_in_this_life = False
            try:
                self._last_death = await self._live(first)
            except Exception as error:  # nothing may end the task: nobody else starts it again
                if not first.done():
                    first.set_exception(error)
                    return
                self._last_death = str(error)
            self._deaths = 1 if self._served_in_this_life else self._deaths + 1
            failed = self._deaths >= self._options.deaths_to_fail
            self._enter(WorkerState.FAILED if failed else WorkerState.DEAD)
            log.warning("%s worker %s; restarting", self.name, self._last_death)
            await asyncio.sleep(self._backoff_s(self._deaths))
            self.restarts += 1

    def _backoff_s(self, deaths: int) -> float:
        longest = self._options.max_backoff_s
        return float(min(longest, self._options.first_backoff_s * 4 ** min(deaths - 1, 10)))

    async def _live(self, first: asyncio.Future[None]) -> str:
        """One life, from spawn to death; returns why it ended. Raises EngineUnavailable if it
        never was ready.
        """
        options = self._options
        process = await WorkerProcess.spawn(
            self._command,
            name=self.name,
            stage=self._stage,
            max_unread_bytes=options.max_unread_bytes,
            clock=self._clock,
            on_death=self._on_death,
        )
        running = asyncio.create_task(process.run(), name=f"{self.name} worker replies")
        try:
            self.info = await process.ready(options.start_timeout_s)
            self._process = process
            self._born_s = self._clock.now()
            self._enter(WorkerState.READY)
            if not first.done():
                first.set_result(None)
            await self._watch(process, running)
        finally:
            try:
                await process.stop(options.stop_timeout_s)
            finally:
                await running
        return process.death or "ended"

    def _on_death(self, process: WorkerProcess) -> None:
        """No new request may go there, not even before the supervising task wakes."""
        if self._process is process:
            self._process = None
            self._enter(WorkerState.DEAD)

    async def _watch(self, process: WorkerProcess, running: asyncio.Task[None]) -> None:
        """Until it dies; a process that does not answer a ping is killed."""
        timeout_s = self._options.ping_timeout_s
        while not running.done():
            await asyncio.wait({running}, timeout=self._options.ping_interval_s)
            if running.done():
                return
            try:
                await process.ping(timeout_s)
            except TimeoutError:
                process.kill(f"did not answer for {timeout_s:g} s and was killed")
            except WorkerDied:
                return
