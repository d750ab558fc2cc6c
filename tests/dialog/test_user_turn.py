"""When a user's turn begins and ends: thresholds, clicks, eager end, endpoint, commit, limits."""

from __future__ import annotations

import pytest

from tests.dialog.driver import (
    COMPLETE,
    INCOMPLETE,
    LISTENING,
    REPLYING,
    SPEAKING,
    Driver,
    EagerEnd,
    EndTurn,
    SpeechStarted,
    TurnContinued,
)
from voicepipe.dialog import effects as fx
from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.effects import IdleTimeout
from voicepipe.dialog.options import PreemptiveGeneration, TurnOptions
from voicepipe.dialog.states import User


def test_turn_starts_after_60_ms_and_is_dated_back_to_its_first_frame() -> None:
    driver = Driver()
    driver.quiet(200)
    assert driver.speak(40) == []
    assert driver.speak(20) == [SpeechStarted(200)]


def test_clicks_never_start_a_turn() -> None:
    driver = Driver()
    for _ in range(200):
        assert driver.speak(40) == []
        assert driver.quiet(20) == []
    assert driver.state == LISTENING


def test_minimum_speech_is_an_option() -> None:
    driver = Driver(TurnOptions(min_speech_ms=200))
    assert driver.speak(180) == []
    assert driver.speak(20) == [SpeechStarted(0)]


def test_hysteresis_starts_at_the_one_threshold_and_ends_below_the_other() -> None:
    driver = Driver()
    assert driver.frames(1000, 0.49) == []
    assert driver.frames(60, 0.5) == [SpeechStarted(1000)]
    assert driver.frames(1000, 0.35) == []
    assert driver.frames(120, 0.34) == [EagerEnd(2060)]
    assert driver.frames(200, 0.49) == [], "after silence the higher threshold counts again"


@pytest.mark.parametrize(("text", "wait_ms"), [(COMPLETE, 300), (INCOMPLETE, 1000), ("", 600)])
def test_silence_eager_ends_at_120_ms_and_ends_by_how_complete_the_text_looks(
    text: str, wait_ms: int
) -> None:
    driver = Driver()
    driver.speak(500)
    driver.said(text)
    assert driver.quiet(100) == []
    assert driver.quiet(20) == [EagerEnd(500)]
    assert driver.quiet(wait_ms - 140) == []
    assert driver.quiet(20) == [EndTurn(500, 500 + wait_ms, "silence")]
    assert driver.state == REPLYING


def test_text_that_comes_after_the_eager_end_shortens_the_wait() -> None:
    driver = Driver()
    driver.speak(500)
    driver.quiet(400)
    assert driver.user is User.PAUSED
    driver.said(COMPLETE)
    assert driver.quiet(20) == [EndTurn(500, 920, "silence")]


def test_text_of_the_turn_before_says_nothing_about_this_one() -> None:
    driver = Driver()
    driver.ask(INCOMPLETE)
    driver.reply_over()
    driver.speak(500)
    assert driver.dialog.endpoint_wait_ms() == 600


@pytest.mark.parametrize("text", [COMPLETE, INCOMPLETE, ""])
def test_fixed_endpoint_is_the_same_whatever_the_text(text: str) -> None:
    driver = Driver(TurnOptions(endpoint_fixed_ms=500))
    driver.speak(500)
    driver.said(text)
    driver.quiet(480)
    assert driver.quiet(20) == [EndTurn(500, 1000, "silence")]


def test_endpoint_shorter_than_the_eager_end_still_comes_after_one() -> None:
    driver = Driver(TurnOptions(endpoint_fixed_ms=40))
    driver.speak(500)
    assert driver.quiet(120) == [EagerEnd(500), EndTurn(500, 620, "silence")]


def test_a_better_judge_of_completeness_can_take_the_rules_place() -> None:
    class Always:
        def judge(self, text: str) -> Verdict:
            return Verdict.INCOMPLETE

    driver = Driver()
    driver.dialog.completeness = Always()
    driver.speak(500)
    driver.said(COMPLETE)
    assert driver.dialog.endpoint_wait_ms() == 1000


def test_user_who_goes_on_resumes_the_same_turn() -> None:
    driver = Driver()
    driver.speak(500)
    driver.quiet(200)
    assert driver.speak(40) == []
    assert driver.speak(20) == [TurnContinued()]
    driver.said(COMPLETE)
    assert driver.quiet(300) == [EagerEnd(760), EndTurn(760, 1060, "silence")]
    assert len(driver.times_of(SpeechStarted)) == 1


def test_click_after_the_last_word_neither_resumes_nor_delays_the_endpoint() -> None:
    driver = Driver()
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(200)
    assert driver.speak(40) == []
    assert not driver.dialog.in_speech
    assert driver.quiet(60) == [EndTurn(500, 800, "silence")]


def test_endpoint_waits_for_a_stretch_that_may_be_speech() -> None:
    driver = Driver()
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(280)
    assert driver.speak(60) == [TurnContinued()]


@pytest.mark.parametrize("early", ["off", "eager_end", "stable_text"])
def test_what_was_said_up_to_a_pause_is_decoded_and_answered_behind_the_gate_unless_that_is_off(
    early: PreemptiveGeneration,
) -> None:
    driver = Driver(TurnOptions(preemptive_generation=early))
    driver.speak(500)
    driver.effects.clear()
    driver.quiet(200)
    assert driver.dialog.turn is not None
    turn = driver.dialog.turn.id
    more = (fx.Decode(turn, 500), fx.StartReply(2, turn, None, committed=False))
    assert driver.effects == [fx.EagerEnd(turn, 500), *(() if early == "off" else more)]


@pytest.mark.parametrize("reason", ["commit", "stall"])
def test_turn_can_be_ended_at_any_point_of_it(reason: str) -> None:
    driver = Driver()
    driver.speak(500)
    assert (driver.commit() if reason == "commit" else driver.stall()) == [
        EagerEnd(500),
        EndTurn(500, 500, reason),
    ]
    driver = Driver()
    driver.speak(500)
    driver.quiet(140)
    assert (driver.commit() if reason == "commit" else driver.stall()) == [
        EndTurn(500, 640, reason)
    ]


def test_without_a_turn_there_is_nothing_to_end() -> None:
    driver = Driver()
    assert driver.commit() == []
    driver.be_answered()
    assert driver.commit() == []
    assert driver.state == SPEAKING


def test_stall_in_an_overlap_lets_the_agent_go_on() -> None:
    driver = Driver()
    driver.be_answered()
    driver.speak(100)
    assert len(driver.stall()) == 1
    assert driver.state == SPEAKING


def test_maximum_turn_is_ended_in_mid_word_and_stays_ended() -> None:
    driver = Driver(TurnOptions(max_turn_ms=3000))
    driver.quiet(1000)
    assert driver.speak(2980) == [SpeechStarted(1000)]
    assert driver.speak(20) == [EagerEnd(4000), EndTurn(4000, 4000, "max_turn")]
    assert driver.speak(10_000) == [], "the rest of that stretch is not a new turn"
    assert driver.state == REPLYING


def test_speech_on_after_a_commit_counts_only_after_a_pause() -> None:
    driver = Driver()
    driver.speak(500)
    driver.commit()
    assert driver.speak(200) == []
    driver.quiet(20)
    assert driver.speak(60)[0] == SpeechStarted(720)


def test_speech_after_a_stall_is_dated_from_where_it_came_back() -> None:
    driver = Driver()
    driver.speak(500)
    driver.stall()
    assert driver.speak(40) == []
    assert driver.speak(20)[0] == SpeechStarted(500)


def test_reset_forgets_the_turn_and_the_stretch_of_speech() -> None:
    driver = Driver()
    driver.speak(500)
    assert driver.clear() == []
    assert driver.state == LISTENING
    assert not driver.dialog.in_speech
    assert driver.speak(40) == []
    assert driver.speak(20) == [SpeechStarted(500)]
    driver.quiet(140)
    driver.clear()
    assert driver.quiet(2000) == []


def test_idle_is_told_once_per_silence_after_the_agent_spoke() -> None:
    driver = Driver(TurnOptions(idle_timeout_ms=1000))
    assert driver.quiet(5000) == [], "nobody has spoken yet"
    driver.be_answered()
    driver.reply_over()
    finished_ms = driver.now_ms
    assert driver.quiet(980) == []
    assert driver.quiet(20) == [IdleTimeout(finished_ms, finished_ms + 1000)]
    assert driver.quiet(5000) == []
    driver.create()
    driver.audible("Are you still there?")
    driver.reply_over()
    assert len(driver.quiet(5000)) == 1


def test_user_who_speaks_in_time_is_not_idle() -> None:
    driver = Driver(TurnOptions(idle_timeout_ms=1000))
    driver.be_answered()
    driver.reply_over()
    driver.quiet(900)
    driver.speak(200)
    driver.clear()
    cleared_ms = driver.now_ms
    driver.quiet(5000)
    assert driver.times_of(IdleTimeout) == [cleared_ms + 1000], "that silence begins anew"


def test_typed_request_ends_the_idle_silence() -> None:
    driver = Driver(TurnOptions(idle_timeout_ms=1000))
    driver.be_answered()
    driver.reply_over()
    driver.quiet(500)
    driver.create()
    driver.quiet(2000)  # it is thought about
    assert driver.times_of(IdleTimeout) == []
    driver.audible("Sure.")
    driver.quiet(2000)
    driver.speak(400)  # interrupts, and is then cleared by the client
    driver.clear()
    driver.quiet(980)
    assert driver.times_of(IdleTimeout) == []


def test_no_idle_timeout_by_default() -> None:
    driver = Driver()
    driver.be_answered()
    driver.reply_over()
    assert driver.quiet(60_000) == []


def test_what_the_final_text_says_decides_the_wait() -> None:
    """The partial looked unfinished; the text of the pause is whole: the wait is the short one."""
    driver = Driver()
    driver.speak(600)
    driver.said(INCOMPLETE)
    driver.quiet(200)
    turn = driver.dialog.turn
    assert turn is not None
    driver.take(driver.dialog.transcript(turn.id, COMPLETE, driver.dialog.speech_end_ms))
    driver.quiet(2000)
    (ended,) = driver.times_of(EndTurn)
    assert ended == 600 + driver.dialog.options.endpoint_complete_ms


def test_a_stall_says_that_no_audio_came() -> None:
    driver = Driver()
    driver.speak(600)
    driver.stall()
    assert driver.dialog.explain()["why"] == "the client stopped sending audio"


def test_an_engine_that_fails_after_the_commit_ends_the_reply_and_starts_no_other() -> None:
    driver = Driver()
    driver.ask()
    (reply,) = driver.dialog.replies
    driver.effects.clear()
    driver.take(driver.dialog.reply_failed(reply.id))
    assert driver.dialog.replies == []
    assert not [one for one in driver.effects if isinstance(one, fx.StartReply | fx.DropReply)]
    assert driver.dialog.explain()["why"] == "the reply is over"


def test_who_enters_keys_is_not_idle() -> None:
    driver = Driver(TurnOptions(idle_timeout_ms=1000))
    driver.be_answered()
    driver.reply_over()
    for _ in range(4):
        driver.quiet(800)
        driver.dialog.key_pressed()
    pressed_ms = driver.now_ms
    assert driver.quiet(980) == []
    assert driver.quiet(20) == [IdleTimeout(pressed_ms, pressed_ms + 1000)]


def test_keys_where_the_agent_has_not_spoken_begin_no_idle_silence() -> None:
    driver = Driver(TurnOptions(idle_timeout_ms=1000))
    driver.dialog.key_pressed()
    assert driver.quiet(5000) == []


def test_no_time_to_be_idle_in_is_no_idle_timeout() -> None:
    driver = Driver(TurnOptions(idle_timeout_ms=0))
    driver.be_answered()
    driver.reply_over()
    assert driver.quiet(1000) == [], "or it would speak for ever"
