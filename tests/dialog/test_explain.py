"""What a dialog says of itself: since when it is as it is, and what brought it there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.dialog.driver import COMPLETE, Driver
from voicepipe.dialog.options import TurnOptions

GUESSING = TurnOptions(preemptive_generation="stable_text")
SHORT = TurnOptions(max_turn_ms=1000)


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


def newest(driver: Driver) -> int:
    return driver.dialog.replies[-1].id


Story = Callable[[Driver], object]

TABLE: list[tuple[str, Story]] = [
    ("the user began to speak", lambda d: d.speak(60)),
    ("the user fell silent", pauses),
    ("the user went on", lambda d: (pauses(d), d.speak(60))),
    ("silence ended the turn", lambda d: d.ask()),
    ("the user went on before anything was heard", lambda d: (d.ask(), d.speak(60))),
    ("a prepared reply failed", lambda d: (pauses(d), d.dialog.reply_failed(newest(d)))),
    ("the client committed", lambda d: (d.speak(500), d.commit())),
    ("the client cleared its audio", lambda d: (d.speak(500), d.clear())),
    ("the client asked for a response", lambda d: d.create()),
    ("there is news to tell", lambda d: d.dialog.create(answers=False)),
    ("the client cancelled the response", lambda d: (d.ask(), d.dialog.cancel(newest(d)))),
    ("the first of the reply is out", lambda d: (d.ask(), d.audible("It is"))),
    ("the reply is over", lambda d: (d.be_answered(), d.reply_over())),
    ("the client cleared the output", lambda d: (d.be_answered(), d.dialog.clear_output())),
    ("a key was pressed", lambda d: (d.be_answered(), d.dialog.key_pressed())),
    ("a sign of speech over the agent's", lambda d: (d.be_answered(), d.frames(20, 0.3))),
    ("speech over the agent's", lambda d: (d.be_answered(), d.speak(500))),
    ("it was no interruption", lambda d: (d.be_answered(), d.speak(100), d.quiet(300))),
    ("the client stopped sending audio", lambda d: (d.be_answered(), d.speak(20), d.stall())),
    (
        "the recognizer's newest guess",
        lambda d: (d.be_answered(), d.speak(60), d.said("no stop that")),
    ),
]

TABLE_OF_GUESSES: list[tuple[str, Story]] = [
    ("the user may have finished", pauses_on_a_guess),
    ("the user went on", lambda d: (pauses_on_a_guess(d), d.speak(60))),
    ("the final transcript", lambda d: (pauses_on_a_guess(d), has_said_something_else(d))),
    ("settings or items changed", lambda d: (pauses_on_a_guess(d), d.dialog.changed())),
]


@pytest.mark.parametrize(
    ("why", "story", "options"),
    [
        *((*row, None) for row in TABLE),
        *((*row, GUESSING) for row in TABLE_OF_GUESSES),
        ("the turn has become too long", lambda d: d.speak(1000), SHORT),
    ],
)
def test_what_changed_last_is_explained(
    why: str, story: Story, options: TurnOptions | None
) -> None:
    driver = Driver(options)
    story(driver)
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
