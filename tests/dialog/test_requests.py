"""What the client asks of a dialog, and what it may ask about: responses, silence, audio pushed to
talk, settings.
"""

from __future__ import annotations

import pytest

from tests.dialog.driver import (
    COMPLETE,
    INCOMPLETE,
    LISTENING,
    REPLYING,
    SPEAKING,
    Driver,
    EndTurn,
    Held,
    Resumed,
    SpeechStarted,
    Stopped,
)
from voicepipe.dialog import effects as fx
from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.effects import IdleTimeout
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import Agent, User

IDLE = TurnOptions(idle_timeout_ms=1000)


def prepared() -> Driver:
    """The user pauses, and a reply is prepared behind the gate."""
    driver = Driver()
    driver.speak(500)
    driver.quiet(120)
    assert driver.state == (User.PAUSED, Agent.PREPARING)
    return driver


def two_replies() -> tuple[Driver, int, int]:
    """One is played, the next is made."""
    driver = Driver()
    driver.be_answered()
    playing = driver.dialog.replies[0].id
    driver.dialog.reply_complete(playing)
    making, _ = driver.dialog.create()
    return driver, playing, making


# -- silence ---------------------------------------------------------------------------------------


def test_a_response_is_cancelled_by_its_number_and_others_go_on() -> None:
    driver, playing, making = two_replies()
    assert driver.dialog.cancel(making) == (fx.StopReplies((making,), "client_cancelled"),)
    assert [reply.id for reply in driver.dialog.replies] == [playing]
    assert driver.dialog.cancel(making) == (), "it has ended"


def test_all_that_was_said_or_is_due_is_cleared() -> None:
    driver, playing, making = two_replies()
    effects = driver.dialog.clear_output()
    assert effects == (fx.StopReplies((playing, making), "client_cancelled"),)
    assert driver.state == LISTENING


def test_what_is_only_prepared_is_no_output_to_be_cleared() -> None:
    driver = prepared()
    assert driver.dialog.clear_output() == ()
    assert driver.state == (User.PAUSED, Agent.PREPARING)


def test_a_key_stops_the_agent_as_speech_would() -> None:
    driver = Driver()
    driver.be_answered()
    (reply,) = driver.dialog.replies
    assert driver.dialog.key_pressed() == (fx.StopReplies((reply.id,), "turn_detected"),)
    assert driver.dialog.key_pressed() == ()


def test_a_key_does_not_stop_an_agent_that_may_not_be_interrupted() -> None:
    driver = Driver(TurnOptions(interruptible=False))
    driver.be_answered()
    assert driver.dialog.key_pressed() == ()
    assert driver.state == SPEAKING


def test_silence_counts_from_where_the_agent_was_stopped() -> None:
    driver = Driver(IDLE)
    driver.be_answered()
    stopped_ms = driver.now_ms
    driver.dialog.clear_output()
    driver.quiet(2000)
    assert driver.times_of(IdleTimeout) == [stopped_ms + 1000]


def test_to_silence_an_agent_that_is_silent_changes_nothing() -> None:
    driver = Driver(IDLE)
    driver.take(driver.dialog.clear_output())
    assert driver.quiet(5000) == [], "nobody has spoken yet"
    driver.be_answered()
    driver.reply_over()
    over_ms = driver.now_ms
    driver.quiet(500)
    driver.take(driver.dialog.clear_output())
    driver.quiet(1000)
    driver.take(driver.dialog.clear_output())
    driver.quiet(5000)
    assert driver.times_of(IdleTimeout) == [over_ms + 1000], "once per silence"


def test_a_reply_that_ends_while_the_user_speaks_begins_no_silence() -> None:
    driver = Driver(TurnOptions(idle_timeout_ms=1000, interruptible=False))
    driver.be_answered()
    driver.speak(300)
    driver.reply_over()
    driver.speak(300)
    driver.quiet(5000)
    assert driver.state == REPLYING
    assert driver.times_of(IdleTimeout) == []


@pytest.mark.parametrize("pause_ms", [0, 200])
def test_silence_counts_from_where_the_user_took_back_what_they_said(pause_ms: int) -> None:
    driver = Driver(IDLE)
    driver.be_answered()
    driver.speak(600)  # which interrupts the agent
    driver.quiet(pause_ms)
    driver.clear()
    assert driver.state == LISTENING
    taken_back_ms = driver.now_ms
    driver.quiet(5000)
    assert driver.times_of(IdleTimeout) == [taken_back_ms + 1000], "once"


def test_silence_counts_from_the_end_of_speech_that_goes_on_behind_a_turn() -> None:
    driver = Driver(IDLE)
    driver.speak(600)
    driver.commit()
    driver.reply_over()
    driver.speak(3000)
    spoken_ms = driver.now_ms
    driver.quiet(5000)
    assert driver.times_of(IdleTimeout) == [spoken_ms + 1000]


def test_who_speaks_on_after_taking_back_what_they_said_is_not_idle() -> None:
    driver = Driver(IDLE)
    driver.be_answered()
    driver.speak(600)
    driver.clear()
    driver.speak(3000)
    assert driver.times_of(IdleTimeout) == []


# -- responses -------------------------------------------------------------------------------------


def test_a_response_that_is_asked_for_answers_the_turn_that_nobody_has() -> None:
    driver = Driver()
    driver.dialog.apply(TurnOptions(), answers=False)
    driver.ask()
    (ended,) = (e for e in driver.effects if isinstance(e, fx.EndTurn))
    assert driver.state == LISTENING
    assert driver.dialog.known_turns == {ended.turn}
    greeting, effects = driver.dialog.create(answers=False)
    assert effects == (fx.StartReply(greeting, None, None, committed=True),)
    first, effects = driver.dialog.create()
    assert effects == (fx.StartReply(first, ended.turn, None, committed=True),)
    second, effects = driver.dialog.create()
    assert effects == (fx.StartReply(second, None, None, committed=True),), "that is answered"


def test_it_takes_the_place_of_what_was_prepared() -> None:
    driver = prepared()
    (behind,) = driver.dialog.replies
    number, effects = driver.dialog.create()
    assert effects == (
        fx.DropReply(behind.id, "cleared"),
        fx.StartReply(number, None, None, committed=True),
    )


def test_it_takes_the_place_of_an_answer_that_still_waits_for_the_final_transcript() -> None:
    driver = Driver(TurnOptions(preemptive_generation="stable_text"))
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(40)
    driver.commit()
    (waiting,) = driver.dialog.replies
    number, effects = driver.dialog.create()
    assert effects == (
        fx.DropReply(waiting.id, "cleared"),
        fx.StartReply(number, waiting.turn, None, committed=True),
    )


def test_speech_over_a_response_that_nobody_had_to_wait_for_reopens_no_turn() -> None:
    driver = Driver()
    driver.ask()
    driver.reply_over()
    driver.create()
    driver.audible("By the way")
    driver.quiet(100)
    driver.speak(480)
    assert driver.speak(20)[-1] == Stopped(reopened=False)


def test_a_response_asked_for_over_a_mere_sign_of_speech_leaves_the_turn_to_be_reopened() -> None:
    driver = Driver()
    driver.ask()
    driver.audible("It is")
    driver.speak(20)
    driver.create()
    assert driver.quiet(200) == [Resumed()]
    assert Stopped(reopened=True) in driver.speak(200)


def test_the_one_that_is_made_is_in_progress_until_all_of_it_is() -> None:
    driver = prepared()
    assert driver.dialog.in_progress is None, "the client does not know of it"
    while driver.user is User.PAUSED:
        driver.quiet(20)
    (reply,) = driver.dialog.replies
    assert driver.dialog.in_progress == reply.id
    driver.audible("It is")
    assert driver.dialog.in_progress == reply.id
    driver.dialog.reply_complete(reply.id)
    assert driver.dialog.in_progress is None
    assert driver.state == SPEAKING, "it is still playing"


def test_what_is_told_of_a_reply_that_is_over_means_nothing() -> None:
    driver = Driver()
    driver.be_answered()
    (reply,) = driver.dialog.replies
    driver.reply_over()
    dialog = driver.dialog
    assert dialog.reply_audible(reply.id, "late") == ()
    assert dialog.reply_complete(reply.id) == ()
    assert dialog.reply_done(reply.id) == ()
    assert dialog.reply_failed(reply.id) == ()
    assert driver.state == LISTENING


# -- the user's audio ------------------------------------------------------------------------------


def test_audio_pushed_to_talk_is_answered_when_asked() -> None:
    driver = Driver()
    (opened,) = driver.dialog.push_to_talk()
    assert isinstance(opened, fx.OpenUtterance)
    assert not driver.dialog.at_rest
    assert driver.dialog.known_turns == {opened.turn}
    driver.dialog.commit()
    assert driver.dialog.at_rest
    assert driver.dialog.known_turns == {opened.turn}, "it is still to be answered"
    number, effects = driver.dialog.create()
    assert effects == (fx.StartReply(number, opened.turn, None, committed=True),)
    assert driver.dialog.known_turns == {opened.turn}, "it is being answered"
    driver.dialog.reply_done(number)
    assert driver.dialog.known_turns == frozenset()


def test_audio_pushed_to_talk_can_be_taken_back() -> None:
    driver = Driver()
    (opened,) = driver.dialog.push_to_talk()
    assert isinstance(opened, fx.OpenUtterance)
    assert driver.dialog.clear() == (fx.DropTurn(opened.turn),)
    assert driver.dialog.commit() == ()
    assert driver.dialog.at_rest


def test_audio_that_came_as_an_item_is_answered_when_asked() -> None:
    driver = Driver()
    turn = driver.dialog.item_heard()
    number, effects = driver.dialog.create()
    assert effects == (fx.StartReply(number, turn, None, committed=True),)


def test_audio_taken_back_is_answered_by_nobody() -> None:
    driver = prepared()
    (behind,) = driver.dialog.replies
    assert driver.dialog.turn is not None
    turn = driver.dialog.turn.id
    assert driver.dialog.clear() == (fx.DropReply(behind.id, "cleared"), fx.DropTurn(turn))
    assert driver.state == LISTENING
    assert driver.dialog.clear() == ()


def test_a_sign_of_speech_that_the_client_commits_is_a_turn_of_the_users() -> None:
    driver = Driver()
    driver.be_answered()
    start_ms = driver.now_ms
    assert driver.frames(40, 0.3) == [Held(start_ms)]
    started, stopped, _, ended = driver.commit()
    assert (started, stopped) == (SpeechStarted(start_ms), Stopped(reopened=False))
    assert ended == EndTurn(start_ms, driver.now_ms, "commit")
    assert driver.state == REPLYING


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "answers", "anew"),
    [
        (TurnOptions(), True, True),
        (TurnOptions(), False, False),
        (TurnOptions(preemptive_generation="off"), True, False),
    ],
)
def test_what_is_prepared_is_prepared_anew_where_the_new_settings_want_it(
    options: TurnOptions, answers: bool, anew: bool
) -> None:
    driver = prepared()
    (behind,) = driver.dialog.replies
    dropped, *begun = driver.dialog.apply(options, answers=answers)
    assert dropped == fx.DropReply(behind.id, "stale")
    assert [type(effect) for effect in begun] == ([fx.StartReply] if anew else [])


def test_an_answer_that_waits_for_the_final_transcript_is_made_anew_at_once() -> None:
    driver = Driver(TurnOptions(preemptive_generation="stable_text"))
    driver.speak(500)
    driver.said(COMPLETE)
    driver.quiet(40)
    driver.commit()
    (waiting,) = driver.dialog.replies
    effects = driver.dialog.changed()
    (fresh,) = driver.dialog.replies
    assert effects == (
        fx.DropReply(waiting.id, "stale"),
        fx.StartReply(fresh.id, waiting.turn, None, committed=True),
    )


def test_what_is_due_or_heard_already_is_not_stale() -> None:
    driver = Driver()
    driver.ask()
    assert driver.dialog.changed() == ()
    driver.audible("It is")
    assert driver.dialog.changed() == ()


def test_the_text_is_judged_in_the_language_that_is_spoken() -> None:
    driver = Driver()
    driver.speak(500)
    driver.said("ich möchte einen Termin für")
    assert driver.dialog.endpoint_wait_ms() == 300
    driver.dialog.speak("de")
    assert driver.dialog.endpoint_wait_ms() == 1000


def test_overlaps_are_judged_in_the_language_that_is_spoken() -> None:
    driver = Driver()
    driver.dialog.speak("de")
    driver.be_answered("Es ist halb acht.")
    driver.speak(100)
    assert Stopped(reopened=False) in driver.said("warte")


def test_a_judge_of_its_own_is_not_told_of_languages() -> None:
    class Always:
        __slots__ = ()

        def judge(self, text: str) -> Verdict:
            return Verdict.INCOMPLETE

    driver = Driver()
    driver.dialog.completeness = Always()
    assert driver.dialog.speak("de") == ()
    assert driver.dialog.endpoint_wait_ms() == 1000


def test_what_was_learned_of_the_speaker_outlasts_other_settings() -> None:
    learned = TurnOptions(endpointing="learned")
    driver = Driver(learned)
    for _ in range(8):
        driver.speak(500)
        driver.said(INCOMPLETE)
        driver.quiet(900)
    driver.speak(500)
    driver.said(INCOMPLETE)
    waits_ms = driver.dialog.endpoint_wait_ms()
    assert waits_ms != learned.endpoint_incomplete_ms
    driver.dialog.apply(TurnOptions(endpointing="learned", resume_ms=400), answers=True)
    assert driver.dialog.endpoint_wait_ms() == waits_ms
    driver.dialog.apply(TurnOptions(), answers=True)
    driver.dialog.apply(learned, answers=True)
    assert driver.dialog.endpoint_wait_ms() == 1000, "another policy begins anew"
