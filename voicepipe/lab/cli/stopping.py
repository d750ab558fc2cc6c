"""Ctrl-C in a measurement ends it early and keeps what was measured; a second one ends all."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from voicepipe.lab.bench.caller import CallerTurn
from voicepipe.lab.bench.load import OnTurn, Outcome
from voicepipe.runtime.clock import MonotonicClock


async def stoppable(load: Callable[[OnTurn], Awaitable[Outcome]], on_turn: OnTurn) -> Outcome:
    """What `load` gives; after Ctrl-C, the turns that were finished by then.

    Raises KeyboardInterrupt where none were.
    """
    clock, done = MonotonicClock(), list[CallerTurn]()
    began, interrupted = clock.now(), False

    def count(turn: CallerTurn) -> None:
        if not interrupted:  # later ones only say that they were cut off
            done.append(turn)
            on_turn(turn)

    task: asyncio.Future[Outcome] = asyncio.ensure_future(load(count))

    def stop() -> None:
        nonlocal interrupted
        interrupted = True
        task.cancel()

    with _on_interrupt(stop):
        try:
            return await task
        except BaseException:
            if not interrupted:
                raise
    if not done:
        raise KeyboardInterrupt
    return Outcome(turns=done, wall_s=clock.now() - began, interrupted=True)


@contextmanager
def _on_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Within the block the first Ctrl-C calls `act`."""
    loop = asyncio.get_running_loop()

    def once() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        act()

    loop.add_signal_handler(signal.SIGINT, once)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
