"""Fair sharing of one worker, in a real child process."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from tests.workers.test_supervisor import until
from voicepipe.workers.fair_queue import MOST_AHEAD_S, Job
from voicepipe.workers.process import Reply, child_command
from voicepipe.workers.supervisor import Worker


@contextlib.asynccontextmanager
async def speaking() -> AsyncIterator[Worker]:
    command = child_command("tests.workers.engines:create_speaking", {})
    worker = Worker(command, name="test", stage="tts")
    await worker.start()
    try:
        yield worker
    finally:
        await worker.aclose()


async def ask(worker: Worker, **request: object) -> list[int]:
    """Which step of the worker each reply was."""
    replies = worker.request(request, first_timeout_s=20, next_timeout_s=20)
    return [int(reply.header["step"]) async for reply in replies]


async def begun(worker: Worker, **request: object) -> tuple[asyncio.Task[list[int]], Reply]:
    """A request whose first reply has come; the rest is being read."""
    replies = worker.request(request, first_timeout_s=20, next_timeout_s=20)
    first = await anext(replies)

    async def rest() -> list[int]:
        return [int(reply.header["step"]) async for reply in replies]

    return asyncio.create_task(rest()), first


async def test_a_newcomer_waits_for_one_chunk_not_for_a_clause() -> None:
    async with speaking() as worker:
        long, first = await begun(worker, chunks=200, pause_s=0.02, chunk_s=1.0)
        short = await ask(worker, chunks=1, chunk_s=1.0)
        assert short[0] < 100  # the long one has 200 steps
        rest = await long
        assert len(rest) == 199
        assert int(first.header["step"]) < short[0] < rest[-1]


async def test_who_runs_dry_first_goes_first() -> None:
    async with speaking() as worker:
        rich, _ = await begun(worker, chunks=60, pause_s=0.01, chunk_s=100.0)
        poor = await ask(worker, chunks=30, pause_s=0.01, chunk_s=0.0)
        assert poor == list(range(poor[0], poor[0] + 30))  # never had to wait
        assert (await rich)[-1] > poor[-1]


async def test_equals_take_turns() -> None:
    async with speaking() as worker:
        first, second = await asyncio.gather(
            ask(worker, chunks=40, pause_s=0.005, chunk_s=1.0),
            ask(worker, chunks=40, pause_s=0.005, chunk_s=1.0),
        )
        both = range(max(first[0], second[0]), min(first[-1], second[-1]))
        assert len(both) > 60  # they ran side by side, not one after the other


async def test_cancelling_one_leaves_the_others_alone() -> None:
    async with speaking() as worker:
        gone, _ = await begun(worker, chunks=1000, pause_s=0.02, chunk_s=1.0)
        other, _ = await begun(worker, chunks=30, pause_s=0.005, chunk_s=1.0)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        await until(lambda: worker.active == 1)
        assert len(await other) == 29
        (closed,) = await ask(worker, count_closed=True)
        assert closed == 1  # its generator was closed, so that it lets go of what it holds
        assert worker.restarts == 0


def test_who_is_far_ahead_still_gets_a_turn_before_its_deadline() -> None:
    """The other side waits for the next reply all the while."""
    job = Job(1, lambda: iter([time.monotonic() + 60] * 2), lambda: False)
    for _ in range(2):
        job.go_on()
        assert job.wanted_s <= time.monotonic() + MOST_AHEAD_S
    job.go_on()
    assert job.outcome == {"op": "end"}
