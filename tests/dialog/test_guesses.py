"""Replies prepared on partial text (`stable_text`), and the model's prefix prefilled with it: when
one is dared, and when it is taken back.
"""

from __future__ import annotations

import pytest

from tests.dialog.driver import COMPLETE, Driver
from voicepipe.dialog import effects as fx
from voicepipe.dialog.options import MAX_GUESSES, PreemptiveGeneration, TurnOptions
from voicepipe.dialog.states import Agent, User

OPTIONS = TurnOptions(preemptive_generation="stable_text")
OTHER = "what day is it"


def begun(driver: Driver) -> list[str | None]:
    """The texts that replies were begun on so far; None: the final transcript."""
    return [e.guess for e in driver.effects if isinstance(e, fx.StartReply)]


def dropped(driver: Driver) -> list[str]:
    return [e.why for e in driver.effects if isinstance(e, fx.DropReply)]


def warmed(driver: Driver) -> list[int]:
    return [e.words for e in driver.effects if isinstance(e, fx.Warm)]


def heard(driver: Driver, text: str, *, loose: int = 0, stable: int = 0) -> None:
    """The recognizer's newest partial text."""
    dialog = driver.dialog
    assert dialog.turn is not None
    turn = dialog.turn.id
    driver.take(dialog.hypothesis(turn, text, loose_words=loose, stable_words=stable))


def final(driver: Driver, text: str) -> None:
    """The transcript of what was said up to the present pause."""
    assert driver.dialog.turn is not None
    end_ms = driver.dialog.speech_end_ms
    driver.take(driver.dialog.transcript(driver.dialog.turn.id, text, end_ms))


def guessed() -> Driver:
    """The user may have finished, and what they said so far is being answered."""
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(40)
    assert begun(driver) == [COMPLETE]
    return driver


# -- when one is dared -----------------------------------------------------------------------------


def test_the_first_40_ms_of_silence_are_a_gap_between_words() -> None:
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(20)
    assert begun(driver) == []
    driver.quiet(20)
    assert begun(driver) == [COMPLETE]
    assert driver.state == (User.SPEAKING, Agent.PREPARING)


@pytest.mark.parametrize(("loose", "texts"), [(0, [COMPLETE]), (1, [COMPLETE]), (2, [])])
def test_text_of_which_two_words_may_still_change_is_not_answered(
    loose: int, texts: list[str]
) -> None:
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.quiet(100)
    heard(driver, COMPLETE, loose=loose)
    assert begun(driver) == texts


def test_a_rambler_does_not_keep_the_engines_busy() -> None:
    driver = guessed()
    for number in range(MAX_GUESSES):
        driver.said((OTHER, COMPLETE)[number % 2])
    assert begun(driver) == [COMPLETE, OTHER, COMPLETE, OTHER]
    assert len(dropped(driver)) == MAX_GUESSES


def test_the_next_turn_may_be_guessed_at_again() -> None:
    driver = guessed()
    driver.said(OTHER)
    driver.commit()
    driver.reply_over()
    driver.quiet(20)
    driver.effects.clear()
    driver.speak(500)
    driver.quiet(40)
    for number in range(MAX_GUESSES):
        driver.said((OTHER, COMPLETE)[number % 2])
    assert len(begun(driver)) == MAX_GUESSES


@pytest.mark.parametrize("preemptive", ["off", "eager_end"])
def test_elsewhere_nothing_is_guessed(preemptive: PreemptiveGeneration) -> None:
    driver = Driver(TurnOptions(preemptive_generation=preemptive))
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(100)
    assert begun(driver) == []


def test_who_answers_by_himself_needs_no_guess() -> None:
    driver = Driver(OPTIONS)
    driver.dialog.apply(OPTIONS, answers=False)
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(40)
    driver.said(OTHER)
    heard(driver, OTHER, stable=8)
    driver.quiet(80)
    assert driver.user is User.PAUSED
    assert begun(driver) == []
    assert warmed(driver) == []


# -- when it is taken back -------------------------------------------------------------------------


def test_more_words_take_it_back_and_a_click_does_not() -> None:
    driver = guessed()
    driver.speak(40)
    assert dropped(driver) == []
    driver.speak(20)
    assert dropped(driver) == ["user_went_on"]
    assert driver.state == (User.SPEAKING, Agent.IDLE)


def test_other_text_is_answered_instead() -> None:
    driver = guessed()
    driver.said(OTHER)
    assert dropped(driver) == ["text_changed"]
    assert begun(driver) == [COMPLETE, OTHER]


def test_text_that_turns_out_unfinished_is_not_answered() -> None:
    driver = guessed()
    driver.said(COMPLETE + " in the")
    assert dropped(driver) == ["text_changed"]
    assert begun(driver) == [COMPLETE]


def test_the_same_words_written_otherwise_are_the_same() -> None:
    driver = guessed()
    driver.said("What time is it?")
    driver.quiet(80)
    final(driver, "What time is it?")
    driver.quiet(400)
    assert driver.user is User.SILENT
    assert begun(driver) == [COMPLETE]
    assert dropped(driver) == []


@pytest.mark.parametrize(
    ("text", "later", "same"),
    [
        ("is it 5", "Is it 5?", True),
        ("is it 5", "is it -5", False),
        ("is it 5", "is it 5%", False),
        ("is it c", "Is it C++?", False),
    ],
)
def test_figures_and_signs_are_no_mere_spelling(text: str, later: str, same: bool) -> None:
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.said(text)
    driver.quiet(120)
    assert begun(driver) == [text]
    final(driver, later)
    assert dropped(driver) == ([] if same else ["final_differs"])
    assert begun(driver) == ([text] if same else [text, None])


def test_it_goes_out_only_when_the_final_transcript_has_confirmed_it() -> None:
    driver = guessed()
    assert driver.dialog.turn is not None
    turn = driver.dialog.turn.id
    driver.commit()
    committed = [e for e in driver.effects if isinstance(e, fx.CommitReply)]
    assert committed == []
    driver.take(driver.dialog.transcript(turn, "What time is it?"))
    assert any(isinstance(e, fx.CommitReply) for e in driver.effects)
    assert begun(driver) == [COMPLETE]


@pytest.mark.parametrize("text", [OTHER, "", None])
def test_another_final_transcript_is_answered_in_its_place(text: str | None) -> None:
    driver = guessed()
    assert driver.dialog.turn is not None
    turn = driver.dialog.turn.id
    driver.commit()
    driver.take(driver.dialog.transcript(turn, text))
    assert dropped(driver) == ["final_differs"]
    (reply,) = driver.dialog.replies
    assert driver.effects[-1] == fx.StartReply(reply.id, turn, None, committed=True)


def test_in_the_pause_another_final_transcript_is_prepared_for() -> None:
    driver = guessed()
    driver.quiet(80)
    final(driver, OTHER)
    assert dropped(driver) == ["final_differs"]
    assert begun(driver) == [COMPLETE, None]
    driver.quiet(600)
    assert begun(driver) == [COMPLETE, None], "it is the answer"


def test_the_transcript_of_a_pause_says_nothing_of_what_was_said_after_it() -> None:
    driver = Driver(OPTIONS)
    driver.speak(500)
    driver.quiet(120)
    final(driver, "wait")
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(40)
    assert driver.dialog.turn is not None
    turn = driver.dialog.turn.id
    driver.effects.clear()
    driver.commit()
    assert dropped(driver) == []
    (reply,) = driver.dialog.replies
    assert driver.dialog.transcript(turn, COMPLETE) == (fx.CommitReply(reply.id),)


def test_a_transcript_of_the_turn_before_changes_nothing() -> None:
    driver = guessed()
    assert driver.dialog.turn is not None
    turn = driver.dialog.turn.id
    driver.take(driver.dialog.transcript(turn - 1, OTHER, driver.dialog.speech_end_ms))
    driver.take(driver.dialog.transcript(turn, OTHER, driver.dialog.speech_end_ms - 20))
    driver.take(driver.dialog.transcript(turn, None, driver.dialog.speech_end_ms))
    assert dropped(driver) == []


def test_an_engine_that_fails_in_the_pause_is_not_asked_again_before_the_endpoint() -> None:
    driver = Driver()
    driver.speak(500)
    driver.quiet(120)
    (reply,) = driver.dialog.replies
    driver.take(driver.dialog.reply_failed(reply.id))
    assert dropped(driver) == ["failed"]
    driver.quiet(460)
    assert begun(driver) == [None]
    driver.quiet(20)
    assert begun(driver) == [None, None]


# -- prefilling ------------------------------------------------------------------------------------


def test_each_four_words_more_that_will_not_change_are_prefilled() -> None:
    driver = Driver()
    driver.speak(500)
    for stable in (1, 3, 4, 5, 7, 8, 15):
        heard(driver, "word " * stable, stable=stable)
    assert warmed(driver) == [4, 8, 15]


def test_while_a_reply_is_made_nothing_is_prefilled() -> None:
    driver = Driver()
    driver.speak(500)
    driver.quiet(120)
    assert driver.dialog.replies
    heard(driver, "word " * 8, stable=8)
    assert warmed(driver) == []


def test_other_instructions_are_prefilled_from_the_start() -> None:
    driver = Driver()
    driver.speak(500)
    heard(driver, "word " * 4, stable=4)
    driver.dialog.changed()
    heard(driver, "word " * 4, stable=4)
    assert warmed(driver) == [4, 4]
