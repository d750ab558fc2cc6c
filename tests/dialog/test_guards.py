"""Small decisions of the core that a change of one line would undo, found by `scripts/mutate`."""

from __future__ import annotations

import json
from typing import Literal

from tests.dialog.driver import COMPLETE, INCOMPLETE, Driver
from voicepipe.dialog import effects as fx
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.tape import TapedDialog, replay


def prepared(preemptive: Literal["eager_end", "stable_text"] = "eager_end") -> Driver:
    """The user pauses, and a reply is prepared behind the gate."""
    driver = Driver(TurnOptions(preemptive_generation=preemptive))
    driver.speak(600)
    driver.said(COMPLETE)
    while not any(isinstance(effect, fx.StartReply) for effect in driver.effects):
        driver.quiet(20)
    return driver


def test_pushing_to_talk_opens_the_turn_that_the_commit_hands_over() -> None:
    driver = Driver()
    (opened,) = driver.dialog.push_to_talk()
    assert isinstance(opened, fx.OpenUtterance)
    assert driver.dialog.turn is not None
    assert driver.dialog.turn.id == opened.turn
    assert driver.dialog.commit() == (fx.CommitTurn(opened.turn),)


def test_what_was_prepared_before_the_settings_changed_is_prepared_anew_while_the_user_pauses() -> (
    None
):
    driver = prepared()
    dropped, begun = driver.dialog.changed()
    assert isinstance(dropped, fx.DropReply)
    assert dropped.why == "stale"
    assert isinstance(begun, fx.StartReply)
    assert not begun.committed


def test_a_user_who_goes_on_is_not_answered_anew_when_the_settings_change() -> None:
    driver = prepared("stable_text")
    driver.speak(20)
    assert not any(isinstance(effect, fx.StartReply) for effect in driver.dialog.changed())


def test_silence_counts_from_a_turn_that_nobody_answers() -> None:
    driver = Driver(TurnOptions(idle_timeout_ms=1000))
    driver.dialog.apply(TurnOptions(idle_timeout_ms=1000), answers=False)
    driver.ask()
    driver.quiet(1000)
    assert len(driver.times_of(fx.IdleTimeout)) == 1


def test_why_the_agent_fell_silent_is_explained() -> None:
    driver = Driver()
    driver.be_answered()
    driver.speak(20)
    assert "a sign of speech over the agent's" in str(driver.dialog.explain())


def test_text_that_is_not_complete_yet_is_not_guessed_at() -> None:
    driver = Driver(TurnOptions(preemptive_generation="stable_text"))
    driver.speak(600)
    driver.quiet(100)
    driver.said(INCOMPLETE)
    assert not any(isinstance(effect, fx.StartReply) for effect in driver.effects)
    driver.said(COMPLETE)
    assert any(isinstance(effect, fx.StartReply) for effect in driver.effects)


def test_a_guess_that_the_final_transcript_confirms_late_is_kept() -> None:
    driver = prepared("stable_text")
    turn = driver.dialog.turn
    assert turn is not None
    while driver.dialog.turn is not None:
        driver.quiet(20)
    effects = driver.dialog.transcript(turn.id, COMPLETE)
    assert any(isinstance(effect, fx.CommitReply) for effect in (*driver.effects, *effects))
    assert not any(isinstance(effect, fx.DropReply) for effect in (*driver.effects, *effects))


def test_a_tape_tells_what_was_told_by_name_and_the_numbers_that_came_back() -> None:
    lines: list[str] = []
    dialog = TapedDialog(TurnOptions(), answers=True, write=lines.append)
    number, _ = dialog.create(answers=False)
    dialog.close()
    told = [step for step in replay(lines) if step.told.startswith("create")]
    assert [(step.told, step.as_recorded) for step in told] == [("create(answers=False)", True)]
    at = next(n for n, line in enumerate(lines) if '"create"' in line)
    record = json.loads(lines[at])
    record["out"]["number"] = number + 1
    lines[at] = json.dumps(record)
    assert [step.as_recorded for step in replay(lines)].count(False) == 1
