"""A session's tasks: none outlives it, none dies unheard."""

from __future__ import annotations

import asyncio
import logging

import pytest

from voicepipe.runtime.errors import EngineError
from voicepipe.session.tasks import Tasks

pytestmark = pytest.mark.virtual_time


async def test_result_is_had_from_the_task_and_the_task_is_forgotten() -> None:
    tasks = Tasks()

    async def work() -> int:
        await asyncio.sleep(1)
        return 7

    task = tasks.spawn(work(), "work")
    assert len(tasks) == 1
    assert await task == 7
    await asyncio.sleep(0)
    assert len(tasks) == 0


async def test_close_cancels_all_and_waits_for_their_last_words() -> None:
    tasks, said = Tasks(), []

    async def work(number: int) -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            await asyncio.sleep(1)
            said.append(number)

    for number in range(3):
        tasks.spawn(work(number), "work")
    await asyncio.sleep(0.1)
    await tasks.aclose()
    assert sorted(said) == [0, 1, 2]
    assert len(tasks) == 0


async def test_task_begun_while_closing_is_cancelled_too() -> None:
    tasks = Tasks()

    async def late() -> None:
        await asyncio.sleep(1000)

    async def work() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            tasks.spawn(late(), "late")

    tasks.spawn(work(), "work")
    await asyncio.sleep(0.1)
    await asyncio.wait_for(tasks.aclose(), 1)
    assert len(tasks) == 0


@pytest.mark.parametrize(
    ("error", "level"),
    [(EngineError("no voice", stage="tts"), "WARNING"), (RuntimeError("a bug"), "ERROR")],
)
async def test_failure_nobody_awaits_is_logged_by_name(
    error: Exception, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = Tasks()

    async def work() -> None:
        raise error

    with caplog.at_level(logging.WARNING, logger="voicepipe.session.tasks"):
        tasks.spawn(work(), "transcribe")
        await asyncio.sleep(0.1)
    (entry,) = caplog.records
    assert entry.levelname == level
    assert "transcribe" in entry.getMessage()


async def test_cancelled_task_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks()
    tasks.spawn(asyncio.sleep(1000), "idle").cancel()
    await asyncio.sleep(0.1)
    assert caplog.records == []
    assert len(tasks) == 0


async def test_a_task_that_does_not_stop_is_reported_and_left_behind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Else a call whose engine hangs as it is closed would never end."""
    tasks, released = Tasks(), asyncio.Event()

    async def stubborn() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            await released.wait()

    task = tasks.spawn(stubborn(), "stubborn")
    await asyncio.sleep(0.1)
    async with asyncio.timeout(60):
        await tasks.aclose()
    assert len(tasks) == 0
    assert "stubborn" in caplog.text
    released.set()
    await asyncio.wait([task])
