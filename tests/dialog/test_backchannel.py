"""The agent's own "uh-huh": where the user pauses, more is waited for, and never in an answer's
way."""

from __future__ import annotations

import pytest

from tests.dialog.driver import Driver
from voicepipe.dialog import effects as fx
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import User
from voicepipe.dialog.user_side import BACKCHANNEL_EVERY_MS, BACKCHANNEL_MS

AFTER_MS = 500
OPTIONS = TurnOptions(listening_after_ms=AFTER_MS)
UNFINISHED, FINISHED = "I would like to order a", "What time is it?"


def shown(driver: Driver) -> int:
    return sum(isinstance(effect, fx.Backchannel) for effect in driver.effects)


def pauses(driver: Driver, text: str, ms: int, *, decoded: bool = True) -> None:
    """The user says `text` and is silent for `ms`."""
    driver.speak(800)
    driver.quiet(200)
    assert driver.user is User.PAUSED
    turn = driver.dialog.turn
    assert turn is not None
    if decoded:
        driver.take(driver.dialog.transcript(turn.id, text, driver.dialog.speech_end_ms))
    driver.quiet(ms - 200)


def test_it_comes_once_in_a_pause_that_goes_on() -> None:
    driver = Driver(OPTIONS)
    pauses(driver, UNFINISHED, AFTER_MS - 20)
    assert shown(driver) == 0
    driver.quiet(20)
    assert shown(driver) == 1
    driver.quiet(300)
    assert shown(driver) == 1
    assert driver.user is User.PAUSED


def test_by_default_there_is_none() -> None:
    driver = Driver()
    pauses(driver, UNFINISHED, 980)
    assert shown(driver) == 0


def test_only_no_time_at_all_means_never() -> None:
    driver = Driver(TurnOptions(listening_after_ms=1))
    pauses(driver, UNFINISHED, 980)
    assert shown(driver) == 1


def test_it_does_not_get_in_the_way_of_an_answer() -> None:
    early = TurnOptions(listening_after_ms=120)
    driver = Driver(early)
    pauses(driver, FINISHED, 400)
    assert driver.user is User.SILENT
    assert shown(driver) == 0
    for after_ms, times in ((1000 - BACKCHANNEL_MS, 1), (1000 - BACKCHANNEL_MS + 20, 0)):
        driver = Driver(TurnOptions(listening_after_ms=after_ms))
        pauses(driver, UNFINISHED, 1200)
        assert driver.user is User.SILENT
        assert shown(driver) == times


def test_it_waits_until_it_is_known_what_was_said() -> None:
    driver = Driver(TurnOptions(listening_after_ms=120))
    driver.speak(800)
    driver.said(UNFINISHED)
    driver.quiet(560)
    assert driver.user is User.PAUSED
    assert shown(driver) == 0


def test_where_nothing_is_decoded_before_the_end_partial_text_is_all_there_is() -> None:
    driver = Driver(TurnOptions(listening_after_ms=120, preemptive_generation="off"))
    driver.speak(800)
    driver.said(UNFINISHED)
    driver.quiet(120)
    assert shown(driver) == 1


@pytest.mark.parametrize("text", [FINISHED, "", " "])
def test_who_has_finished_or_only_coughed_is_not_hummed_at(text: str) -> None:
    driver = Driver(TurnOptions(listening_after_ms=AFTER_MS, endpoint_fixed_ms=2000))
    pauses(driver, text, 1900)
    assert driver.user is User.PAUSED
    assert shown(driver) == 0


def test_a_long_pause_has_one_only() -> None:
    driver = Driver(TurnOptions(listening_after_ms=AFTER_MS, endpoint_fixed_ms=20_000))
    pauses(driver, UNFINISHED, 3 * BACKCHANNEL_EVERY_MS)
    assert driver.user is User.PAUSED
    assert shown(driver) == 1


def test_there_is_not_one_at_each_breath() -> None:
    driver = Driver(OPTIONS)
    while driver.now_ms < BACKCHANNEL_EVERY_MS:
        pauses(driver, UNFINISHED, 800)
    assert shown(driver) == 1
    pauses(driver, UNFINISHED, 800)
    assert shown(driver) == 2


def test_four_seconds_after_one_another_may_come() -> None:
    driver = Driver(TurnOptions(listening_after_ms=200, endpoint_fixed_ms=2000))
    pauses(driver, UNFINISHED, 220)
    assert shown(driver) == 1
    driver.speak(BACKCHANNEL_EVERY_MS - 220)
    driver.quiet(180)
    turn = driver.dialog.turn
    assert turn is not None
    driver.take(driver.dialog.transcript(turn.id, UNFINISHED, driver.dialog.speech_end_ms))
    driver.quiet(20)
    assert shown(driver) == 1
    driver.quiet(20)
    assert shown(driver) == 2


def test_who_answers_by_himself_listens_by_himself() -> None:
    driver = Driver(OPTIONS)
    driver.take(driver.dialog.apply(OPTIONS, answers=False))
    pauses(driver, UNFINISHED, 980)
    assert shown(driver) == 0


def test_it_changes_nothing_of_the_turn() -> None:
    """The same user, with and without: all else is as it was."""
    stories = []
    for options in (OPTIONS, TurnOptions()):
        driver = Driver(options)
        pauses(driver, UNFINISHED, 800)
        pauses(driver, UNFINISHED + " coffee please.", 1400)
        others = [effect for effect in driver.effects if not isinstance(effect, fx.Backchannel)]
        stories.append((others, driver.log, driver.state))
    assert stories[0] == stories[1]


@pytest.mark.parametrize("interruptible", [True, False])
def test_over_the_agents_own_words_there_is_none(interruptible: bool) -> None:
    driver = Driver(TurnOptions(listening_after_ms=AFTER_MS, interruptible=interruptible))
    driver.be_answered()
    driver.speak(300)
    if interruptible:  # it is still being judged
        assert driver.user is User.OVERLAPPING
    driver.quiet(700)
    assert shown(driver) == 0
