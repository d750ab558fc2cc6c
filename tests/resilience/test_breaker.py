from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.clock import ManualClock

OPTIONS = BreakerOptions(p95_ms=300, error_rate=0.5, calls=10, min_calls=4, window_s=60, open_s=10)


def state(watched: Breaker) -> str:
    return watched.state.value


def breaker(options: BreakerOptions = OPTIONS) -> tuple[Breaker, ManualClock]:
    clock = ManualClock()
    return Breaker(options, clock), clock


def call(breaker: Breaker, latency_ms: float | None) -> bool:
    """One call; None fails. Whether it was let through."""
    permit = breaker.enter()
    if permit is None:
        return False
    if latency_ms is None:
        permit.failed()
    else:
        permit.succeeded(latency_ms)
    permit.done(latency_ms or 0)
    return True


def test_quick_calls_keep_it_closed_and_slow_ones_open_it() -> None:
    watched, _ = breaker()
    for _ in range(50):
        assert call(watched, 100)
    assert state(watched) == "closed"
    for _ in range(10):
        call(watched, 400)
    assert state(watched) == "open"
    assert not call(watched, 100)
    assert watched.counts.opened == 1
    assert watched.counts.refused >= 1


def test_one_slow_call_among_few_proves_nothing() -> None:
    watched, _ = breaker()
    for latency in (100, 100, 900, 100):
        call(watched, latency)
    assert state(watched) == "closed"
    call(watched, 900)
    assert state(watched) == "open"


def test_failures_open_it_at_their_rate_and_not_before() -> None:
    watched, _ = breaker()
    for latency in (100, None, 100, None):
        call(watched, latency)
    assert state(watched) == "open"
    assert watched.counts.failures == 2
    watched, _ = breaker()
    for latency in (100, 100, 100, None) * 5:
        call(watched, latency)
    assert state(watched) == "closed"


def test_a_probe_decides_and_only_one_at_a_time_is_let_through() -> None:
    watched, clock = breaker()
    for _ in range(4):
        call(watched, None)
    clock.advance(9.9)
    assert watched.enter() is None
    clock.advance(0.2)
    assert state(watched) == "half_open"
    probe = watched.enter()
    assert probe is not None
    assert watched.enter() is None
    probe.failed()
    probe.done(5)
    assert state(watched) == "open"
    assert watched.counts.opened == 2
    clock.advance(10.1)
    assert call(watched, 100)
    assert state(watched) == "closed"
    assert call(watched, None)  # the past is forgotten: one failure trips nothing
    assert state(watched) == "closed"
    assert watched.counts.probes == 2


def test_a_slow_probe_opens_it_again() -> None:
    watched, clock = breaker()
    for _ in range(4):
        call(watched, None)
    clock.advance(10.1)
    call(watched, 301)
    assert state(watched) == "open"


def test_a_probe_nobody_waited_for_decides_nothing() -> None:
    watched, clock = breaker()
    for _ in range(4):
        call(watched, None)
    clock.advance(10.1)
    probe = watched.enter()
    assert probe is not None
    probe.done(20)  # the user went on talking
    assert state(watched) == "half_open"
    assert call(watched, 50)
    assert state(watched) == "closed"


def test_calls_given_up_count_as_late_only_where_that_much_is_proved() -> None:
    watched, _ = breaker()
    for _ in range(20):
        permit = watched.enter()
        assert permit is not None
        permit.done(120)  # cancelled after 120 ms: how long it would have taken is not known
    assert state(watched) == "closed"
    for _ in range(4):
        permit = watched.enter()
        assert permit is not None
        permit.done(350)  # the hedge took over: late, however much
    assert state(watched) == "open"


def test_old_calls_are_forgotten() -> None:
    watched, clock = breaker()
    for _ in range(3):
        call(watched, None)
    clock.advance(61)
    call(watched, None)
    assert state(watched) == "closed"


def test_stragglers_from_before_it_opened_change_nothing() -> None:
    watched, clock = breaker()
    early = watched.enter()
    assert early is not None
    for _ in range(4):
        call(watched, None)
    clock.advance(10.1)
    early.succeeded(10)
    early.done(20)
    assert state(watched) == "half_open"


def test_nor_do_they_when_it_has_closed_again() -> None:
    """Calls that hung until they failed say nothing of an engine that has come back since."""
    watched, clock = breaker()
    hanging = [watched.enter() for _ in range(12)]
    for permit in hanging[:4]:
        assert permit is not None
        permit.failed()
    clock.advance(10.1)
    assert call(watched, 50)
    assert state(watched) == "closed"
    for permit in hanging[4:8]:
        assert permit is not None
        permit.failed()
    for permit in hanging[8:]:
        assert permit is not None
        permit.done(20_000)
    assert (state(watched), watched.counts.opened) == ("closed", 1)
    assert watched.counts.failures == 8


def test_an_error_after_the_first_piece_is_a_failure_too() -> None:
    watched, _ = breaker()
    for _ in range(4):
        permit = watched.enter()
        assert permit is not None
        permit.succeeded(50)
        permit.failed()
        permit.done(80)
    assert state(watched) == "open"


@pytest.mark.parametrize("calls_judged", [1, 3])
@pytest.mark.parametrize("latency_ms", [None, 900.0])
def test_where_few_calls_are_judged_all_of_them_are_enough(
    calls_judged: int, latency_ms: float | None
) -> None:
    """`calls` below `min_calls`: more than these are never known."""
    watched, _ = breaker(BreakerOptions(p95_ms=300, calls=calls_judged, min_calls=5))
    for _ in range(calls_judged):
        assert call(watched, latency_ms)
    assert state(watched) == "open"


def test_causes_can_be_switched_off() -> None:
    watched, _ = breaker(BreakerOptions(p95_ms=0, error_rate=0, min_calls=1))
    for latency in (None, 10_000.0) * 20:
        call(watched, latency)
    assert state(watched) == "closed"
    assert watched.counts.failures == 20


@given(
    st.lists(
        st.tuples(st.sampled_from(["ok", "slow", "fail", "drop", "wait"]), st.floats(0, 20)),
        max_size=120,
    )
)
def test_it_never_lets_a_call_through_while_open_and_never_gets_stuck(
    steps: list[tuple[str, float]],
) -> None:
    watched, clock = breaker()
    for kind, seconds in steps:
        if kind == "wait":
            clock.advance(seconds)
            continue
        before = watched.state
        permit = watched.enter()
        assert (permit is None) == (before.value == "open")  # no probe is out between steps
        if permit is None:
            continue
        if kind == "fail":
            permit.failed()
        elif kind != "drop":
            permit.succeeded(1000 if kind == "slow" else 10)
        permit.done(10)
    clock.advance(OPTIONS.window_s + OPTIONS.open_s)
    assert call(watched, 10)
    assert state(watched) == "closed"
