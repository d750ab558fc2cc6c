"""An asyncio loop whose time jumps to the next timer instead of waiting for it.

Real file descriptors are still polled, so it suits code whose only waits are timers. If nothing is
ready and no timer is set the program would hang for ever; the loop raises instead."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

from voicepipe.runtime.clock import Clock

T = TypeVar("T")


class Deadlock(RuntimeError):
    """Every task waits for something that no timer will bring."""


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1000.0  # not 0: a mark of 0.0 must never look unset

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise Deadlock("no task is ready and no timer is set")
        self.now_s += max(timeout, 0.0)
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """`loop.time()` is virtual; `asyncio.sleep` and timeouts follow it."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now_s


class LoopClock(Clock):
    """The running loop's time as a voicepipe clock."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` on a fresh virtual-time loop."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
