"""How a speaker pauses: the figures of a typical one, and what one's own silences make of them."""

from __future__ import annotations

from math import log
from statistics import NormalDist

import pytest

from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.habits import LONGEST_PAUSE_MS, PauseHabits

COMPLETE, UNKNOWN, INCOMPLETE = Verdict.COMPLETE, Verdict.UNKNOWN, Verdict.INCOMPLETE


def above(z: float) -> float:
    """Share of a normal distribution that lies above."""
    return 1 - NormalDist().cdf(z)


def typical_tail(ms: int) -> float:
    return above(log(ms / 500) / 0.6)


def test_of_whom_nothing_is_known_is_typical() -> None:
    habits = PauseHabits()
    assert [habits.rate(v) for v in (COMPLETE, UNKNOWN, INCOMPLETE)] == [0.15, 0.25, 0.8]
    assert habits.tail(500) == pytest.approx(0.5)
    for ms in (200, 400, 1000):
        assert habits.tail(ms) == pytest.approx(typical_tail(ms))
    assert habits.tail(0) == pytest.approx(1)


def test_what_is_typical_weighs_as_much_as_eight_silences_of_the_speakers_own() -> None:
    goes_on, ends = PauseHabits(), PauseHabits()
    goes_on.went_on(COMPLETE, 400)
    ends.ended(COMPLETE)
    assert goes_on.rate(COMPLETE) == pytest.approx((8 * 0.15 + 1) / 9)
    assert ends.rate(COMPLETE) == pytest.approx(8 * 0.15 / 9)
    assert goes_on.rate(UNKNOWN) == ends.rate(UNKNOWN) == 0.25, "each verdict has its own"


def test_each_silence_makes_those_before_it_weigh_three_hundredths_less() -> None:
    habits = PauseHabits()
    habits.went_on(COMPLETE, 400)
    habits.ended(COMPLETE)
    assert habits.rate(COMPLETE) == pytest.approx((8 * 0.15 + 0.97) / (8 + 0.97 + 1))
    habits.ended(INCOMPLETE)
    weighs = 0.97 * 0.97
    assert habits.rate(COMPLETE) == pytest.approx((8 * 0.15 + weighs) / (8 + weighs + 0.97))


def test_a_pause_says_that_others_will_be_of_about_its_length() -> None:
    habits = PauseHabits()
    habits.went_on(COMPLETE, 1000)
    for ms in (300, 1000, 1500):
        own = above(log(ms / 1000) / 0.5)
        assert habits.tail(ms) == pytest.approx((6 * typical_tail(ms) + own) / 7)
    habits.ended(COMPLETE)
    assert habits.tail(1000) == pytest.approx((6 * typical_tail(1000) + 0.97 * 0.5) / 6.97)


@pytest.mark.parametrize(
    ("pause_ms", "learned"),
    [(0, False), (1, True), (LONGEST_PAUSE_MS, True), (LONGEST_PAUSE_MS + 1, False)],
)
def test_who_thought_again_had_not_paused(pause_ms: int, learned: bool) -> None:
    habits = PauseHabits()
    assert habits.went_on(UNKNOWN, pause_ms) is learned
    assert habits.silences == int(learned)
