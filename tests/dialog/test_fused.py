"""Waiting by expected regret: alone, and through the dialog."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dialog.driver import COMPLETE, INCOMPLETE, Driver
from voicepipe.dialog import effects as fx
from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.endpointing import Evidence
from voicepipe.dialog.fused import CHANCES as CHANCES_TOLD_APART
from voicepipe.dialog.fused import LEAST_MS, STEP_MS, FusedWait
from voicepipe.dialog.habits import PauseHabits
from voicepipe.dialog.options import TurnOptions

OPTIONS = TurnOptions(endpointing="fused")
CHANCES = st.floats(0, 1)
VERDICTS = st.sampled_from(list(Verdict))


def wait(
    policy: FusedWait,
    verdict: Verdict,
    end: float | None = None,
    cost_ms: int = OPTIONS.cut_off_cost_ms,
) -> int:
    options = replace(OPTIONS, cut_off_cost_ms=cost_ms)
    return policy.wait_ms(options, Evidence(verdict, end))


# -- alone -----------------------------------------------------------------------------------------


@given(VERDICTS, st.lists(CHANCES, min_size=2, max_size=5))
def test_the_likelier_an_end_is_heard_the_shorter_the_wait(
    verdict: Verdict, ends: list[float]
) -> None:
    waits = [wait(FusedWait(), verdict, end) for end in sorted(ends)]
    assert waits == sorted(waits, reverse=True)


def test_sound_text_and_both_have_their_say() -> None:
    policy = FusedWait()
    assert wait(policy, Verdict.COMPLETE, 0.98) == LEAST_MS
    assert wait(policy, Verdict.INCOMPLETE, 0.02) >= 800
    assert wait(policy, Verdict.COMPLETE, 0.02) > wait(policy, Verdict.COMPLETE, 0.5)
    assert wait(policy, Verdict.INCOMPLETE, 0.5) > wait(policy, Verdict.COMPLETE, 0.5)


@pytest.mark.parametrize("end", [None, 0.0, 0.02, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_very_long_bound_is_not_tried_to_its_end(verdict: Verdict, end: float | None) -> None:
    """Ten minutes are 30,000 waits: trying them held up every call of the server for 0.35 s."""
    tried: list[int] = []

    class Habits(PauseHabits):
        def tail(self, ms: int) -> float:
            tried.append(ms)
            return super().tail(ms)

    options = replace(OPTIONS, endpoint_incomplete_ms=600_000, endpoint_unknown_ms=600_000)
    policy = FusedWait()
    policy._habits = Habits()
    found = policy.wait_ms(options, Evidence(verdict, end))
    chance = round(policy.chance(Evidence(verdict, end)) * CHANCES_TOLD_APART) / CHANCES_TOLD_APART
    assert len(tried) < 6000
    waits = range(LEAST_MS, 600_001, STEP_MS)
    assert found == min(waits, key=lambda ms: policy._regret(ms, chance, options.cut_off_cost_ms))


def test_after_a_whole_sentence_nobody_waits_for_longer_than_where_nothing_is_known() -> None:
    policy = FusedWait()
    assert wait(policy, Verdict.COMPLETE, 0.0) == OPTIONS.endpoint_unknown_ms
    assert wait(policy, Verdict.UNKNOWN, 0.0) > OPTIONS.endpoint_unknown_ms
    lacking = Evidence(Verdict.COMPLETE, 0.0, whole_text=False)
    assert policy.wait_ms(OPTIONS, lacking) > OPTIONS.endpoint_unknown_ms


def test_a_bound_that_no_frame_ends_at_is_not_exceeded() -> None:
    options = replace(OPTIONS, endpoint_incomplete_ms=999)
    assert FusedWait().wait_ms(options, Evidence(Verdict.INCOMPLETE, 0.0)) == 980


@pytest.mark.parametrize("verdict", Verdict)
def test_without_a_model_the_text_decides(verdict: Verdict) -> None:
    assert wait(FusedWait(), verdict) == wait(FusedWait(), verdict, 0.5)


def test_text_without_its_last_word_says_nothing() -> None:
    waits = {
        FusedWait().wait_ms(OPTIONS, Evidence(verdict, 0.7, whole_text=False))
        for verdict in Verdict
    }
    assert len(waits) == 1


@given(VERDICTS, CHANCES, st.integers(0, 20_000), st.integers(0, 20_000))
def test_the_dearer_a_cut_off_the_longer_the_wait(
    verdict: Verdict, end: float, one: int, other: int
) -> None:
    low, high = sorted((one, other))
    policy = FusedWait()
    cheap = wait(policy, verdict, end, cost_ms=low)
    assert LEAST_MS <= cheap <= wait(policy, verdict, end, cost_ms=high)
    assert wait(policy, verdict, end, cost_ms=high) <= OPTIONS.endpoint_incomplete_ms


@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("end", [None, 0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("cost_ms", [500, 4500])
def test_the_wait_is_the_one_with_the_least_regret(
    verdict: Verdict, end: float | None, cost_ms: int
) -> None:
    """By the formula of the module, for a speaker who has paused and ended."""
    policy, habits = FusedWait(), PauseHabits()
    learners: tuple[FusedWait | PauseHabits, ...] = (policy, habits)
    for learner in learners:
        learner.went_on(verdict, 700)
        learner.ended(Verdict.COMPLETE)
    p = round(policy.chance(Evidence(verdict, end)) * 50) / 50

    def regret(wait_ms: int) -> float:
        felt = habits.tail(wait_ms + 300)
        return (1 - p) * wait_ms + p * cost_ms * (0.7 * felt + 0.3 * habits.tail(wait_ms))

    longest_ms = 600 if verdict is Verdict.COMPLETE else 1000
    assert wait(policy, verdict, end, cost_ms) == min(range(160, longest_ms + 1, 20), key=regret)


@pytest.mark.parametrize(
    ("verdict", "rate"),
    [(Verdict.COMPLETE, 0.15), (Verdict.UNKNOWN, 0.25), (Verdict.INCOMPLETE, 0.8)],
)
def test_what_is_heard_shifts_the_odds_that_the_text_gives(verdict: Verdict, rate: float) -> None:
    policy = FusedWait()
    assert policy.chance(Evidence(verdict)) == pytest.approx(rate)
    for end in (0.2, 0.5, 0.9):
        odds = rate / (1 - rate) * (1 - end) / end
        assert policy.chance(Evidence(verdict, end)) == pytest.approx(odds / (1 + odds))
    assert policy.chance(Evidence(verdict, 1.0)) == policy.chance(Evidence(verdict, 0.99))
    assert policy.chance(Evidence(verdict, 0.0)) == policy.chance(Evidence(verdict, 0.01))


def test_what_is_learned_counts_at_once() -> None:
    policy = FusedWait()
    before = wait(policy, Verdict.UNKNOWN, 0.5)
    for _ in range(8):
        policy.went_on(Verdict.UNKNOWN, 900)
    slow = wait(policy, Verdict.UNKNOWN, 0.5)
    for _ in range(30):
        policy.ended(Verdict.UNKNOWN)
    assert wait(policy, Verdict.UNKNOWN, 0.5) < before < slow


def test_a_free_cut_off_is_not_waited_for() -> None:
    assert wait(FusedWait(), Verdict.INCOMPLETE, 0.01, cost_ms=0) == LEAST_MS


def test_an_eager_end_that_comes_later_is_waited_for() -> None:
    options = replace(OPTIONS, eager_end_ms=260)
    assert FusedWait().wait_ms(options, Evidence(Verdict.COMPLETE, 0.99)) == 260


def test_who_goes_on_after_whole_sentences_is_waited_for() -> None:
    policy = FusedWait()
    before = wait(policy, Verdict.COMPLETE)
    for _ in range(8):
        policy.went_on(Verdict.COMPLETE, 800)
    assert wait(policy, Verdict.COMPLETE) >= before + 200


def test_who_never_goes_on_is_answered_sooner() -> None:
    policy = FusedWait()
    before = wait(policy, Verdict.COMPLETE, 0.3)
    for _ in range(30):
        policy.ended(Verdict.COMPLETE)
    assert wait(policy, Verdict.COMPLETE, 0.3) < before


@given(VERDICTS, CHANCES, st.integers(0, 60))
def test_time_that_has_passed_does_not_change_the_plan(
    verdict: Verdict, end: float, steps: int
) -> None:
    """What is left to regret, given that nobody has spoken for `passed`, is least at the same wait,
    as long as that is still to come."""
    policy = FusedWait()
    planned = wait(policy, verdict, end)
    passed = min(LEAST_MS + steps * STEP_MS, planned)
    chance = round(policy.chance(Evidence(verdict, end)) * 50) / 50
    still_silent = chance * policy._tail(passed) + 1 - chance

    def left(wait_ms: int) -> float:
        spent = (1 - chance) * passed
        return (policy._regret(wait_ms, chance, OPTIONS.cut_off_cost_ms) - spent) / still_silent

    whole = verdict is Verdict.COMPLETE
    longest_ms = OPTIONS.endpoint_unknown_ms if whole else OPTIONS.endpoint_incomplete_ms
    waits = range(passed, longest_ms + 1, STEP_MS)
    assert left(planned) == pytest.approx(min(map(left, waits)))


# -- through the dialog ----------------------------------------------------------------------------


def asked_at(driver: Driver, ms: int) -> list[int]:
    """Silence at which the audio model was asked, during so much of it."""
    found = []
    for _ in range(ms // 20):
        for effect in driver.dialog.frame(0.0):
            if isinstance(effect, fx.JudgeEnd):
                found.append(driver.dialog.now_ms - effect.speech_end_ms)
    return found


def test_the_model_is_asked_three_times_in_each_silence() -> None:
    driver = Driver(replace(OPTIONS, cut_off_cost_ms=30_000))
    for _ in range(2):
        driver.speak(500)
        assert asked_at(driver, 400) == [60, 100, 140]


@pytest.mark.parametrize(
    "options",
    [
        TurnOptions(),
        TurnOptions(endpointing="fixed"),
        TurnOptions(endpointing="learned"),
        replace(OPTIONS, endpoint_fixed_ms=900),
        TurnOptions(max_turn_ms=20),
    ],
)
def test_nobody_is_asked_whose_answer_would_change_nothing(options: TurnOptions) -> None:
    driver = Driver(options)
    driver.speak(500)
    assert asked_at(driver, 400) == []


def test_smart_turn_is_asked_once_at_the_eager_end() -> None:
    driver = Driver(TurnOptions(endpointing="smart_turn"))
    driver.speak(500)
    assert asked_at(driver, 400) == [120]


@pytest.mark.parametrize(("end", "soon"), [(0.99, True), (0.02, False)])
def test_an_answer_before_the_eager_end_counts(end: float, soon: bool) -> None:
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.quiet(60)
    driver.dialog.end_judged(500, end)
    driver.quiet(120)
    assert (driver.dialog.turn is None) is soon


def test_a_late_answer_about_another_silence_does_not_replace_the_present_one() -> None:
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.quiet(200)
    driver.speak(500)
    driver.quiet(140)
    driver.dialog.end_judged(1200, 0.02)
    waits = driver.dialog.endpoint_wait_ms()
    driver.dialog.end_judged(500, 0.99)
    assert driver.dialog.endpoint_wait_ms() == waits


@pytest.mark.parametrize(("text", "soon"), [(COMPLETE, True), (INCOMPLETE, False)])
def test_the_final_transcript_is_believed_as_soon_as_it_is_there(text: str, soon: bool) -> None:
    driver = Driver(replace(OPTIONS, cut_off_cost_ms=10_000))
    driver.speak(500)
    driver.quiet(140)
    assert driver.dialog.turn is not None
    before = driver.dialog.endpoint_wait_ms()
    driver.dialog.transcript(driver.dialog.turn.id, text, 500)
    after = driver.dialog.endpoint_wait_ms()
    assert (after < before) if soon else (after > before)


def test_who_acts_when_the_turn_is_over_waits_for_longer_where_that_is_unsure() -> None:
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.quiet(140)
    (reply,) = driver.dialog.replies
    driver.dialog.end_judged(500, 0.7)
    before = driver.dialog.endpoint_wait_ms()
    driver.dialog.reply_acts(reply.id)
    assert driver.dialog.endpoint_wait_ms() > before
    driver.dialog.end_judged(500, 0.99)  # what is surely over is not waited for
    assert driver.dialog.endpoint_wait_ms() <= LEAST_MS + 2 * STEP_MS


def test_what_a_dropped_reply_wanted_to_do_is_forgotten() -> None:
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.quiet(140)
    before = driver.dialog.endpoint_wait_ms()
    (reply,) = driver.dialog.replies
    driver.dialog.reply_acts(reply.id)
    driver.dialog.changed()  # it is made anew
    assert [one.id for one in driver.dialog.replies] != [reply.id]
    assert driver.dialog.endpoint_wait_ms() == before


def test_a_running_call_can_change_to_it() -> None:
    driver = Driver(TurnOptions())
    driver.dialog.apply(OPTIONS, answers=True)
    driver.speak(500)
    assert asked_at(driver, 200) == [60, 100, 140]
