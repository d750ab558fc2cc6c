"""The simulated pool against what queueing theory says of it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from statistics import mean

import pytest

from voicepipe.lab.capacity.events import Timeline
from voicepipe.lab.capacity.pool import SimulatedPool, Work


def erlang_c(servers: int, load: float) -> float:
    """The chance that a customer waits, of M/M/c with `load` erlang."""
    terms = [load**n / math.factorial(n) for n in range(servers)]
    last = load**servers / math.factorial(servers) * servers / (servers - load)
    return last / (sum(terms) + last)


def waits(
    servers: int, per_ms: float, service: Callable[[random.Random], float], *, slots: int = 1
) -> list[float]:
    """How long each of 40,000 works of a Poisson stream waited."""
    timeline, chance = Timeline(), random.Random(7)
    pool = SimulatedPool(timeline, servers // slots, slots)
    works, at = [], 0.0
    for _ in range(40_000):
        at += chance.expovariate(per_ms)
        ms = service(chance)
        works.append(Work(lambda _replica, ms=ms: (ms, ms), lambda: None))  # type: ignore[misc]
        timeline.at(at, partial(pool.submit, works[-1]))
    timeline.run(math.inf)
    assert all(work.over for work in works)
    return [work.waited for work in works]


@pytest.mark.parametrize(("servers", "slots"), [(1, 1), (4, 1), (6, 3)])
def test_waits_are_those_of_mmc(servers: int, slots: int) -> None:
    service_ms, busy = 100.0, 0.7
    load = busy * servers
    found = waits(
        servers, load / service_ms, lambda chance: chance.expovariate(1 / service_ms), slots=slots
    )
    chance_to_wait = erlang_c(servers, load)
    assert mean(found) == pytest.approx(chance_to_wait * service_ms / (servers - load), rel=0.15)
    assert sum(one > 0 for one in found) / len(found) == pytest.approx(chance_to_wait, rel=0.1)


def test_constant_work_waits_half_as_long() -> None:
    """Pollaczek and Khinchine: M/D/1 waits rho s / (2 (1 - rho))."""
    found = waits(1, 0.7 / 100, lambda _chance: 100.0)
    assert mean(found) == pytest.approx(0.7 * 100 / (2 * 0.3), rel=0.1)


def test_without_a_queue_nothing_waits() -> None:
    assert max(waits(400, 0.8 / 100, lambda _chance: 100.0)) == 0


def test_one_replica_more_makes_no_work_wait_longer() -> None:
    def run(servers: int) -> list[float]:
        return waits(servers, 0.036, lambda chance: chance.expovariate(1 / 100))

    fewer, more = run(4), run(5)
    assert all(b <= a + 1e-6 for a, b in zip(fewer, more, strict=True))


def submitted(pool: SimulatedPool, ms: float, **how: object) -> Work:
    work = Work(lambda _replica: (ms, ms), lambda: None)
    for name, value in how.items():
        setattr(work, name, value)
    pool.submit(work)
    return work


def test_urgent_work_goes_first() -> None:
    timeline = Timeline()
    pool = SimulatedPool(timeline, 1)
    submitted(pool, 10)
    partial_decode = submitted(pool, 10, urgent=False)
    final = submitted(pool, 10)
    timeline.run(100)
    assert (final.waited, partial_decode.waited) == (10, 20)


def test_work_goes_home_or_where_there_is_room() -> None:
    timeline = Timeline()
    pool = SimulatedPool(timeline, 3)
    at_home, spilt = (submitted(pool, 10, home=2) for _ in range(2))
    assert at_home.replica == 2
    assert spilt.replica != 2
    assert (pool.counts.homes, pool.counts.sought) == (1, 2)


def test_work_waits_for_its_home_while_that_is_quicker() -> None:
    timeline = Timeline()
    pool = SimulatedPool(timeline, 2)
    submitted(pool, 100, home=1)
    patient = submitted(pool, 10, home=1, patience=150.0)
    impatient = submitted(pool, 10, home=1, patience=20.0)
    timeline.run(200)
    assert (patient.replica, patient.waited) == (1, 100)
    assert (impatient.replica, impatient.waited) == (0, 20)


def test_what_is_cancelled_makes_room_at_once() -> None:
    timeline = Timeline()
    pool = SimulatedPool(timeline, 1)
    running, waiting = submitted(pool, 100), submitted(pool, 10)
    timeline.at(30, lambda: pool.cancel(running))
    timeline.run(200)
    assert waiting.waited == 30
    assert (pool.counts.lost_ms, pool.counts.busy_ms) == (30, 40)


def test_a_dead_replicas_work_is_done_by_another() -> None:
    timeline = Timeline()
    pool = SimulatedPool(timeline, 2)
    work = submitted(pool, 100)
    timeline.at(50, lambda: pool.fail(work.replica, notice_ms=5, restart_ms=1000))
    timeline.run(154)
    assert not work.over  # 50, then 5 until it was noticed, then all of it again
    timeline.run(156)
    assert work.over


def test_company_slows_a_replica() -> None:
    timeline = Timeline()
    pool = SimulatedPool(timeline, 1, slots=4, company=0.5)
    first, second = (submitted(pool, 100) for _ in range(2))
    timeline.run(101)
    assert (first.over, second.over) == (True, False)
    timeline.run(151)
    assert second.over
