"""Each caller has its own times, whoever else is late, gone or broken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.virtual_time import LoopClock
from voicepipe.lab.bench.pacer import Pacer

pytestmark = pytest.mark.virtual_time


def every(step_s: float, times: int, note: Callable[[float], None]) -> Callable[[], float | None]:
    """Notes when it is called; asks for `times` calls in all."""
    left = times

    def tick() -> float | None:
        nonlocal left
        now, left = asyncio.get_running_loop().time(), left - 1
        note(now)
        return now + step_s if left else None

    return tick


async def test_each_is_called_at_its_own_times() -> None:
    pacer, began = Pacer(LoopClock()), asyncio.get_running_loop().time()
    noted: list[float] = []
    for first_s in (0.013, 0.005, 0.017):
        pacer.call_at(began + first_s, every(0.02, 3, noted.append))
    await asyncio.sleep(1)
    wanted = [5, 13, 17, 25, 33, 37, 45, 53, 57]
    assert [round((at - began) * 1000) for at in noted] == wanted


async def test_one_that_comes_later_and_is_due_before_all_is_not_late() -> None:
    pacer, began = Pacer(LoopClock()), asyncio.get_running_loop().time()
    noted: list[float] = []
    pacer.call_at(began + 5, every(1, 1, noted.append))
    await asyncio.sleep(1)
    pacer.call_at(began + 2, every(1, 1, noted.append))
    await asyncio.sleep(9)
    assert [round(at - began, 4) for at in noted] == [2, 5]


async def test_one_that_fails_keeps_nobody_from_it() -> None:
    pacer, now = Pacer(LoopClock()), asyncio.get_running_loop().time()
    told: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, said: told.append(said["exception"]))
    noted: list[float] = []

    def fails() -> float | None:
        raise ValueError("a bug")

    pacer.call_at(now + 0.1, fails)
    pacer.call_at(now + 0.1, every(0.02, 5, noted.append))
    await asyncio.sleep(1)
    assert len(noted) == 5
    assert len(told) == 1
