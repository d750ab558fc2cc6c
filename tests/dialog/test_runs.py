"""Runs of speech and silence, as the machine notes them."""

from __future__ import annotations

from tests.dialog.driver import Driver
from voicepipe.dialog.runs import MAX_BOUNDARIES, SpeechRuns


def test_machine_notes_every_run_and_the_silence_after_it() -> None:
    driver = Driver()
    driver.quiet(100)
    driver.speak(400)
    driver.quiet(80)
    driver.speak(200)
    driver.quiet(1000)
    assert driver.dialog.stretches.runs.between(100, driver.now_ms) == ((400, 80), (200, 1000))
    assert driver.dialog.stretches.runs.between(580, driver.now_ms) == ((200, 1000),)


def test_speech_under_way_has_no_silence_yet() -> None:
    driver = Driver()
    driver.speak(300)
    assert driver.dialog.stretches.runs.between(0, driver.now_ms) == ((300, 0),)
    assert SpeechRuns().between(0, 100) == ()


def test_a_stall_or_a_reset_ends_the_run() -> None:
    driver = Driver()
    driver.speak(300)
    driver.stall()
    driver.quiet(40)
    assert driver.dialog.stretches.runs.between(0, driver.now_ms) == ((300, 40),)
    driver = Driver()
    driver.speak(300)
    driver.clear()
    driver.quiet(60)
    assert driver.dialog.stretches.runs.between(0, driver.now_ms) == ((300, 60),)


def test_runs_are_bounded_and_say_when_the_beginning_is_lost() -> None:
    runs = SpeechRuns()
    for number in range(MAX_BOUNDARIES):
        runs.began(number * 100)
        runs.ended(number * 100 + 50)
    end_ms = MAX_BOUNDARIES * 100
    assert runs.between(0, end_ms) == ()
    assert runs.between(end_ms - 200, end_ms) == ((50, 50), (50, 50))


def test_a_beginning_in_mid_speech_counts_from_the_next_run() -> None:
    driver = Driver()
    driver.speak(300)
    driver.quiet(100)
    driver.speak(200)
    driver.quiet(60)
    runs = driver.dialog.stretches.runs
    assert runs.between(100, driver.now_ms) == ((200, 60),)
    assert runs.between(0, 500) == ((300, 100), (100, 0)), "what came later is left out"
    assert runs.between(0, 400) == ((300, 100),), "what begins there, too"
    assert runs.between(0, 300) == ((300, 0),)


def test_silence_that_ends_is_no_run() -> None:
    driver = Driver()
    driver.quiet(100)
    driver.clear()
    driver.speak(300)
    driver.quiet(100)
    driver.clear()
    driver.quiet(100)
    assert driver.dialog.stretches.runs.between(0, driver.now_ms) == ((300, 200),)


def test_a_beginning_that_is_the_oldest_boundary_kept_is_still_known() -> None:
    runs = SpeechRuns()
    for number in range(MAX_BOUNDARIES // 2):
        runs.began(number * 100)
        runs.ended(number * 100 + 50)
    end_ms = MAX_BOUNDARIES // 2 * 100
    assert runs.between(0, end_ms) == ((50, 50),) * (MAX_BOUNDARIES // 2)
    runs.began(end_ms)
    assert runs.between(0, end_ms) == ()
    assert runs.between(50, end_ms) != ()
