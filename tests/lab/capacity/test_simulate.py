"""A fleet in virtual time: what callers wait for, and what helps."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from voicepipe.lab.capacity.picture import picture
from voicepipe.lab.capacity.plan import Plan
from voicepipe.lab.capacity.simulate import Fleet, simulate
from voicepipe.lab.capacity.sizing import gateways_for, sizes
from voicepipe.lab.capacity.table import as_dict

TURNS = 1500
AMPLE = Fleet(1, 40, 40, 40)


def plan(**sections: Any) -> Plan:
    """Constant times, no luck but the callers': asr 100, llm 100 + 9 tokens of 10, tts 60 ms."""
    quiet = {"turn_ms": 0.0}
    constant = {"clause_tokens": 9, "answer_tokens": 22, "vad_ms": 20, "output_ms": 10}
    talk = {"goes_on": 0.0, "finished": 1.0, **constant, **sections.pop("talk", {})}
    return Plan.model_validate({"gateway": quiet, "talk": talk, **sections})


def test_with_ample_replicas_a_turn_takes_what_its_stages_take() -> None:
    found = simulate(plan(), 20, AMPLE, turns=TURNS)
    # eager end 120, its frame 20, decode 100, first token 100, clause 90, speech 60, output 10
    assert found.p50_ms == pytest.approx(500)
    assert found.p99_ms == pytest.approx(500)
    assert sum(found.parts_ms.values()) == pytest.approx(500)
    assert found.turns > TURNS / 2


def test_what_is_ready_before_the_endpoint_costs_nothing() -> None:
    quick = plan(llm={"first_token": {"mean_ms": 5}}, asr={"decode": {"mean_ms": 10}})
    found = simulate(quick, 20, AMPLE, turns=TURNS)
    assert found.p50_ms == pytest.approx(320)
    assert found.bottleneck.startswith("endpoint")


def test_without_preparation_everything_comes_after_the_endpoint() -> None:
    found = simulate(plan(talk={"preemptive": False}), 20, AMPLE, turns=TURNS)
    assert found.p50_ms == pytest.approx(320 + 100 + 100 + 90 + 60 + 10)


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    crowded, fleet = plan(talk={"goes_on": 0.3}), Fleet(1, 2, 2, 2)
    first, again = (simulate(crowded, 30, fleet, seed=5, turns=TURNS) for _ in range(2))
    assert first == again
    assert simulate(crowded, 30, fleet, seed=6, turns=TURNS) != first


@pytest.mark.parametrize("name", ["asr", "llm", "tts"])
def test_more_of_a_pool_is_never_worse(name: str) -> None:
    steady = plan(traffic={"pattern": "steady"})
    waits = [
        simulate(steady, 60, AMPLE.with_one(name, count), turns=TURNS).p99_ms
        for count in (2, 3, 5, 9)
    ]
    assert all(more <= fewer + 0.5 for fewer, more in pairwise(waits))
    assert waits[0] > waits[-1]


def test_the_pool_that_is_short_is_named() -> None:
    for name in ("asr", "llm", "tts"):
        found = simulate(plan(), 60, AMPLE.with_one(name, 2), turns=TURNS)
        assert found.bottleneck == f"{name}: waiting for a slot"


def test_what_is_prepared_in_vain_is_counted_as_work() -> None:
    pausing = plan(talk={"goes_on": 0.5}, asr={"decode": {"mean_ms": 20}})
    found = simulate(pausing, 40, AMPLE, turns=TURNS)
    assert found.wasted["llm"] > 0.02
    assert simulate(plan(), 40, AMPLE, turns=TURNS).wasted["llm"] == 0


def test_full_replicas_cost_prefixes_unless_one_waits_for_them() -> None:
    def hits(patience: float) -> float:
        llm = {"prefill_ms": 1.0, "patience": patience}
        crowded = plan(llm=llm)
        return simulate(crowded, 60, AMPLE.with_one("llm", 8), turns=TURNS).prefix_hits

    assert hits(0.0) < 0.8 < hits(5.0)


def test_a_replica_that_dies_makes_some_turns_late_and_loses_none() -> None:
    dying = plan(failures={"at_once": 1, "restart_s": 60})
    fleet = Fleet(1, 3, 6, 3)
    well, hurt = simulate(plan(), 40, fleet, turns=TURNS), simulate(dying, 40, fleet, turns=TURNS)
    assert hurt.p99_ms > well.p99_ms
    assert hurt.turns == pytest.approx(well.turns, rel=0.1)


def test_a_burst_waits_longer_than_the_calls_before_it() -> None:
    fleet = Fleet(1, 3, 4, 3)
    burst = plan(traffic={"pattern": "burst", "burst_share": 1.0})
    assert (
        simulate(burst, 40, fleet, turns=TURNS).p99_ms
        > simulate(plan(), 40, fleet, turns=TURNS).p99_ms
    )


def test_a_busy_gateway_adds_more() -> None:
    gateway = {"turn_ms": 1.0, "cpu_share": 0.008}
    crowded = plan(gateway=gateway)
    alone, full = (
        simulate(crowded, 100, Fleet(count, 40, 40, 40), turns=TURNS) for count in (10, 1)
    )
    assert full.p99_ms - 500 > 3 * (alone.p99_ms - 500)


def test_a_fleet_keeps_the_target_and_one_replica_less_does_not() -> None:
    paid = plan(llm={"price_hour": 2.0}, gateway={"calls": 50, "price_hour": 0.5})
    sized = sizes(paid, [120], turns=4000)[0]
    fleet = sized.result.fleet
    assert sized.kept
    assert sized.result.p99_ms <= 800
    assert fleet.gateways == gateways_for(paid, 120) == 3
    assert sized.call_minute == pytest.approx((fleet.llm * 2.0 + 3 * 0.5) / 120 / 60)
    less = simulate(paid, 120, fleet.with_one("llm", max(1, fleet.llm - 2)), turns=4000)
    assert less.p99_ms > 776 or less.busy["llm"] > 0.85


def test_a_target_below_the_engines_own_time_is_said_to_be_out_of_reach() -> None:
    sized = sizes(plan(target={"p99_ms": 400}), [20], turns=TURNS)[0]
    assert not sized.kept
    assert sized.result.bottleneck.startswith(("llm", "endpoint"))


def test_a_diurnal_fleet_is_paid_at_night_too() -> None:
    def minute(pattern: str) -> float:
        traffic = {"pattern": pattern, "peak_to_mean": 3.0}
        paid = plan(traffic=traffic, llm={"price_hour": 1.0})
        return sizes(paid, [50], turns=TURNS)[0].call_minute

    assert minute("diurnal") == pytest.approx(3 * minute("poisson"))


def test_a_fleet_that_answers_nobody_in_time_is_written_and_drawn() -> None:
    hopeless = plan(llm={"first_token": {"mean_ms": 600_000}})
    fleets = sizes(hopeless, (2,), turns=100)
    assert [one.result.turns for one in fleets] == [0]
    written = json.loads(json.dumps(as_dict(hopeless, fleets), allow_nan=False))
    assert written["fleets"][0]["result"]["p99_ms"] is None
    both = [*fleets, *sizes(plan(), (2,), turns=100)]
    for drawn in (picture(hopeless, fleets), picture(hopeless, both)):
        ElementTree.fromstring(drawn)
        assert "inf" not in drawn
