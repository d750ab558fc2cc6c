"""The loop whose time jumps."""

from __future__ import annotations

import asyncio
import time

import pytest

from voicepipe.lab.bench.virtual_time import Deadlock, LoopClock, run_virtual


def test_a_long_wait_takes_its_time_on_the_loop_and_hardly_any_outside() -> None:
    async def wait() -> float:
        clock = LoopClock()
        began = clock.now()
        await asyncio.gather(asyncio.sleep(3600), asyncio.sleep(7200))
        return clock.now() - began

    began = time.monotonic()
    assert run_virtual(wait()) == pytest.approx(7200)
    assert time.monotonic() - began < 60


def test_a_wait_that_nothing_will_end_is_an_error() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Deadlock, match="no timer is set"):
        run_virtual(hang())
