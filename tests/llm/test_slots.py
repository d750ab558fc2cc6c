from __future__ import annotations

import asyncio

import pytest

from voicepipe.llm.slots import PrioritySlots
from voicepipe.runtime.errors import EngineError


async def _waiters(
    slots: PrioritySlots, *priorities: int
) -> tuple[list[int], list[asyncio.Task[None]]]:
    """Tasks that note their number once they hold a slot."""
    got: list[int] = []

    async def wait(number: int, priority: int) -> None:
        await slots.acquire(priority)
        got.append(number)

    tasks = []
    for number, priority in enumerate(priorities):
        tasks.append(asyncio.create_task(wait(number, priority)))
        await asyncio.sleep(0)
    return got, tasks


async def test_most_urgent_first_then_first_come() -> None:
    slots = PrioritySlots(1, 10)
    await slots.acquire(2)
    got, tasks = await _waiters(slots, 2, 1, 0, 1, 0)
    assert slots.waiting == 5
    for _ in tasks:
        slots.release()
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert got == [2, 4, 1, 3, 0]


async def test_free_slots_need_no_waiting() -> None:
    slots = PrioritySlots(2, 0)
    await slots.acquire(0)
    await slots.acquire(0)
    with pytest.raises(EngineError, match="0 requests already wait"):
        await slots.acquire(0)
    slots.release()
    await slots.acquire(2)


async def test_cancelled_waiter_takes_nothing() -> None:
    slots = PrioritySlots(1, 10)
    await slots.acquire(0)
    got, tasks = await _waiters(slots, 0, 1)
    tasks[0].cancel()
    await asyncio.sleep(0)
    assert slots.waiting == 1
    slots.release()
    await asyncio.gather(tasks[1])
    assert got == [1]


async def test_waiter_cancelled_as_its_turn_comes_passes_it_on() -> None:
    slots = PrioritySlots(1, 10)
    await slots.acquire(0)
    got, tasks = await _waiters(slots, 0, 1)
    slots.release()  # the first one's future is set, its task has not run yet
    tasks[0].cancel()
    await asyncio.gather(tasks[1])
    assert got == [1]


async def test_full_queue_refuses_the_least_urgent() -> None:
    slots = PrioritySlots(1, 2)
    await slots.acquire(0)
    _, tasks = await _waiters(slots, 1, 2)
    with pytest.raises(EngineError) as caught:
        await slots.acquire(2)
    assert caught.value.retryable
    _, urgent = await _waiters(slots, 0)
    with pytest.raises(EngineError, match="overloaded"):
        await tasks[1]
    assert slots.waiting == 2
    slots.release()
    await urgent[0]
    slots.release()
    await tasks[0]


async def test_refuse_all_ends_every_wait() -> None:
    slots = PrioritySlots(1, 5)
    await slots.acquire(0)
    _, tasks = await _waiters(slots, 0, 1)
    slots.refuse_all("closing")
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(r) for r in results] == ["closing", "closing"]
    assert slots.waiting == 0


async def test_waiters_that_gave_up_leave_nothing_behind() -> None:
    slots = PrioritySlots(1, 10)
    await slots.acquire(0)  # by one that never ends
    for _ in range(100):
        _, tasks = await _waiters(slots, 0)
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert len(slots._waiting) < 10
