"""What the server does for a simulated caller: nothing twice, nothing late that could be early."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from voicepipe.fit.caller import Caller, World
from voicepipe.fit.machine import Machine
from voicepipe.fit.speeds import AsrSpeed, LlmSpeed, Setup, Speeds, TtsSpeed
from voicepipe.fit.talk import Exchange, Talk, steps_to
from voicepipe.fit.turn import Turn

STEP_MS = 1.0
ONE = Exchange("turn on the lights in the kitchen", 2000, "Okay. The kitchen lights are on.")
CLAUSE = "Okay. "
TALK = Talk(exchanges=(ONE,), spread=0.0)
ASR = AsrSpeed("asr", 100, 2)
LLM = LlmSpeed("llm", 10, 20, 40, 5, 2)
SPEEDS = Speeds(2, (ASR,), (LLM,), TtsSpeed("voice", 50, 50))


def turns(
    asr: AsrSpeed = ASR, partial_ms: int = 0, count: int = 1, talk: Talk = TALK
) -> list[Turn]:
    """Of one caller who asks `count` times."""
    setup = Setup(asr, LLM, partial_ms)
    machine = Machine(2, asr, LLM)
    world = World(machine, setup, SPEEDS, talk, random.Random(1))
    caller = Caller(world, at=0, turns_left=count, speaks_at=0.0)
    now = 0.0
    while caller.busy:
        caller.tick(now)
        machine.advance(now, STEP_MS)
        now += STEP_MS
    return caller.done


def after_end(turn: Turn) -> dict[str, float]:
    marks = ("endpoint", "asr", "first_token", "clause", "ready")
    return {name: getattr(turn, name) - turn.end for name in marks}


def test_a_turn_without_partials_is_the_sum_of_its_stages_from_the_eager_end_on() -> None:
    (turn,) = turns()
    found = after_end(turn)
    new = TALK.new_tokens(ONE.question, known_words=0)
    heard = TALK.turns.eager_end_ms + ASR.decode_ms
    assert found["asr"] == pytest.approx(heard, abs=3)
    assert found["first_token"] == pytest.approx(heard + LLM.prompt_ms(new), abs=3)
    steps_ms = steps_to(CLAUSE) * LLM.step_ms
    assert found["clause"] - found["first_token"] == pytest.approx(steps_ms, abs=3)
    assert found["ready"] - found["clause"] == pytest.approx(50 + TALK.output_ms, abs=3)


def test_a_partial_that_has_heard_all_is_the_final() -> None:
    """A partial each 190 ms: one of them 90 ms after the last word."""
    (turn,) = turns(partial_ms=190, talk=replace(TALK, first_partial_ms=0))
    assert after_end(turn)["asr"] == pytest.approx(90 + ASR.decode_ms, abs=3)


def test_a_part_of_the_words_is_decoded_sooner_than_all() -> None:
    """So a partial in mid-speech keeps the final from less than a decode of all would."""
    slow = replace(ASR, decode_ms=300, word_ms=20)
    (turn,) = turns(slow, partial_ms=1900, talk=replace(TALK, first_partial_ms=1900))
    said, words = 6, len(ONE.question.split())  # when the partial begins, and in all
    partial_ms = 300 - (words - said) * 20
    assert after_end(turn)["asr"] == pytest.approx(-100 + partial_ms + 300, abs=3)


def test_a_final_waits_for_the_decode_that_runs() -> None:
    """The last partial begins 100 ms before the last word, and cannot be interrupted."""
    slow = replace(ASR, decode_ms=300)
    (turn,) = turns(slow, partial_ms=1900, talk=replace(TALK, first_partial_ms=1900))
    assert after_end(turn)["asr"] == pytest.approx(-100 + 300 + 300, abs=3)


def test_words_that_were_sure_while_they_spoke_need_no_work_at_the_end() -> None:
    (plain,), (warmed,) = turns(), turns(partial_ms=240)
    first = [after_end(turn)["first_token"] - after_end(turn)["asr"] for turn in (plain, warmed)]
    saved = TALK.new_tokens(ONE.question, 0) - TALK.new_tokens(ONE.question, 4)
    assert first[0] - first[1] >= saved * LLM.prefill_ms - 3


def test_a_clause_that_was_said_before_needs_no_voice() -> None:
    first, again = turns(count=2)
    assert again.ready - again.clause == pytest.approx(TALK.output_ms, abs=2)
    assert first.ready - first.clause > again.ready - again.clause


def test_the_endpoint_waits_for_the_text_where_it_does_not_look_finished_yet() -> None:
    """Nothing is known of the words until the final decode is done."""
    slow = replace(ASR, decode_ms=300)
    (turn,) = turns(slow)
    assert after_end(turn)["endpoint"] == pytest.approx(after_end(turn)["asr"], abs=21)
    (soon,) = turns()
    assert after_end(soon)["endpoint"] == pytest.approx(TALK.turns.endpoint_complete_ms, abs=1)
