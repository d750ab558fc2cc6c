"""Calls that go on while the conversation does. The model is told at once that one is running; what
it came to opens a turn of its own when caller and agent are both silent. Several that have finished
by then are told together. One that an interruption has ended is written into the history only.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from voicepipe.llm.contract import ToolCall
from voicepipe.tools.contract import ToolResult

log = logging.getLogger(__name__)

RETRY_S = 0.1
"""Between two looks whether both are silent."""

MAX_FAULTS = 3
"""A delivery that breaks so often is given up."""

MAX_RUNNING = 16
"""In one conversation; a model that starts ever more of them is told so."""

_RUNNING = {
    "running": True,
    "note": "It goes on while you talk; the result comes to you by itself. Say in a few words that "
    "it is under way, and do not call it again for the same thing.",
}
_ENDED = {"error": "it was ended when the caller interrupted, and has no result"}
_TOO_MANY = {"error": f"{MAX_RUNNING} calls are running already; wait for one to finish"}


@dataclass(frozen=True, slots=True)
class Finished:
    """A call, and what it came to."""

    call: ToolCall
    result: ToolResult


Deliver = Callable[[Sequence[Finished]], bool]
"""Puts results into the conversation and lets the agent speak of them; False: not now."""


class Background:
    """Those of one conversation. `note`: puts a result into the history, and no more. `aclose`
    cancels what runs and leaves no task behind."""

    def __init__(self, deliver: Deliver, note: Callable[[Finished], None]) -> None:
        self._deliver, self._note = deliver, note
        self._running: dict[asyncio.Task[None], ToolCall | None] = {}  # one that interruptions end
        self._finished: list[Finished] = []
        self._telling: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        """Calls that are running."""
        return len(self._running)

    def start(
        self, call: ToolCall, running: Awaitable[ToolResult], *, cancel_on_interrupt: bool
    ) -> ToolResult:
        """Let a call run; what the model is told meanwhile."""
        if len(self._running) >= MAX_RUNNING:
            asyncio.ensure_future(running).cancel()
            return ToolResult(call.name, json.dumps(_TOO_MANY), failed=True)
        task = asyncio.create_task(self._run(call, running), name=f"tool {call.name}")
        self._running[task] = call if cancel_on_interrupt else None
        task.add_done_callback(lambda done: self._running.pop(done, None))
        return ToolResult(call.name, json.dumps(_RUNNING))

    def adopt(self, call: ToolCall, running: asyncio.Task[ToolResult]) -> None:
        """A call that was waited for goes on without: the caller has interrupted the reply."""
        if self._closed:
            running.cancel()
        task = asyncio.create_task(self._run(call, running), name=f"tool {call.name}")
        self._running[task] = None
        task.add_done_callback(lambda done: self._running.pop(done, None))
        task.add_done_callback(lambda _: running.cancel())  # if it ends before its first step

    def interrupted(self) -> None:
        """The caller has interrupted the agent: ends the calls that want that. The model was told
        that they are running, so it is told that they are not."""
        for task, call in list(self._running.items()):
            if call is not None and task.cancel():
                self._running[task] = None
                self._note(Finished(call, ToolResult(call.name, json.dumps(_ENDED), failed=True)))

    async def aclose(self) -> None:
        self._closed = True
        tasks = [*self._running, *([] if self._telling is None else [self._telling])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, call: ToolCall, running: Awaitable[ToolResult]) -> None:
        self._finished.append(Finished(call, await running))
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell(), name="tool results")

    async def _tell(self) -> None:
        """Until all that has finished is told, or cannot be."""
        faults = 0
        while self._finished:
            try:
                over = self._deliver(tuple(self._finished))
            except Exception:
                log.exception("results of tools could not be told")
                faults += 1
                over = faults == MAX_FAULTS
            if over:
                self._finished.clear()
            else:
                await asyncio.sleep(RETRY_S)
