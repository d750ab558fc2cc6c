"""What a dialog says of itself: since when it is as it is, and what brought it there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.dialog.driver import COMPLETE, Driver
from voicepipe.dialog.options import TurnOptions

GUESSING = TurnOptions(preemptive_generation="stable_text")
SHORT = TurnOptions(max_turn_ms=1000)

Step = Callable[[Driver], object]


def pauses(driver: Driver) -> None:
    """A reply is prepared behind the gate."""
    driver.speak(500)
    driver.quiet(120)


def pauses_on_a_guess(driver: Driver) -> None:
    """The reply that is prepared answers partial text."""
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(40)
    assert driver.dialog.replies


def has_said_something_else(driver: Driver) -> None:
    driver.quiet(80)
    turn, end_ms = driver.dialog.turn, driver.dialog.speech_end_ms
    assert turn is not None
    driver.take(driver.dialog.transcript(turn.id, "what day is it", end_ms))


def newest_fails(driver: Driver) -> None:
    driver.take(driver.dialog.reply_failed(driver.dialog.replies[-1].id))


def newest_is_cancelled(driver: Driver) -> None:
    driver.take(driver.dialog.cancel(driver.dialog.replies[-1].id))


def speaks(ms: int) -> Step:
    return lambda driver: driver.speak(ms)


def says(text: str) -> Step:
    return lambda driver: driver.said(text)


TABLE: list[tuple[str, list[Step]]] = [
    ("the user began to speak", [speaks(60)]),
    ("the user fell silent", [pauses]),
    ("the user went on", [pauses, speaks(60)]),
    ("silence ended the turn", [Driver.ask]),
    ("the user went on before anything was heard", [Driver.ask, speaks(60)]),
    ("a prepared reply failed", [pauses, newest_fails]),
    ("the client committed", [speaks(500), Driver.commit]),
    ("the client cleared its audio", [speaks(500), Driver.clear]),
    ("the client asked for a response", [Driver.create]),
    ("there is news to tell", [lambda driver: driver.dialog.create(answers=False)]),
    ("the client cancelled the response", [Driver.ask, newest_is_cancelled]),
    ("the first of the reply is out", [Driver.ask, Driver.audible]),
    ("the reply is over", [Driver.be_answered, Driver.reply_over]),
    ("the client cleared the output", [Driver.be_answered, lambda d: d.dialog.clear_output()]),
    ("a key was pressed", [Driver.be_answered, lambda d: d.dialog.key_pressed()]),
    ("a sign of speech over the agent's", [Driver.be_answered, lambda d: d.frames(20, 0.3)]),
    ("speech over the agent's", [Driver.be_answered, speaks(500)]),
    ("it was no interruption", [Driver.be_answered, speaks(100), lambda d: d.quiet(300)]),
    ("the client stopped sending audio", [Driver.be_answered, speaks(20), Driver.stall]),
    ("the recognizer's newest guess", [Driver.be_answered, speaks(60), says("no stop that")]),
]

TABLE_OF_GUESSES: list[tuple[str, list[Step]]] = [
    ("the user may have finished", [pauses_on_a_guess]),
    ("the user went on", [pauses_on_a_guess, speaks(60)]),
    ("the final transcript", [pauses_on_a_guess, has_said_something_else]),
    ("settings or items changed", [pauses_on_a_guess, lambda d: d.dialog.changed()]),
]


@pytest.mark.parametrize(
    ("why", "story", "options"),
    [
        *((why, story, None) for why, story in TABLE),
        *((why, story, GUESSING) for why, story in TABLE_OF_GUESSES),
        ("the turn has become too long", [speaks(1000)], SHORT),
    ],
)
def test_what_changed_last_is_explained(
    why: str, story: list[Step], options: TurnOptions | None
) -> None:
    driver = Driver(options)
    for step in story:
        step(driver)
    told = driver.dialog.explain()
    assert told["why"] == why
    assert told["since_ms"] == driver.now_ms


def test_what_changes_nothing_explains_nothing() -> None:
    driver = Driver()
    driver.ask()
    driver.audible("It is")
    since_ms = driver.now_ms
    driver.quiet(500)
    driver.audible("It is half past seven.")
    driver.dialog.changed()
    told = driver.dialog.explain()
    assert (told["why"], told["since_ms"]) == ("the first of the reply is out", since_ms)


def test_a_session_that_has_just_begun_has_nothing_to_tell() -> None:
    told = Driver().dialog.explain()
    assert told["why"] == "the session began"
    assert (told["since_ms"], told["silent_ms"], told["turn"], told["replies"]) == (0, 0, None, [])


def test_who_speaks_is_not_silent_and_no_end_is_foreseen() -> None:
    driver = Driver()
    driver.speak(500)
    assert driver.dialog.turn is not None
    told = driver.dialog.explain()
    assert told["turn"] == driver.dialog.turn.id
    assert (told["silent_ms"], told["ends_after_ms"]) == (0, None)
