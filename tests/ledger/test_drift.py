"""A stage that becomes slower than its own last week is found, with a cause; nothing else is."""

from __future__ import annotations

import json
import random

import pytest

from voicepipe.ledger.drift import HOUR_S, DriftWatch, Tally
from voicepipe.ledger.records import TurnRecord

DAY = 24


def turn(llm_ms: float, *, endpoint_ms: float = 300, **tokens: int) -> TurnRecord:
    critical = {"endpoint": round(endpoint_ms * 1000), "llm": round(llm_ms * 1000)}
    return TurnRecord(
        turn_id="turn",
        session_id="sess",
        origin="speech",
        end="completed",
        marks={},
        critical=critical,  # type: ignore[arg-type]
        work={},
        budget={},
        tokens=tokens,
    )


class Week:
    """A watch and its turns, 60 an hour, whose first token takes lognormal 150 ms."""

    def __init__(self, seed: int = 1) -> None:
        self.watch = DriftWatch("llm one")
        self.random = random.Random(seed)
        self.hour = 0

    def hours(self, count: int, slower: float = 1.0, sessions: int = 3, **tokens: int) -> None:
        for _ in range(count):
            for minute in range(60):
                ms = self.random.lognormvariate(5.0, 0.5) * slower
                tokens = {"prompt": 400, "cached": 350, **tokens}
                self.watch.observe(turn(ms, **tokens), sessions, self.hour * HOUR_S + minute * 60)
            self.hour += 1


def test_a_week_like_any_other_finds_nothing() -> None:
    for seed in range(2):
        week = Week(seed)
        for _ in range(2 * 7 * DAY):
            week.hours(1)
            assert week.watch.findings == ()


def test_a_stage_that_takes_half_as_long_again_is_found_within_three_hours() -> None:
    week = Week()
    week.hours(3 * DAY)
    week.hours(3, slower=1.5)
    (drift,) = week.watch.findings
    assert drift.stage == "llm"
    assert drift.quantile == 0.5
    assert drift.before_ms == pytest.approx(150, rel=0.1)
    assert drift.ratio == pytest.approx(1.5, rel=0.15)
    assert drift.cause == ""
    assert str(drift).startswith("llm is slower than last week: p50 2")
    assert json.loads(json.dumps(drift.as_dict()))["stage"] == "llm"


def test_it_is_over_when_the_times_are_what_they_were_or_the_week_has_become_so() -> None:
    week = Week()
    week.hours(3 * DAY)
    week.hours(3, slower=1.5)
    assert week.watch.findings
    week.hours(5)
    assert week.watch.findings == ()
    week.hours(8 * DAY, slower=1.5)
    assert week.watch.findings == ()


def test_a_longer_tail_alone_is_found_by_the_95th_percentile() -> None:
    week = Week()
    week.hours(3 * DAY)
    for minute in range(160):  # one turn in seven takes a second; the median hardly moves
        ms = 1000 if minute % 7 == 0 else week.random.lognormvariate(5.0, 0.5)
        week.watch.observe(turn(ms), 3, (week.hour + minute / 60) * HOUR_S)
    (drift,) = week.watch.findings
    assert (drift.stage, drift.quantile) == ("llm", 0.95)


def test_few_turns_prove_nothing_and_a_small_difference_is_none() -> None:
    week = Week()
    week.hours(1)
    week.hours(2, slower=5)
    assert week.watch.findings == ()  # there is no week to compare with
    week = Week()
    week.hours(7 * DAY)
    week.hours(3, slower=1.1)
    assert week.watch.findings == ()


def test_the_likely_cause_is_named_from_the_ledger() -> None:
    week = Week()
    week.hours(3 * DAY)
    week.hours(3, slower=2, prompt=900, sessions=9)
    (drift,) = week.watch.findings
    assert "the prompt grew: 900 tokens, was 400" in drift.cause
    assert "prefix cache hits fell: 39% of the prompt, was 88%" in drift.cause
    assert "more load: 9.0 calls at once, was 3.0" in drift.cause


def test_what_was_kept_goes_on_after_a_restart_with_another_model() -> None:
    week = Week()
    week.hours(3 * DAY)
    kept = json.loads(json.dumps(week.watch.as_dict()))
    week.watch = DriftWatch("llm two")
    week.watch.restore(kept)
    assert json.loads(json.dumps(week.watch.as_dict())) == kept
    week.hours(3, slower=2)
    (drift,) = week.watch.findings
    assert "another model: llm two, was llm one" in drift.cause


def test_what_is_older_than_a_week_is_forgotten() -> None:
    week = Week()
    week.hours(20 * DAY)
    assert len(week.watch.as_dict()["hours"]) == 168
    whole = Tally()
    for hour in week.watch.as_dict()["hours"]:
        whole.add(Tally.from_dict(hour))
    assert whole.sums["turns"] == 168 * 60
    assert week.watch._week.sums["turns"] == 165 * 60
    assert min(week.watch._week.stages["llm"].values()) >= 0


def test_a_clock_that_is_set_back_counts_on() -> None:
    week = Week()
    week.hours(5)
    week.watch.observe(turn(100), 1, HOUR_S)
    assert sum(hour["sums"]["turns"] for hour in week.watch.as_dict()["hours"]) == 5 * 60 + 1


def test_a_turn_without_figures_says_nothing() -> None:
    watch = DriftWatch()
    silent = TurnRecord(
        turn_id="t",
        session_id="s",
        origin="text",
        end="no_speech",
        marks={},
        critical=None,
        work={},
        budget={},
    )
    watch.observe(silent, 1, 0.0)
    assert watch.as_dict() == {"hours": []}


def test_a_clock_that_was_wrong_and_is_put_right_ends_the_watch_of_nothing() -> None:
    watch = DriftWatch()
    watch.observe(turn(100), 1, 500_000 * HOUR_S)
    for hour in range(13):
        for _ in range(100):
            watch.observe(turn(100 if hour < 10 else 200), 1, (1000 + hour + 0.9) * HOUR_S)
    assert [one.stage for one in watch.findings] == ["llm"]
