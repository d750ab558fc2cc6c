"""The decode queue, in virtual time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tests.virtual_time import LoopClock
from voicepipe.asr.decode_queue import BatchLimits
from voicepipe.asr.scheduler import DecodeScheduler, SchedulerStats, ThreadRunner
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError


class Engine:
    """Takes a second a batch and keeps the order in which jobs came."""

    def __init__(self, work_s: float = 1.0) -> None:
        self.work_s = work_s
        self.batches: list[list[str]] = []
        self.most = self.running = 0

    async def __call__(self, jobs: Sequence[str]) -> list[str]:
        self.batches.append(list(jobs))
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(self.work_s)
        self.running -= 1
        if "bad" in jobs:
            raise RuntimeError("no such token")
        return [job.upper() for job in jobs]


def make(work_s: float = 1.0, **options: Any) -> tuple[Engine, DecodeScheduler[str, str]]:
    engine = Engine(work_s)
    return engine, DecodeScheduler(engine, LoopClock(), batch_key=lambda job: job[0], **options)


@pytest.mark.virtual_time
async def test_a_job_reports_its_queue_and_work_time() -> None:
    _, scheduler = make()
    first = scheduler.submit("a", owner=1, final=True)
    second = scheduler.submit("b", owner=2, final=True)
    assert scheduler.stats.queued == 2
    done = [await first.future, await second.future]
    assert [(d.result, d.queue_s, d.work_s) for d in done] == [("A", 0, 1), ("B", 1, 1)]
    assert scheduler.stats == SchedulerStats(decodes=2, finals=2, batches=2, largest=1, deepest=2)
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_finals_overtake_partials_and_equals_are_first_come_first_served() -> None:
    engine, scheduler = make()
    jobs = [("p1", False), ("p2", False), ("p3", False), ("f1", True), ("f2", True)]
    tickets = [scheduler.submit(name, owner=name, final=final) for name, final in jobs]
    await asyncio.gather(*(ticket.future for ticket in tickets))
    assert engine.batches == [["f1"], ["f2"], ["p1"], ["p2"], ["p3"]]
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_a_newer_partial_takes_the_place_and_the_turn_of_the_stale_one() -> None:
    engine, scheduler = make()
    running = scheduler.submit("run", owner=0, final=True)
    await asyncio.sleep(0.5)
    stale = scheduler.submit("old", owner=1, final=False)
    other = scheduler.submit("other", owner=2, final=False)
    newer = scheduler.submit("new", owner=1, final=False)
    assert stale.future.cancelled()
    assert (scheduler.stats.queued, scheduler.stats.replaced_partials) == (2, 1)
    await asyncio.gather(running.future, other.future, newer.future)
    assert engine.batches == [["run"], ["new"], ["other"]]
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_eager_utterances_do_not_starve_others() -> None:
    engine, scheduler = make()

    async def eager(owner: int) -> None:
        for _ in range(30):
            scheduler.submit(f"e{owner}", owner=owner, final=False)
            await asyncio.sleep(0.25)

    await asyncio.gather(*(eager(owner) for owner in range(4)))
    ran = [batch[0] for batch in engine.batches]
    assert len(ran) in (7, 8)
    assert {ran.count(f"e{owner}") for owner in range(4)} <= {1, 2}
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_cancelling_a_waiting_job_frees_its_place() -> None:
    engine, scheduler = make()
    running = scheduler.submit("run", owner=0, final=True)
    await asyncio.sleep(0.5)
    final = scheduler.submit("final", owner=1, final=True)
    partial = scheduler.submit("partial", owner=1, final=False)
    for ticket in (final, partial, final, partial):
        scheduler.cancel(ticket)
    assert scheduler.stats.queued == 0
    assert scheduler.stats.dropped_partials == 1
    await running.future
    await asyncio.sleep(5)
    assert engine.batches == [["run"]]
    assert final.future.cancelled()
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_cancelling_a_running_job_drops_only_its_result() -> None:
    engine, scheduler = make()
    ticket = scheduler.submit("run", owner=0, final=True)
    await asyncio.sleep(0.5)
    scheduler.cancel(ticket)
    after = scheduler.submit("after", owner=1, final=True)
    assert (await after.future).result == "AFTER"
    assert engine.batches == [["run"], ["after"]]
    assert scheduler.stats.decodes == 2
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_a_full_queue_pushes_out_the_newest_partial_then_refuses() -> None:
    engine, scheduler = make(max_queue=3)
    running = scheduler.submit("run", owner=0, final=True)
    await asyncio.sleep(0.5)
    partials = [scheduler.submit(f"p{n}", owner=n, final=False) for n in range(3)]
    finals = [scheduler.submit("f1", owner=7, final=True)]
    assert [ticket.future.cancelled() for ticket in partials] == [False, False, True]
    assert scheduler.stats.dropped_partials == 1
    finals += [scheduler.submit("f2", owner=8, final=True)]
    finals += [scheduler.submit("f3", owner=9, final=True)]
    with pytest.raises(EngineError, match="overloaded: 3 decodes are waiting") as refused:
        scheduler.submit("f4", owner=10, final=True)
    assert refused.value.retryable
    await asyncio.gather(running.future, *(ticket.future for ticket in finals))
    assert engine.batches == [["run"], ["f1"], ["f2"], ["f3"]]
    assert scheduler.stats.deepest == 3
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_a_job_that_breaks_its_batch_fails_alone() -> None:
    engine = Engine()
    scheduler = DecodeScheduler(engine, LoopClock(), limits=BatchLimits(most=4, final_window_s=0.1))
    scheduler.submit("first", owner=0, final=True)
    await asyncio.sleep(0)
    one, bad, two = (scheduler.submit(n, owner=n, final=True) for n in ("one", "bad", "two"))
    with pytest.raises(EngineError, match="failed: RuntimeError"):
        await bad.future
    assert [(await ticket.future).result for ticket in (one, two)] == ["ONE", "TWO"]
    assert engine.batches[1:] == [["one", "bad", "two"], ["one"], ["bad"], ["two"]]
    assert scheduler.stats.failures == 1
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_a_failure_reaches_its_job_and_the_queue_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What went wrong is the log's: the error is told to callers."""
    _, scheduler = make()
    bad = scheduler.submit("bad", owner=0, final=True)
    good = scheduler.submit("good", owner=1, final=True)
    with pytest.raises(EngineError, match=r"failed: RuntimeError$") as failure:
        await bad.future
    assert failure.value.stage == "asr"
    assert "no such token" in caplog.text
    assert (await good.future).result == "GOOD"
    assert scheduler.stats.failures == 1
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_workers_bound_what_runs_at_the_same_time() -> None:
    engine, scheduler = make(workers=2)
    tickets = [scheduler.submit(f"j{n}", owner=n, final=True) for n in range(5)]
    began = LoopClock().now()
    await asyncio.gather(*(ticket.future for ticket in tickets))
    assert (engine.most, LoopClock().now() - began) == (2, 3.0)
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_jobs_of_one_kind_share_a_batch_in_order_of_rank() -> None:
    engine, scheduler = make(limits=BatchLimits(most=3))
    names = [("a1", False), ("a2", False), ("b1", True), ("a3", True), ("a4", False)]
    tickets = [scheduler.submit(name, owner=name, final=final) for name, final in names]
    done = await asyncio.gather(*(ticket.future for ticket in tickets))
    assert engine.batches == [["b1"], ["a3"], ["a1", "a2", "a4"]]
    assert [outcome.result for outcome in done] == ["A1", "A2", "B1", "A3", "A4"]
    stats = scheduler.stats
    assert (stats.decodes, stats.finals, stats.batches) == (5, 2, 3)
    assert (stats.shared, stats.largest) == (3, 3)
    await scheduler.aclose()


WINDOWS = BatchLimits(most=8, final_window_s=0.010, partial_window_s=0.050, partials_work_s=9.0)


@pytest.mark.virtual_time
async def test_a_lone_final_starts_at_once_even_while_partials_wait_for_company() -> None:
    engine, scheduler = make(0.1, limits=WINDOWS)
    began = LoopClock().now()
    earlier = scheduler.submit("a1", owner=1, final=False)
    await earlier.future
    waiting = scheduler.submit("a2", owner=2, final=False)  # the first one may speak still
    await asyncio.sleep(0.020)
    assert engine.running == 0
    final = scheduler.submit("a3", owner=3, final=True)
    assert (await final.future).queue_s == pytest.approx(0.0)
    await waiting.future
    assert engine.batches == [["a1"], ["a3"], ["a2"]]
    assert LoopClock().now() - began == pytest.approx(0.320)
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_partials_of_several_speakers_within_the_window_are_one_batch() -> None:
    engine, scheduler = make(0.1, limits=WINDOWS)
    await scheduler.submit("a0", owner=0, final=False).future
    tickets = []
    for owner in range(1, 5):
        tickets.append(scheduler.submit(f"a{owner}", owner=owner, final=False))
        await asyncio.sleep(0.010)
    done = [await ticket.future for ticket in tickets]
    assert engine.batches == [["a0"], ["a1", "a2", "a3", "a4"]]
    assert max(outcome.queue_s for outcome in done) == pytest.approx(0.050)
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_a_full_batch_does_not_wait_for_the_window() -> None:
    limits = BatchLimits(most=2, partial_window_s=0.050, partials_work_s=9.0)
    engine, scheduler = make(0.1, limits=limits)
    await scheduler.submit("a0", owner=0, final=False).future
    pair = [scheduler.submit(f"a{owner}", owner=owner, final=False) for owner in (1, 2)]
    assert [(await ticket.future).queue_s for ticket in pair] == [0.0, 0.0]
    assert engine.batches == [["a0"], ["a1", "a2"]]
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_with_two_workers_one_is_kept_for_finals() -> None:
    engine, scheduler = make(workers=2)
    partials = [scheduler.submit(f"p{n}", owner=n, final=False) for n in range(3)]
    await asyncio.sleep(0.5)
    assert engine.batches == [["p0"]]
    final = scheduler.submit("f", owner=9, final=True)
    assert (await final.future).queue_s == 0.0
    await asyncio.gather(*(ticket.future for ticket in partials))
    assert engine.batches == [["p0"], ["f"], ["p1"], ["p2"]]
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_closing_wakes_who_waits_for_company() -> None:
    engine, scheduler = make(0.1, limits=WINDOWS)
    await scheduler.submit("a0", owner=0, final=False).future
    waiting = scheduler.submit("a1", owner=1, final=False)
    await asyncio.sleep(0.010)
    await scheduler.aclose()
    assert waiting.future.cancelled()
    assert engine.batches == [["a0"]]


@pytest.mark.virtual_time
async def test_a_job_that_comes_in_the_very_step_in_which_the_queue_ran_dry_is_run() -> None:
    _, scheduler = make()
    first = scheduler.submit("first", owner=0, final=True)
    second = asyncio.get_running_loop().create_future()
    first.future.add_done_callback(
        lambda _: second.set_result(scheduler.submit("second", owner=1, final=True))
    )
    assert (await (await second).future).result == "SECOND"
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_closing_drops_what_waits_and_lets_the_running_job_end() -> None:
    engine, scheduler = make()
    running = scheduler.submit("run", owner=0, final=True)
    waiting = scheduler.submit("wait", owner=1, final=True)
    await asyncio.sleep(0.5)
    await scheduler.aclose()
    assert (running.future.done(), waiting.future.cancelled()) == (True, True)
    assert engine.batches == [["run"]]
    with pytest.raises(EngineError, match="shut down"):
        scheduler.submit("late", owner=2, final=True)
    await scheduler.aclose()


async def test_threads_compute_while_the_loop_goes_on() -> None:
    names = []

    def work(jobs: Sequence[int]) -> list[int]:
        names.append(threading.current_thread().name)
        time.sleep(0.05)
        return [job * 2 for job in jobs]

    runner = ThreadRunner(work)
    scheduler = DecodeScheduler(runner, MonotonicClock())
    ticket = scheduler.submit(21, owner=0, final=True)
    ticks = 0
    while not ticket.future.done():
        await asyncio.sleep(0.005)
        ticks += 1
    assert ((await ticket.future).result, ticks > 3) == (42, True)
    assert names[0].startswith("asr-decode")
    await scheduler.aclose()
    runner.close()
