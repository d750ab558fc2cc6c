"""Keeps one vLLM engine running: started off the loop, watched, replaced when it dies."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from enum import Enum
from typing import Any, Protocol

from voicepipe.runtime.errors import EngineError, EngineUnavailable

_LOG = logging.getLogger(__name__)

CHECK_S = 0.5
"""How often an idle engine is looked at; requests notice at once."""

YOUNG_S = 300.0
"""One that dies sooner waits longer for its next start."""


class Engine(Protocol):
    """What we use of vLLM's AsyncLLM."""

    @property
    def errored(self) -> bool: ...

    def generate(
        self, prompt: Any, sampling_params: Any, request_id: str, *, priority: int = 0
    ) -> AsyncGenerator[Any, None]: ...

    def shutdown(self) -> None: ...


class EngineState(Enum):
    """Of the keeper: an engine serves in READY only."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    DEAD = "dead"


class EngineKeeper:
    """`build` makes an engine and may take minutes; it runs on a thread. `prepare` runs on the loop
    before the engine serves.
    """

    def __init__(
        self,
        build: Callable[[], Engine],
        prepare: Callable[[Engine], Awaitable[None]],
        *,
        restart_s: float,
        restart_max_s: float,
        reason: Callable[[], str] = lambda: "",
        interrupt: Callable[[], None] = lambda: None,
        on_thread: Callable[..., Awaitable[Any]] = asyncio.to_thread,
    ) -> None:
        """`restart_s`: pause before a restart, doubled up to `restart_max_s` for an engine that
        died young. `reason`: why it died, as far as is known. `interrupt`: makes a running `build`
        fail soon. `on_thread`: runs what blocks.
        """
        self._build = build
        self._prepare = prepare
        self._reason = reason
        self._interrupt = interrupt
        self._on_thread = on_thread
        self._restart_s, self._restart_max_s = restart_s, restart_max_s
        self._engine: Engine | None = None
        self._watch: asyncio.Task[None] | None = None
        self._suspected = asyncio.Event()
        self._closed = threading.Event()
        self._building = False  # written by the building thread only
        self.state = EngineState.STOPPED
        self.restarts = 0

    @property
    def engine(self) -> Engine:
        """The engine that serves. Raises EngineError while there is none."""
        if self._engine is None or self.state is not EngineState.READY:
            what = {
                EngineState.STOPPED: "is not started",
                EngineState.STARTING: "is starting",
                EngineState.DEAD: "died and is being started again",
                EngineState.READY: "is not there",
            }[self.state]
            raise EngineError(
                f"The language model {what}.",
                stage="llm",
                retryable=self.state is not EngineState.STOPPED,
            )
        return self._engine

    async def start(self) -> None:
        """The first engine. Raises what `build` or `prepare` raise."""
        if self._watch is not None:
            return
        self._closed.clear()
        self.state = EngineState.STARTING
        try:
            await self._renew()
        except BaseException:
            await self.aclose()
            raise
        self._watch = asyncio.create_task(self._keep_alive(), name="vllm keeper")

    def suspect(self) -> None:
        """Have the engine looked at now."""
        self._suspected.set()

    async def aclose(self) -> None:
        """Stop the engine and its processes. Idempotent."""
        self._closed.set()
        self.state = EngineState.STOPPED
        if self._building:
            self._interrupt()
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
        await self._stop_engine()
        # AsyncLLM is part of a cycle; left to the interpreter's end, its finalizer fails there.
        gc.collect()

    async def _renew(self) -> None:
        await self._prepare(await self._on_thread(self._built))
        if not self._closed.is_set():
            self.state = EngineState.READY

    def _built(self) -> Engine:
        """On a thread, which nobody can cancel: one that comes too late stops what it made. It is
        put in its place here: who waits for it on the loop may be cancelled as it comes."""
        self._building = True
        try:
            engine = self._build()
        finally:
            self._building = False
        self._engine = engine
        if self._closed.is_set():
            self._engine = None
            engine.shutdown()
            raise EngineUnavailable("The language model was stopped while starting.", stage="llm")
        return engine

    async def _stop_engine(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await self._on_thread(engine.shutdown)

    async def _keep_alive(self) -> None:
        loop = asyncio.get_running_loop()
        born, pause_s = loop.time(), self._restart_s
        while True:
            await self._until_suspected()
            if self._engine is not None and not self._engine.errored:
                continue
            self.state = EngineState.DEAD
            if loop.time() - born > YOUNG_S:
                pause_s = self._restart_s
            why = self._reason() or "no reason was logged"
            _LOG.error("the vLLM engine died (%s); starting it again in %.3g s", why, pause_s)
            await self._restart(pause_s)
            born = loop.time()
            pause_s = min(pause_s * 2, self._restart_max_s)

    async def _restart(self, pause_s: float) -> None:
        """Until one runs again."""
        while True:
            try:
                await self._stop_engine()
            except Exception as error:  # it is dead; what it could not do is no reason to wait
                _LOG.error("the vLLM engine did not stop: %s", error)
            await asyncio.sleep(pause_s)
            self.restarts += 1
            try:
                await self._renew()
            except Exception as error:  # whatever a broken GPU does: there will be another try
                pause_s = min(pause_s * 2, self._restart_max_s)
                _LOG.error("the vLLM engine did not start: %s; again in %.3g s", error, pause_s)
                continue
            _LOG.warning("the vLLM engine is back after %d restart(s)", self.restarts)
            return

    async def _until_suspected(self) -> None:
        try:
            async with asyncio.timeout(CHECK_S):
                await self._suspected.wait()
        except TimeoutError:
            pass
        self._suspected.clear()
