"""One fleet under one load, in virtual time. Pure, seeded: the same every time."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from voicepipe.lab.capacity.call import Measured, SimulatedCall, Times, World
from voicepipe.lab.capacity.events import Timeline
from voicepipe.lab.capacity.plan import Plan, Pool
from voicepipe.lab.capacity.pool import SimulatedPool

TURNS = 20_000
"""That are measured: 200 of them lie beyond the 99th percentile."""

WARM_UP_MS = 5_000.0  # callers begin in the middle of a turn, each elsewhere
LEAST_MS = 5_000.0
SLOWEST = 0.01
POOLS = ("asr", "llm", "tts")

UNBOUNDED = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Fleet:
    """How many of each."""

    gateways: int
    asr: int
    llm: int
    tts: int

    def with_one(self, name: str, number: int) -> Fleet:
        """The same with so many of `name`."""
        return replace(self, **{name: number})


@dataclass(frozen=True, slots=True)
class Result:
    """What callers waited, ms, and what the pools did, shares of 1 by pool."""

    calls: int
    fleet: Fleet
    turns: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    parts_ms: dict[str, float]  # of the median turn, by the ledger's segments
    busy: dict[str, float]
    wasted: dict[str, float]  # of what was done, for replies that were thrown away
    prefix_hits: float
    queued_ms: dict[str, float]  # mean wait for a slot in the slowest hundredth
    bottleneck: str


def simulate(plan: Plan, calls: int, fleet: Fleet, *, seed: int = 1, turns: int = TURNS) -> Result:
    """`calls` as the plan's traffic has them, until about `turns` turns are measured."""
    return _Run(plan, calls, fleet, seed, turns).result()


class _Run:
    def __init__(self, plan: Plan, calls: int, fleet: Fleet, seed: int, turns: int) -> None:
        self._plan, self._calls, self._fleet = plan, calls, fleet
        self._timeline = Timeline()
        self._found: list[Measured] = []
        burst_ms = plan.traffic.burst_s * 1000 * (plan.traffic.pattern == "burst")
        self._length_ms = max(LEAST_MS + burst_ms, turns / calls * plan.talk.cycle_ms)
        self._seed, self._begun = seed, 0
        make = partial(_pool, self._timeline)
        self._pools = {name: make(getattr(plan, name), getattr(fleet, name)) for name in POOLS}
        self._world = World(
            plan=plan,
            timeline=self._timeline,
            asr=self._pools["asr"],
            llm=self._pools["llm"],
            tts=self._pools["tts"],
            llm_replicas=fleet.llm,
            times=Times.of(plan),
            added_ms=self._added_ms,
            measured=self._found.append,
        )

    def result(self) -> Result:
        """Let it happen, and sum it up."""
        self._callers()
        self._failures()
        self._timeline.run(WARM_UP_MS)
        self._found.clear()
        self._timeline.run(WARM_UP_MS + self._length_ms)
        return self._summed()

    # -- traffic ----------------------------------------------------------------------------------

    def _callers(self) -> None:
        """Those that are talking already, and those that come."""
        traffic, chance = self._plan.traffic, random.Random(self._seed)
        steady = traffic.pattern == "steady"
        at_first = self._calls if steady else _poisson(chance, self._calls)
        for _ in range(at_first):
            self._call(chance, 0.0, talking=True, for_ever=steady)
        if steady:
            return
        until, every = WARM_UP_MS + self._length_ms, traffic.call_s * 1000 / self._calls
        at = chance.expovariate(1 / every)
        while at < until:
            self._call(chance, at, talking=False)
            at += chance.expovariate(1 / every)
        if traffic.pattern == "burst":
            for _ in range(round(self._calls * traffic.burst_share)):
                begins = WARM_UP_MS + chance.uniform(0, traffic.burst_s * 1000)
                self._call(chance, begins, talking=False)

    def _call(
        self, chance: random.Random, at: float, *, talking: bool, for_ever: bool = False
    ) -> None:
        self._begun += 1
        own = random.Random(self._seed * 1_000_003 + self._begun)
        length = own.expovariate(1 / (self._plan.traffic.call_s * 1000))
        call = SimulatedCall(self._world, own, float("inf") if for_ever else at + length)
        cycle = self._plan.talk.cycle_ms
        before = int(own.expovariate(1 / self._plan.traffic.call_s) * 1000 / cycle) * talking
        wait = own.uniform(0, cycle) if talking else self._plan.talk.pause_ms
        self._timeline.at(at, partial(call.start, wait, before))

    # -- trouble ----------------------------------------------------------------------------------

    def _failures(self) -> None:
        failures, chance = self._plan.failures, random.Random(self._seed + 1)
        middle, length = WARM_UP_MS + self._length_ms / 2, WARM_UP_MS + self._length_ms
        for name in POOLS:
            replicas = getattr(self._fleet, name)
            for number in range(min(failures.at_once, replicas - 1)):
                self._kill(name, number, middle)
            if not failures.mean_hours:
                continue
            expected = replicas * length / (failures.mean_hours * 3_600_000)
            for _ in range(_poisson(chance, expected)):
                self._kill(name, chance.randrange(replicas), chance.uniform(0, length))

    def _kill(self, name: str, number: int, at: float) -> None:
        failures, pool = self._plan.failures, self._pools[name]
        restart_ms = failures.restart_s * 1000
        self._timeline.at(at, partial(pool.fail, number, failures.notice_ms, restart_ms))

    def _added_ms(self, chance: random.Random) -> float:
        """By a gateway: its event loop is one server; wait and work together are exponential."""
        gateway = self._plan.gateway
        load = min(0.99, self._calls / self._fleet.gateways * gateway.cpu_share)
        return chance.expovariate((1 - load) / gateway.turn_ms) if gateway.turn_ms else 0.0

    # -- figures ----------------------------------------------------------------------------------

    def _summed(self) -> Result:
        found = sorted(self._found, key=lambda one: one.voice_to_voice)
        if not found:  # nothing was answered at all
            nothing: dict[str, float] = dict.fromkeys(POOLS, 0.0)
            worst = float("inf")
            return Result(
                *(self._calls, self._fleet, 0, worst, worst, worst),
                *({}, self._busy(), nothing, 0.0, nothing, "everything"),
            )
        waits = np.array([one.voice_to_voice for one in found])
        p50, p95, p99 = (float(p) for p in np.percentile(waits, (50, 95, 99)))
        slowest = found[-max(1, round(len(found) * SLOWEST)) :]
        queued = {n: sum(one.queued[n] for one in slowest) / len(slowest) for n in POOLS}
        llm = self._pools["llm"].counts
        return Result(
            calls=self._calls,
            fleet=self._fleet,
            turns=len(found),
            p50_ms=p50,
            p95_ms=p95,
            p99_ms=p99,
            parts_ms=found[len(found) // 2].turn.parts(),
            busy=self._busy(),
            wasted={
                name: pool.counts.lost_ms / max(pool.counts.busy_ms, 1e-9)
                for name, pool in self._pools.items()
            },
            prefix_hits=llm.homes / max(llm.sought, 1),
            queued_ms=queued,
            bottleneck=_bottleneck(slowest, queued),
        )

    def _busy(self) -> dict[str, float]:
        length = WARM_UP_MS + self._length_ms
        return {
            name: pool.counts.busy_ms
            / (length * getattr(self._fleet, name) * getattr(self._plan, name).slots)
            for name, pool in self._pools.items()
        }


def _bottleneck(slowest: list[Measured], queued: dict[str, float]) -> str:
    """What made the slowest turns slow: the pool that most was waited for, if that was more than a
    tenth; else the longest stretch that the caller waited for."""
    mean = sum(one.voice_to_voice for one in slowest) / len(slowest)
    name = max(queued, key=queued.__getitem__)
    if queued[name] > mean / 10:
        return f"{name}: waiting for a slot"
    parts: Counter[str] = Counter()
    for one in slowest:
        parts.update({**one.turn.parts(), "gateway": one.added})
    stage, _ = parts.most_common(1)[0]
    own = {"endpoint": "the silence that ends a turn", "gateway": "its event loop"}
    return f"{stage}: {own.get(stage, 'its own time')}"


def _pool(timeline: Timeline, pool: Pool, replicas: int) -> SimulatedPool:
    return SimulatedPool(timeline, replicas, pool.slots, pool.company)


def _poisson(chance: random.Random, mean: float) -> int:
    """A draw, by numpy's generator, seeded from `chance`."""
    return int(np.random.default_rng(chance.getrandbits(64)).poisson(mean))
