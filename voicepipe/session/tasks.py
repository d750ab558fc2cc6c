"""The owner of a session's tasks: none outlives the session, none dies unheard."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from voicepipe.runtime.errors import EngineError

log = logging.getLogger(__name__)
T = TypeVar("T")

STOP_DEADLINE_S = 10.0
"""A task that an engine does not let go of in this time is reported, not waited for."""


class Tasks:
    """Tasks that are cancelled and awaited together at the end."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def spawn(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, EngineError):
            log.warning("%s: %s", task.get_name(), error)
        else:
            log.error("task %s failed", task.get_name(), exc_info=error)

    async def aclose(self) -> None:
        """Cancel all and wait until they have ended."""
        while self._running:
            running = list(self._running)
            for task in running:
                task.cancel()
            _, stuck = await asyncio.wait(running, timeout=STOP_DEADLINE_S)
            for task in stuck:
                log.error("%s does not stop when it is cancelled: left behind", task.get_name())
                self._running.discard(task)


def asked_to_stop() -> bool:
    """Whether somebody has cancelled this task, which meets a CancelledError. An engine whose own
    future was cancelled raises one, too; a task that ended by that would end unheard."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
