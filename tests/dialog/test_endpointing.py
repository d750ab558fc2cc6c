"""Endpointing policies: alone, and through the dialog."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dialog.driver import (
    COMPLETE,
    INCOMPLETE,
    Driver,
    EagerEnd,
    EndTurn,
    SpeechStarted,
    Stopped,
    TurnContinued,
)
from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.endpointing import AudioWait, EndpointPolicy, Evidence, FixedWait, TextWait
from voicepipe.dialog.habits import LONGEST_PAUSE_MS, PauseHabits
from voicepipe.dialog.learned import LearnedWait
from voicepipe.dialog.options import Endpointing, TurnOptions
from voicepipe.dialog.policies import POLICIES, create_policy
from voicepipe.dialog.states import User

OPTIONS = TurnOptions()
BY_TEXT = {Verdict.COMPLETE: 300, Verdict.UNKNOWN: 600, Verdict.INCOMPLETE: 1000}


def wait(policy: EndpointPolicy, verdict: Verdict, probability: float | None = None) -> int:
    return policy.wait_ms(OPTIONS, Evidence(verdict, probability))


# -- alone -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", Verdict)
def test_fixed_asks_nothing_of_the_text(verdict: Verdict) -> None:
    assert wait(FixedWait(), verdict) == 600


@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("policy", [TextWait(), LearnedWait(), AudioWait()])
def test_text_sets_the_wait_where_nothing_else_is_known(
    policy: EndpointPolicy, verdict: Verdict
) -> None:
    assert wait(policy, verdict) == BY_TEXT[verdict]


@pytest.mark.parametrize("verdict", Verdict)
def test_audio_model_overrules_the_text(verdict: Verdict) -> None:
    waits = [wait(AudioWait(), verdict, probability) for probability in (0.0, 0.5, 1.0)]
    assert waits == [1000, 650, 300]


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("verdict", Verdict)
def test_longer_waits_in_the_options_never_shorten_one(name: Endpointing, verdict: Verdict) -> None:
    policy = create_policy(name)
    for pause_ms in (300, 500, 900):
        policy.went_on(verdict, pause_ms)
        policy.ended(verdict)
    waits = []
    for factor in (0.5, 1.0, 1.5, 2.0):
        options = replace(
            OPTIONS,
            endpoint_complete_ms=round(300 * factor),
            endpoint_unknown_ms=round(600 * factor),
            endpoint_incomplete_ms=round(1000 * factor),
            cut_off_cost_ms=round(2000 * factor),
        )
        waits.append(policy.wait_ms(options, Evidence(verdict)))
    assert waits == sorted(waits)
    assert waits[-1] > waits[0]


# -- learned ---------------------------------------------------------------------------------------


def test_speaker_who_goes_on_after_whole_sentences_is_waited_for() -> None:
    policy = LearnedWait()
    waits = []
    for _ in range(10):
        policy.went_on(Verdict.COMPLETE, 700)
        waits.append(wait(policy, Verdict.COMPLETE))
    assert waits == sorted(waits), "each such pause raises the wait"
    assert waits[0] > 300
    assert 700 < waits[-1] <= OPTIONS.endpoint_max_ms


def test_speaker_who_never_goes_on_waits_less() -> None:
    policy = LearnedWait()
    waits = []
    for _ in range(20):
        policy.ended(Verdict.COMPLETE)
        waits.append(wait(policy, Verdict.COMPLETE))
    assert waits == sorted(waits, reverse=True)
    assert waits[-1] == OPTIONS.endpoint_min_ms


def test_short_pauses_shorten_the_wait_after_unfinished_text() -> None:
    quick, slow = LearnedWait(), LearnedWait()
    for _ in range(12):
        quick.went_on(Verdict.INCOMPLETE, 260)
        slow.went_on(Verdict.INCOMPLETE, 1200)
    assert wait(quick, Verdict.INCOMPLETE) < 1000 < wait(slow, Verdict.INCOMPLETE)


def test_long_pauses_anywhere_lengthen_every_wait() -> None:
    policy = LearnedWait()
    for _ in range(6):
        policy.went_on(Verdict.INCOMPLETE, 1300)
    assert wait(policy, Verdict.UNKNOWN) > 600


def test_what_one_verdict_teaches_of_how_often_stays_with_it() -> None:
    policy = LearnedWait()
    for _ in range(10):
        policy.ended(Verdict.COMPLETE)
    assert wait(policy, Verdict.COMPLETE) < 300
    assert wait(policy, Verdict.INCOMPLETE) == 1000


def test_the_past_is_forgotten() -> None:
    policy = LearnedWait()
    for _ in range(10):
        policy.went_on(Verdict.COMPLETE, 800)
    raised = wait(policy, Verdict.COMPLETE)
    for _ in range(40):
        policy.ended(Verdict.COMPLETE)
    assert wait(policy, Verdict.COMPLETE) <= 300 < raised


@pytest.mark.parametrize("verdict", Verdict)
def test_a_learned_wait_is_the_shortest_that_keeps_to_the_options_chance(verdict: Verdict) -> None:
    policy, habits, typical = LearnedWait(), PauseHabits(), PauseHabits()
    learners: tuple[LearnedWait | PauseHabits, ...] = (policy, habits)
    for pause_ms in (350, 800, 500, 1500):
        for learner in learners:
            learner.went_on(verdict, pause_ms)
            learner.ended(Verdict.COMPLETE)
        ready_for = typical.rate(verdict) * typical.tail(BY_TEXT[verdict])
        waits = (
            wait_ms
            for wait_ms in range(OPTIONS.endpoint_min_ms, OPTIONS.endpoint_max_ms + 1, 20)
            if habits.rate(verdict) * habits.tail(wait_ms) <= ready_for
        )
        assert wait(policy, verdict) == next(waits, OPTIONS.endpoint_max_ms)


def test_of_whom_nothing_is_known_the_options_hold_to_the_ms() -> None:
    options = replace(OPTIONS, endpoint_complete_ms=311)
    assert LearnedWait().wait_ms(options, Evidence(Verdict.COMPLETE)) == 311


def test_who_comes_back_much_later_had_not_paused() -> None:
    policy = LearnedWait()
    policy.went_on(Verdict.COMPLETE, LONGEST_PAUSE_MS + 20)
    assert wait(policy, Verdict.COMPLETE) == 300


def test_a_longest_wait_that_no_frame_ends_at_is_not_exceeded() -> None:
    options = replace(OPTIONS, endpoint_max_ms=1190)
    policy = LearnedWait()
    for _ in range(20):
        policy.went_on(Verdict.COMPLETE, 2500)
    assert policy.wait_ms(options, Evidence(Verdict.COMPLETE)) == 1180


@pytest.mark.parametrize("name", ["learned", "fused"])
@pytest.mark.parametrize(("pause_ms", "ends"), [(1300, 0), (500, 40)])
def test_who_is_asked_after_each_silence_waits_as_who_is_asked_once(
    name: Endpointing, pause_ms: int, ends: int
) -> None:
    """What was worked out before more was learned is forgotten."""
    often, once = create_policy(name), create_policy(name)
    for number in range(6 + ends):
        for policy in (often, once):
            if number < 6:
                policy.went_on(Verdict.INCOMPLETE, pause_ms)
            else:
                policy.ended(Verdict.UNKNOWN)
        waits = [wait(often, verdict) for verdict in Verdict]
    assert waits == [wait(once, verdict) for verdict in Verdict]


EVENTS = st.lists(
    st.tuples(st.sampled_from(list(Verdict)), st.one_of(st.none(), st.integers(0, 5000))),
    max_size=120,
)


@given(EVENTS, st.integers(0, 2000), st.integers(0, 2000))
def test_learned_waits_keep_their_bounds_whatever_happens(
    events: list[tuple[Verdict, int | None]], least_ms: int, most_ms: int
) -> None:
    """The option's own wait is always within them, should a user set bounds that leave it out."""
    options = replace(OPTIONS, endpoint_min_ms=least_ms, endpoint_max_ms=most_ms)
    policy = LearnedWait()
    for verdict, pause_ms in events:
        if pause_ms is None:
            policy.ended(verdict)
        else:
            policy.went_on(verdict, pause_ms)
        for asked, typical_ms in BY_TEXT.items():
            found = policy.wait_ms(options, Evidence(asked))
            assert min(least_ms, typical_ms) <= found <= max(most_ms, typical_ms)


# -- through the machine ---------------------------------------------------------------------------


class Noted:
    """A policy that notes what it is told."""

    def __init__(self, wait_ms: int = 500) -> None:
        self._wait_ms = wait_ms
        self.told: list[tuple[Verdict, int | None]] = []

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        return self._wait_ms

    def asks_ear(self, options: TurnOptions, silence_ms: int) -> bool:
        return False

    def went_on(self, verdict: Verdict, pause_ms: int) -> None:
        self.told.append((verdict, pause_ms))

    def ended(self, verdict: Verdict) -> None:
        self.told.append((verdict, None))


def noted(options: TurnOptions | None = None) -> tuple[Driver, Noted]:
    driver, policy = Driver(options), Noted()
    driver.dialog = type(driver.dialog)(options, policy=policy)
    return driver, policy


def test_policy_hears_of_a_pause_with_its_length() -> None:
    driver, policy = noted()
    driver.speak(500)
    driver.said(INCOMPLETE)
    driver.quiet(360)
    assert driver.speak(60) == [TurnContinued()]
    assert policy.told == [(Verdict.INCOMPLETE, 360)]


def test_gap_between_words_is_no_pause() -> None:
    driver, policy = noted()
    driver.speak(500)
    driver.quiet(100)
    driver.speak(500)
    assert policy.told == []


def test_policy_hears_of_an_end_when_the_next_turn_shows_that_it_was_one() -> None:
    driver, policy = noted()
    driver.ask(COMPLETE)
    driver.reply_over()
    assert policy.told == []
    driver.speak(100)
    assert policy.told == [(Verdict.COMPLETE, None)]


@pytest.mark.parametrize("audible", [True, False])
def test_turn_that_is_reopened_was_a_pause(audible: bool) -> None:
    driver, policy = noted()
    driver.ask(COMPLETE)
    if audible:
        driver.audible("It is")
    driver.quiet(300)
    assert Stopped(reopened=True) in driver.speak(200)
    assert policy.told == [(Verdict.COMPLETE, 800)]


def test_interruption_of_the_answer_confirms_the_end_before_it() -> None:
    driver, policy = noted()
    driver.be_answered()
    driver.speak(500)
    assert driver.user is User.SPEAKING
    assert policy.told == [(Verdict.COMPLETE, None)]


def test_speech_over_news_that_nobody_asked_for_confirms_the_end_before_it() -> None:
    driver, policy = noted()
    driver.ask()
    driver.reply_over()
    driver.dialog.create(answers=False)
    assert Stopped(reopened=False) in driver.speak(60)
    assert policy.told == [(Verdict.COMPLETE, None)]


def test_a_click_over_the_answer_leaves_open_whether_the_turn_was_over() -> None:
    driver, policy = noted()
    driver.ask(COMPLETE)
    driver.audible("It is half past seven.")
    driver.quiet(20)
    driver.speak(20)
    driver.quiet(200)
    assert driver.user is User.SILENT
    assert policy.told == []
    start_ms = driver.now_ms
    assert Stopped(reopened=True) in driver.speak(200)
    assert policy.told == [(Verdict.COMPLETE, start_ms - 600)]


def test_who_listens_to_the_answer_had_finished() -> None:
    driver, policy = noted()
    driver.be_answered()
    driver.speak(100)
    driver.said("mhm")
    driver.quiet(300)
    assert driver.user is User.SILENT
    assert policy.told == [(Verdict.COMPLETE, None)]


def test_who_speaks_as_a_short_answer_ends_had_finished() -> None:
    driver, policy = noted()
    driver.ask(COMPLETE)
    driver.audible("Yes.")
    driver.quiet(20)
    driver.speak(100)
    before = driver.user
    driver.reply_over()
    assert (before, driver.user) == (User.OVERLAPPING, User.SPEAKING)
    assert policy.told == [(Verdict.COMPLETE, None)]


def test_commit_teaches_nothing() -> None:
    driver, policy = noted()
    driver.speak(500)
    driver.commit()
    driver.reply_over()
    driver.quiet(20)
    assert SpeechStarted(520) in driver.speak(100)
    assert policy.told == []


def test_clients_own_silence_beats_every_policy() -> None:
    driver, _ = noted(TurnOptions(endpoint_fixed_ms=800))
    driver.speak(500)
    driver.quiet(780)
    assert driver.quiet(20) == [EndTurn(500, 1300, "silence")]


def test_machine_learns_a_hesitant_speaker() -> None:
    driver = Driver(TurnOptions(endpointing="learned"))
    for _ in range(6):
        driver.ask(COMPLETE)
        driver.quiet(300)
        driver.ask(COMPLETE)  # they had only paused
        driver.reply_over()
        driver.quiet(2000)
    driver.speak(500)
    driver.said(COMPLETE)
    assert driver.dialog.endpoint_wait_ms() > 400


@pytest.mark.parametrize(("probability", "wait_ms"), [(0.0, 1000), (1.0, 300)])
@pytest.mark.parametrize("text", [COMPLETE, INCOMPLETE])
def test_model_decides_as_soon_as_it_has_answered(
    text: str, probability: float, wait_ms: int
) -> None:
    driver = Driver(TurnOptions(endpointing="smart_turn"))
    driver.speak(500)
    driver.said(text)
    assert driver.quiet(120) == [EagerEnd(500)]
    driver.take(driver.dialog.end_judged(500, probability))
    driver.quiet(wait_ms - 140)
    assert driver.quiet(20) == [EndTurn(500, 500 + wait_ms, "silence")]


def test_answer_about_speech_that_went_on_counts_for_nothing() -> None:
    driver = Driver(TurnOptions(endpointing="smart_turn"))
    driver.speak(500)
    driver.quiet(120)
    driver.dialog.end_judged(500, 0.0)
    driver.speak(100)
    driver.said(COMPLETE)
    assert driver.dialog.endpoint_wait_ms() == 300, "the answer was about the silence before"
    driver.dialog.end_judged(500, 0.0)
    driver.quiet(120)
    driver.dialog.end_judged(500, 0.0)  # late, and of an older silence
    assert driver.dialog.endpoint_wait_ms() == 300
