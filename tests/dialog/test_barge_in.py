"""User speech while the agent thinks or speaks: pause, judge, interrupt or resume, reopen."""

from __future__ import annotations

import pytest

from tests.dialog.driver import (
    LISTENING,
    OVERLAP,
    REPLYING,
    SPEAKING,
    Driver,
    EagerEnd,
    EndTurn,
    Held,
    Resumed,
    SpeechStarted,
    Stopped,
    TurnContinued,
)
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import Agent, User


def speaking(
    options: TurnOptions | None = None, agent_text: str = "It is half past seven"
) -> Driver:
    """The agent has spoken for two seconds: far beyond the reopen window."""
    driver = Driver(options)
    driver.be_answered(agent_text)
    return driver


def test_speech_over_speech_pauses_at_its_first_frame_and_interrupts_in_time() -> None:
    driver = speaking()
    start_ms = driver.now_ms
    assert driver.speak(20) == [Held(start_ms)]
    assert driver.speak(460) == []
    assert driver.speak(20) == [SpeechStarted(start_ms), Stopped(reopened=False)]
    assert driver.user is User.SPEAKING


def test_a_word_known_it_is_judged_sooner() -> None:
    driver = speaking()
    driver.speak(240)
    assert driver.said("never") == []
    assert driver.speak(40) == []
    assert isinstance(driver.speak(20)[-1], Stopped)


def test_a_first_doubt_in_the_first_frame_of_all_holds_a_greeting() -> None:
    driver = Driver()
    driver.create()
    driver.audible("Hello.")
    assert driver.frames(20, 0.2) == [Held(0)]


def test_a_first_doubt_holds_the_agent_and_its_speech_is_whole() -> None:
    driver = speaking()
    start_ms = driver.now_ms
    assert driver.frames(20, 0.2) == [Held(start_ms)]
    driver.speak(60)
    assert driver.said("stop it now")[0] == SpeechStarted(start_ms)


def test_a_doubt_that_comes_to_nothing_is_a_short_gap() -> None:
    driver = speaking()
    driver.frames(20, 0.2)
    assert driver.quiet(180) == []
    assert driver.quiet(20) == [Resumed()]
    assert driver.state == SPEAKING


def test_after_a_turn_that_was_cut_off_a_first_doubt_holds_the_agent_as_ever() -> None:
    driver = Driver()
    driver.speak(500)
    driver.commit()
    driver.audible("It is half past seven.")
    assert driver.frames(1000, 0.5) == [], "the rest of that stretch is no sign"
    assert driver.frames(100, 0.3) == [], "... nor is its echo in the room"
    driver.quiet(1000)
    assert driver.frames(20, 0.3) == [Held(driver.now_ms - 20)]


def test_a_doubt_from_before_the_turn_ended_is_no_part_of_the_next() -> None:
    driver = Driver()
    driver.speak(500)
    driver.frames(300, 0.3)
    driver.commit()
    driver.audible("It is half past seven.")
    assert driver.frames(20, 0.3) == [Held(driver.now_ms - 20)]


def test_after_a_false_alarm_a_mere_doubt_holds_nobody() -> None:
    driver = speaking()
    driver.frames(20, 0.3)
    driver.quiet(200)
    assert driver.frames(2000, 0.3) == []
    assert driver.speak(20) == [Held(driver.now_ms - 20)]


def test_an_agent_that_is_held_late_is_interrupted_in_the_same_frame() -> None:
    driver = speaking(TurnOptions(pause_ms=500))
    start_ms = driver.now_ms
    assert driver.speak(480) == []
    assert driver.speak(20) == [Held(start_ms), SpeechStarted(start_ms), Stopped(reopened=False)]


def test_an_agent_that_is_held_late_waits_for_silence_as_ever() -> None:
    driver = speaking(TurnOptions(pause_ms=100))
    assert driver.speak(100) == [Held(driver.now_ms - 100)]
    assert driver.quiet(280) == []
    assert driver.quiet(20) == [Resumed()]


def test_what_is_speech_is_a_sign_of_it_whatever_the_options() -> None:
    driver = speaking(TurnOptions(pause_threshold=0.9))
    assert driver.frames(20, 0.5) == [Held(driver.now_ms - 20)]


def test_silence_holds_nobody_whatever_the_options() -> None:
    driver = speaking(TurnOptions(pause_ms=0, interrupt_ms=0, interrupt_untold_ms=500))
    assert driver.quiet(500) == []
    driver.frames(20, 0.3)
    assert driver.quiet(200) == [Resumed()]
    assert driver.quiet(500) == []


def test_no_doubt_at_all_holds_nobody() -> None:
    driver = speaking()
    assert driver.frames(2000, 0.19) == []
    quiet = Driver()
    assert quiet.frames(2000, 0.4) == [], "doubts count only while the agent is audible"


def test_gaps_between_words_do_not_count_as_speech() -> None:
    driver = speaking()
    driver.speak(160)
    driver.quiet(200)
    assert driver.speak(320) == []
    assert isinstance(driver.speak(20)[-1], Stopped)


def test_two_words_interrupt_before_their_time() -> None:
    driver = speaking()
    driver.speak(100)
    assert driver.said("not") == []
    started, interrupt = driver.said("not now")
    assert interrupt == Stopped(reopened=False)
    assert isinstance(started, SpeechStarted)


def test_turn_that_interrupted_keeps_its_words_for_the_endpoint() -> None:
    driver = speaking()
    driver.speak(100)
    driver.said("stop that now")
    assert driver.user is User.SPEAKING
    assert driver.dialog.endpoint_wait_ms() == 300


def test_clicks_hold_the_agent_three_times_at_most() -> None:
    driver = speaking()
    for _ in range(50):
        driver.speak(40)
        driver.quiet(400)
    assert len(driver.times_of(Held)) == len(driver.times_of(Resumed)) == 3
    assert driver.times_of(Stopped) == []
    assert driver.state == SPEAKING


def test_an_echo_that_returns_after_every_resume_does_not_make_the_agent_stutter() -> None:
    driver = speaking()
    for _ in range(20):
        driver.speak(100)  # what was on its way when the agent was held
        driver.quiet(300)
        assert driver.state == SPEAKING
    assert len(driver.times_of(Held)) == 2
    assert driver.times_of(Stopped) == []
    driver.said("no")
    assert Stopped(reopened=False) in driver.speak(500), "speech interrupts as ever"


@pytest.mark.parametrize(("alarms", "speech_ms"), [([40], 20), ([100], 40), ([100, 100], 160)])
def test_an_echo_asks_for_more_speech_than_a_click(alarms: list[int], speech_ms: int) -> None:
    driver = speaking()
    for ms in alarms:
        driver.speak(ms)
        driver.quiet(400)
    assert len(driver.times_of(Resumed)) == len(alarms)
    assert driver.speak(speech_ms - 20) == []
    assert driver.speak(20) == [Held(driver.now_ms - speech_ms)]


def test_more_of_the_same_reply_forgets_no_false_alarm() -> None:
    driver = speaking()
    driver.speak(100)
    driver.quiet(400)
    driver.audible("It is half past seven. Anything else?")
    assert driver.frames(1000, 0.2) == []


def test_the_next_reply_is_held_at_the_first_sign_again() -> None:
    driver = speaking()
    driver.speak(100)
    driver.quiet(400)
    driver.reply_over()
    driver.be_answered("Sure.")
    assert driver.frames(20, 0.2) == [Held(driver.now_ms - 20)]


def test_short_noise_pauses_and_resumes() -> None:
    driver = speaking()
    driver.speak(200)
    assert driver.quiet(280) == []
    assert driver.quiet(20) == [Resumed()]
    assert driver.state == SPEAKING


def test_backchannel_is_let_pass_until_three_times_the_limit() -> None:
    driver = speaking()
    driver.speak(200)
    driver.said("mhm okay")
    assert driver.speak(680) == []
    assert isinstance(driver.speak(20)[-1], Stopped)


def test_echo_of_the_agents_own_words_does_not_interrupt() -> None:
    driver = speaking(agent_text="It is half past seven. Anything else?")
    driver.speak(200)
    driver.said("half past seven")
    assert driver.speak(5000) == []
    assert driver.quiet(300) == [Resumed()]


def test_echo_guard_can_be_switched_off() -> None:
    driver = speaking(TurnOptions(echo_guard=False))
    driver.speak(200)
    assert driver.said("half past seven")[1] == Stopped(reopened=False)


def test_echo_guard_knows_what_was_said_since_the_reply_began() -> None:
    driver = speaking(agent_text="Sure.")
    driver.audible("Sure. The kitchen lights are on.")
    driver.speak(200)
    assert driver.said("kitchen lights are on") == []


def test_words_of_the_overlap_before_do_not_count_in_the_next() -> None:
    driver = speaking()
    driver.speak(200)
    driver.said("well")
    driver.quiet(300)
    driver.speak(100)
    assert driver.said("so") == []


@pytest.mark.parametrize("gap_ms", [20, 700])
def test_going_on_before_the_answer_reopens_the_turn(gap_ms: int) -> None:
    driver = Driver()
    driver.ask()
    driver.quiet(gap_ms)
    start_ms = driver.now_ms
    assert driver.speak(60) == [SpeechStarted(start_ms), Stopped(reopened=True)]
    assert driver.user is User.SPEAKING


@pytest.mark.parametrize("gap_ms", [20, 700])
def test_going_on_into_the_answer_holds_it_and_reopens_the_turn(gap_ms: int) -> None:
    driver = Driver()
    driver.ask()
    driver.audible("It is")
    driver.quiet(gap_ms)
    start_ms = driver.now_ms
    assert driver.speak(20) == [Held(start_ms)]
    assert driver.speak(160) == []
    assert driver.speak(20) == [SpeechStarted(start_ms), Stopped(reopened=True)]
    assert driver.user is User.SPEAKING


def test_echo_of_the_first_words_does_not_reopen_the_turn() -> None:
    driver = Driver()
    driver.ask()
    driver.audible("It is half past seven.")
    driver.quiet(100)
    driver.speak(180)
    assert driver.said("half past") == []
    assert driver.speak(100) == []
    assert driver.quiet(300) == [Resumed()]


def test_after_the_window_it_is_a_barge_in_like_any_other() -> None:
    driver = Driver()
    driver.ask()
    driver.audible("It is")
    driver.quiet(720)
    assert driver.speak(480) == [Held(driver.now_ms - 480)]
    assert driver.speak(20)[1] == Stopped(reopened=False)


def test_speech_before_the_agent_is_audible_is_the_same_turn_however_late() -> None:
    driver = Driver()
    driver.ask()
    driver.quiet(3000)
    assert driver.speak(60)[1] == Stopped(reopened=True)


def test_thinking_has_its_own_limit() -> None:
    driver = Driver(TurnOptions(interrupt_thinking_ms=200))
    driver.ask()
    assert driver.speak(180) == []
    assert driver.speak(20)[1] == Stopped(reopened=True)


def test_that_limit_counts_only_while_the_agent_thinks_about_a_turn_that_is_over() -> None:
    options = TurnOptions(interrupt_thinking_ms=200)
    driver = Driver(options)
    assert driver.speak(60) == [SpeechStarted(0)]
    driver = Driver(options)
    driver.speak(500)
    driver.create()
    driver.quiet(140)
    assert driver.state == (User.PAUSED, Agent.THINKING)
    assert driver.speak(60) == [TurnContinued()]


@pytest.mark.parametrize("by", ["a turn", "an interruption"])
def test_a_turn_that_was_taken_back_leaves_none_before_it_to_be_reopened(by: str) -> None:
    driver = Driver()
    driver.ask()
    if by == "a turn":
        driver.reply_over()
    else:
        driver.audible("It is half past seven.")
        driver.quiet(1000)
    driver.speak(500)
    assert driver.user is User.SPEAKING
    driver.create()
    driver.clear()
    assert driver.state == REPLYING
    driver.quiet(100)
    assert driver.speak(60)[-1] == Stopped(reopened=False)


def test_reply_to_typed_text_is_interrupted_not_reopened() -> None:
    driver = Driver()
    driver.ask()
    driver.reply_over()
    driver.create()
    assert driver.speak(60)[1] == Stopped(reopened=False)


def test_turn_that_was_reopened_ends_once_more() -> None:
    driver = Driver()
    driver.ask()
    driver.quiet(100)
    driver.ask()
    assert len(driver.times_of(EndTurn)) == 2
    assert driver.state == REPLYING


def test_agent_that_may_not_be_interrupted_speaks_on_while_the_user_is_heard() -> None:
    driver = speaking(TurnOptions(interruptible=False))
    start_ms = driver.now_ms
    assert driver.speak(2000) == [SpeechStarted(start_ms)]
    assert [type(c) for c in driver.quiet(600)] == [EagerEnd, EndTurn, Stopped]
    assert driver.times_of(Held) == []
    assert driver.times_of(Stopped) == driver.times_of(EndTurn)[1:], "the turn's end stops it"


def test_reply_that_ends_in_an_overlap_leaves_a_user_turn() -> None:
    driver = speaking()
    start_ms = driver.now_ms
    driver.speak(100)
    assert driver.reply_over() == [SpeechStarted(start_ms)]
    assert driver.user is User.SPEAKING
    assert driver.quiet(120) == [EagerEnd(start_ms + 100)]


def test_reply_that_ends_in_a_mere_doubt_leaves_none() -> None:
    driver = speaking()
    driver.frames(20, 0.2)
    assert driver.reply_over() == [Resumed()]
    assert driver.state == LISTENING


def test_reset_in_an_overlap_lets_the_agent_go_on() -> None:
    driver = speaking()
    driver.speak(100)
    assert driver.clear() == [Resumed()]
    assert driver.state == SPEAKING


def test_reply_of_the_clients_own_does_not_end_the_users_turn() -> None:
    driver = Driver()
    driver.speak(200)
    driver.create()
    driver.audible("Hello.")
    assert driver.user is User.SPEAKING
    driver.reply_over()
    assert driver.user is User.SPEAKING


def test_an_echo_that_does_not_end_holds_the_agent_no_longer_than_a_turn_may_last() -> None:
    driver = Driver(TurnOptions(max_turn_ms=5000))
    driver.be_answered("It is half past seven.")
    driver.speak(300)
    driver.said("it is half past")
    assert driver.state == OVERLAP
    assert driver.speak(4680) == []
    assert driver.speak(20) == [Resumed()]
    assert driver.state == SPEAKING
    assert driver.speak(10_000) == [], "what goes on so is no new sign of speech"
    driver.quiet(400)
    assert any(isinstance(seen, Held) for seen in driver.speak(400))
