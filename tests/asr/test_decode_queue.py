"""Whose decode is next: the queue by itself, with made-up times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.asr.decode_queue import MOST_IN_BATCH, BatchLimits, DecodeQueue


@dataclass(eq=False)
class Job:
    owner: str
    final: bool
    key: str = "k"
    size: float = 1.0
    due_s: float = 0.0


def final(owner: str, key: str = "k") -> Job:
    return Job(owner, True, key)


def partial(owner: str, key: str = "k", size: float = 1.0) -> Job:
    return Job(owner, False, key, size)


def queue(most: int = 4, **limits: float) -> DecodeQueue[Job]:
    return DecodeQueue(BatchLimits(most, **limits))


def names(batch: Sequence[Job] | float | None) -> list[str]:
    assert isinstance(batch, list)
    return [job.owner for job in batch]


def test_finals_lead_and_travel_without_partials() -> None:
    waiting = queue()
    for job in (partial("p1"), final("f1"), partial("p2"), final("f2")):
        waiting.add(job, 0.0, idle=False)
    assert names(waiting.take(0.0)) == ["f1", "f2"]
    assert names(waiting.take(0.0)) == ["p1", "p2"]
    assert waiting.take(0.0) is None


def test_a_batch_has_one_key_and_the_oldest_job_in_it() -> None:
    waiting = queue(most=2)
    for job in (final("a1", "a"), final("b1", "b"), final("a2", "a"), final("a3", "a")):
        waiting.add(job, 0.0, idle=False)
    assert names(waiting.take(0.0)) == ["a1", "a2"]
    assert names(waiting.take(0.0)) == ["b1"]
    assert names(waiting.take(0.0)) == ["a3"]


def test_a_lone_final_waits_for_nobody_whatever_the_window() -> None:
    waiting = queue(final_window_s=0.010)
    waiting.add(final("alone"), 5.0, idle=True)
    assert names(waiting.take(5.0)) == ["alone"]


def test_finals_that_found_the_engine_busy_wait_the_window_or_until_the_batch_is_full() -> None:
    waiting = queue(most=2, final_window_s=0.010)
    waiting.add(final("first"), 5.0, idle=False)
    assert waiting.take(5.004) == 5.010
    assert names(waiting.take(5.010)) == ["first"]
    waiting.add(final("one"), 6.0, idle=False)
    waiting.add(final("two"), 6.001, idle=False)
    assert names(waiting.take(6.002)) == ["one", "two"]


def test_partials_are_not_begun_while_a_final_waits_for_company() -> None:
    waiting = queue(final_window_s=0.010)
    waiting.add(partial("p"), 1.0, idle=False)
    waiting.add(final("f"), 1.0, idle=False)
    assert waiting.take(1.005) == 1.010
    assert names(waiting.take(1.010)) == ["f"]


def test_a_partial_waits_only_while_others_speak() -> None:
    waiting = queue(partial_window_s=0.050)
    waiting.add(partial("a"), 0.0, idle=True)
    assert names(waiting.take(0.0)) == ["a"]  # nobody else is there
    waiting.add(partial("a"), 0.24, idle=True)
    assert names(waiting.take(0.24)) == ["a"]
    waiting.add(partial("b"), 0.25, idle=True)
    assert waiting.take(0.25) == pytest.approx(0.30)
    waiting.add(partial("a"), 0.28, idle=True)
    assert names(waiting.take(0.30)) == ["b", "a"]
    waiting.add(partial("a"), 5.0, idle=True)  # the other one is silent since long
    assert names(waiting.take(5.0)) == ["a"]


def test_a_newer_partial_inherits_the_turn_and_the_wait() -> None:
    waiting = queue(partial_window_s=0.050)
    old, new = partial("a"), partial("a")
    waiting.add(partial("b"), 0.0, idle=True)
    waiting.take(0.0)
    assert waiting.add(old, 0.01, idle=True) is None
    assert waiting.add(new, 0.05, idle=True) is old
    assert waiting.take(0.05) == pytest.approx(0.06)
    assert waiting.take(0.0601) == [new]


def test_partials_share_a_batch_only_as_far_as_it_ends_soon() -> None:
    waiting = queue(most=8, partials_work_s=0.050)

    def fill(size: float) -> list[str]:
        for n in range(8):
            waiting.add(partial(f"{n}", size=size), 0.0, idle=False)
        return names(waiting.take(0.0))

    assert len(fill(2.0)) == 8  # nothing is known yet
    waiting.clear()
    waiting.took([partial("x", size=2.0)] * 8, work_s=0.160)  # 10 ms a second of window
    assert len(fill(2.0)) == 2
    waiting.clear()
    assert len(fill(30.0)) == 1  # always one
    waiting.clear()
    for _ in range(50):
        waiting.took([partial("x", size=2.0)] * 2, work_s=0.010)  # the machine is free again
    assert len(fill(2.0)) == 8


def test_with_partials_held_back_only_finals_run() -> None:
    waiting = queue()
    waiting.add(partial("p"), 0.0, idle=False)
    assert waiting.take(9.0, partials=False) is None
    waiting.add(final("f"), 9.0, idle=False)
    assert names(waiting.take(9.0, partials=False)) == ["f"]


def test_removed_jobs_are_gone() -> None:
    waiting = queue()
    jobs = [final("f"), partial("p")]
    for job in jobs:
        waiting.add(job, 0.0, idle=False)
    assert [waiting.remove(job) for job in jobs] == [True, True]
    assert [waiting.remove(job) for job in jobs] == [False, False]
    assert (len(waiting), waiting.take(9.0), waiting.pop_newest_partial()) == (0, None, None)


def test_a_batch_has_its_bounds() -> None:
    for most in (0, MOST_IN_BATCH + 1):
        with pytest.raises(ValueError, match=f"1 to {MOST_IN_BATCH} jobs, not {most}"):
            BatchLimits(most)


arrivals = st.lists(
    st.tuples(st.integers(0, 5), st.booleans(), st.sampled_from("ab"), st.integers(0, 60)),
    max_size=40,
)


@given(arrivals, st.integers(1, 8), st.sampled_from([0.0, 0.01]), st.sampled_from([0.0, 0.05]))
def test_every_job_runs_once_in_a_fair_order_within_its_window(
    plan: list[tuple[int, bool, str, int]], most: int, final_s: float, partial_s: float
) -> None:
    waiting = queue(most, final_window_s=final_s, partial_window_s=partial_s)
    now, added, stale, ran = 0.0, list[Job](), list[Job](), list[Job]()

    def run() -> None:
        while isinstance(batch := waiting.take(now), list):
            assert 1 <= len(batch) <= most
            assert len({(job.final, job.key) for job in batch}) == 1
            ran.extend(batch)

    for owner, is_final, key, gap_ms in plan:
        now += gap_ms / 1000
        job = Job(f"{owner}", is_final, key)
        added.append(job)
        if (old := waiting.add(job, now, idle=True)) is not None:
            stale.append(old)
        run()
    now += max(final_s, partial_s)
    run()
    assert len(waiting) == 0
    assert {id(job) for job in ran} == {id(job) for job in added} - {id(job) for job in stale}
    assert len(ran) + len(stale) == len(added)
