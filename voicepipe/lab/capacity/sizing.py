"""The smallest fleet that keeps the target, and what a call costs on it. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from voicepipe.lab.capacity.plan import Plan
from voicepipe.lab.capacity.simulate import POOLS, TURNS, Fleet, Result, simulate

CELL = 1_000
"""Calls up to which a fleet is searched; a larger one is that many times over, and then simulated
as a whole."""

SEARCH = 0.4  # of the turns, while a fleet is searched
MARGIN = 0.97  # of the target, in the search: fewer turns know the p99 less well
WORTH_MS = 1.0  # a wait for a slot, of the slowest turns: less is none
HELPED = 0.98  # of the p99 before: more of that pool is of use
MOST = 2  # replicas of a pool for each call: more cannot be of use

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sized:
    """A fleet, what callers wait on it, and its price."""

    result: Result
    kept: bool  # the target; False: no number of replicas keeps it
    call_minute: float
    parts: dict[str, float]  # of that, by what is paid for


def sizes(
    plan: Plan,
    counts: Iterable[int],
    *,
    seed: int = 1,
    turns: int = TURNS,
    told: Told = lambda what: None,
) -> list[Sized]:
    """A fleet for each of `counts`, calls at once. Replicas are taken away, of the dearest pool
    first, until the next one would break the target or keep its pool busier than it allows."""
    cells: dict[int, Fleet] = {}
    found = []
    for calls in counts:
        cell = min(calls, CELL)
        if cell not in cells:
            cells[cell] = _Search(plan, cell, seed, round(turns * SEARCH), told).found()
        fleet = _times(plan, cells[cell], calls, calls / cell)
        told(f"{calls:,} calls on {fleet}")
        found.append(_priced(plan, simulate(plan, calls, fleet, seed=seed, turns=turns)))
    return found


def _times(plan: Plan, fleet: Fleet, calls: int, times: float) -> Fleet:
    replicas = (math.ceil(getattr(fleet, name) * times) for name in POOLS)
    return Fleet(gateways_for(plan, calls), *replicas)


def gateways_for(plan: Plan, calls: int) -> int:
    """Processes, with room for a burst and for those that die."""
    return math.ceil(calls * _burst(plan) / plan.gateway.calls) + plan.failures.at_once


def _burst(plan: Plan) -> float:
    """The most calls at once, as a multiple of those that were asked for."""
    return 1 + plan.traffic.burst_share * (plan.traffic.pattern == "burst")


class _Search:
    """For the smallest fleet that holds `calls`."""

    def __init__(self, plan: Plan, calls: int, seed: int, turns: int, told: Told) -> None:
        self._plan, self._calls, self._seed = plan, calls, seed
        self._turns, self._told = turns, told

    def found(self) -> Fleet:
        """The smallest, or the largest that was tried where none keeps the target."""
        fleet, result = self._enough()
        if result.p99_ms > self._plan.target.p99_ms:
            return fleet  # more would not help
        work = {name: result.busy[name] * getattr(fleet, name) for name in POOLS}
        for name in sorted(POOLS, key=lambda name: -_price(self._plan, fleet, name)):
            least = max(1, math.ceil(work[name] / self._plan.target.busy))
            fleet = self._squeezed(fleet, name, least)
        return fleet

    def _enough(self) -> tuple[Fleet, Result]:
        """One that keeps the target: the pool that is waited for most grows by half while that
        helps."""
        fleet, before = _generous(self._plan, self._calls), math.inf
        while True:
            result = self._tried(fleet)
            waited = max(POOLS, key=lambda name: result.queued_ms[name])
            more = math.ceil(getattr(fleet, waited) * 1.5)
            kept = result.p99_ms <= self._plan.target.p99_ms
            in_vain = result.queued_ms[waited] < WORTH_MS or result.p99_ms > HELPED * before
            if kept or in_vain or more > MOST * self._calls:
                return fleet, result
            fleet, before = fleet.with_one(waited, more), result.p99_ms

    def _squeezed(self, fleet: Fleet, name: str, least: int) -> Fleet:
        """The fewest of one pool, by halving; the others stay."""
        low, high = least, max(least, getattr(fleet, name))
        while low < high:
            middle = (low + high) // 2
            if _keeps(self._plan, self._tried(fleet.with_one(name, middle)), name):
                high = middle
            else:
                low = middle + 1
        return fleet.with_one(name, high)

    def _tried(self, fleet: Fleet) -> Result:
        self._told(f"{self._calls:,} calls on {fleet}")
        return simulate(self._plan, self._calls, fleet, seed=self._seed, turns=self._turns)


def _keeps(plan: Plan, result: Result, name: str) -> bool:
    late = result.p99_ms > MARGIN * plan.target.p99_ms
    return not late and result.busy[name] <= plan.target.busy


def _generous(plan: Plan, calls: int) -> Fleet:
    """By the square root rule: the work, and four of its deviations, and those that die."""
    talk, spare = plan.talk, plan.failures.at_once
    turns = calls / talk.cycle_ms * _burst(plan)
    speech_ms = sum(talk.speech_ms) / 2
    partials = plan.asr.partial * speech_ms / plan.asr.partial_ms if plan.asr.partial_ms else 0.0
    often = 1 + talk.goes_on
    ms = {
        "asr": plan.asr.decode.mean_ms * (often + partials),
        "llm": often * (plan.llm.first_token.mean_ms + talk.answer_tokens * plan.llm.token.mean_ms),
        "tts": 2 * plan.tts.first_audio.mean_ms + talk.answer_s * plan.tts.ms_per_s,
    }

    def replicas(name: str) -> int:
        pool = getattr(plan, name)
        slower = 1 + pool.company * (pool.slots - 1)
        busy = turns * (ms[name] + plan.hop_ms) * slower
        return int(math.ceil((busy + 4 * math.sqrt(busy)) / pool.slots) + 1 + spare)

    return Fleet(gateways_for(plan, calls), *(replicas(name) for name in POOLS))


def _price(plan: Plan, fleet: Fleet, name: str) -> float:
    """Of an hour of all of them."""
    count: int = getattr(fleet, name)
    return count * float(getattr(plan, name).price_hour)


def _priced(plan: Plan, result: Result) -> Sized:
    """A fleet is paid all day, and minutes are those of the mean load."""
    fleet, traffic = result.fleet, plan.traffic
    mean = result.calls / (traffic.peak_to_mean if traffic.pattern == "diurnal" else 1.0)
    hour = {name: _price(plan, fleet, name) for name in POOLS}
    hour["gateway"] = fleet.gateways * plan.gateway.price_hour
    parts = {name: price / (mean * 60) for name, price in hour.items()}
    kept = result.p99_ms <= plan.target.p99_ms
    return Sized(result, kept, sum(parts.values()), parts)
