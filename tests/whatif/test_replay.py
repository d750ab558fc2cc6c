"""The replay of single turns: what each part of a trace is for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.virtual_time import run_virtual
from tests.whatif.test_recorded import PAUSED, SIMPLE, lines
from tests.whatif.users import User, run
from voicepipe.dialog.options import TurnOptions
from voicepipe.ledger.trace import Judged, Partial
from voicepipe.whatif.changes import Changes, parse_changes
from voicepipe.whatif.engines import EngineTimes, typical_stages
from voicepipe.whatif.recorded import RecordedTurn, Recording, read_recording
from voicepipe.whatif.replay import Prediction, predict


@cache
def simple() -> RecordedTurn:
    return _recorded(SIMPLE).turns[0]


def _recorded(turn: tuple[tuple[str, int, int], ...]) -> Recording:
    return read_recording(lines(*run_virtual(run([User(7, (turn,))], TurnOptions()))), "t")


def replayed(turn: RecordedTurn, *assignments: str) -> Prediction:
    return predict(Recording([[[turn]]], {}), parse_changes(assignments))


def wait_ms(turn: RecordedTurn, *assignments: str) -> float:
    (predicted,) = replayed(turn, *assignments).turns
    return predicted.wait_us / 1000


def changed(**trace: Any) -> RecordedTurn:
    return replace(simple(), trace=replace(simple().trace, **trace))


def test_the_verdict_on_the_text_sets_the_wait() -> None:
    assert wait_ms(simple()) == 300
    final = replace(simple().trace.finals[0], verdict="incomplete")
    assert wait_ms(changed(finals=(final,))) == 1000
    assert wait_ms(changed(finals=(), partials=())) == 600
    late = Partial(known_ms=1500 + 440, verdict="complete", text=9, loose_words=0)
    assert wait_ms(changed(finals=(), partials=(late,))) == 460


def test_a_slower_decode_tells_the_machine_later() -> None:
    only_final = changed(partials=())
    assert wait_ms(only_final, "asr.work_ms=150") == 300
    assert wait_ms(only_final, "asr.work_ms=290") == 420


def test_an_audio_models_word_comes_after_its_own_time() -> None:
    options = {**simple().trace.options, "endpointing": "smart_turn"}
    judged = Judged(after_ms=1500, took_ms=40, probability=0.0)
    turn = changed(options=options, judged=(judged,))
    assert wait_ms(turn) == 1000
    sure = changed(options=options, judged=(replace(judged, probability=1.0),), finals=())
    assert wait_ms(sure) == 300


def test_an_audio_model_that_was_asked_again_is_heard_again() -> None:
    options = {**simple().trace.options, "endpointing": "fused"}
    first = Judged(after_ms=1500, took_ms=0, probability=0.02)
    then = Judged(after_ms=1500, took_ms=80, probability=0.99)
    plain = changed(options=options, judged=(first,), finals=())
    assert wait_ms(plain) == 1000
    assert wait_ms(changed(options=options, judged=(first, then), finals=())) == 220


def test_output_and_engines_lie_behind_the_gate() -> None:
    (before,), (after,) = (
        replayed(simple(), *changes).turns
        for changes in ((), ("output_ms=+25", "tts.first_audio_ms=+1000"))
    )
    assert before.critical is not None
    assert after.critical is not None
    assert after.critical["output"] == before.critical["output"] + 25_000
    assert after.voice_to_voice_us == pytest.approx((before.voice_to_voice_us or 0) + 1_025_000)


def test_a_reply_never_begun_takes_the_times_of_the_one_that_was_given_there() -> None:
    """Of those thrown away only the quick ones had been finished: they say too little."""
    first, second = _recorded(PAUSED).turns
    (given,), (later,) = first.trace.attempts, second.trace.attempts

    def times(attempt: Any, llm_us: int, **other: Any) -> Any:
        return replace(attempt, stages_us={**attempt.stages_us, "llm": llm_us}, **other)

    quick = times(given, 20_000, after_ms=1000, end="discarded")
    stretch = [
        replace(first, trace=replace(first.trace, attempts=(quick, times(given, 200_000)))),
        replace(second, trace=replace(second.trace, attempts=(times(later, 300_000),))),
    ]
    offsets = [0, second.trace.start_ms - first.trace.start_ms]
    engines = EngineTimes(stretch, offsets, typical_stages(stretch), Changes())
    asked = [engines.stages_us(at_ms, 99)["llm"] for at_ms in (900, offsets[1] + 700, 9000)]
    assert asked == [200_000, 300_000, 300_000]


def test_a_slow_first_token_stays_with_its_turn() -> None:
    """Also one that came from the second model, because the first was late."""
    (attempt,) = simple().trace.attempts
    late = replace(attempt, stages_us={**attempt.stages_us, "llm": 700_000})
    (before,), (after,) = (
        replayed(changed(attempts=(late,)), *changes).turns
        for changes in ((), ("turns.eager_end_ms=80",))
    )
    assert before.voice_to_voice_us is not None
    assert before.voice_to_voice_us > 900_000
    assert after.voice_to_voice_us == before.voice_to_voice_us - 40_000


def test_a_longer_wait_makes_one_turn_of_two() -> None:
    recording = _recorded(PAUSED)
    assert [turn.cut_off for turn in predict(recording, Changes()).turns] == [True, False]
    prediction = predict(recording, parse_changes(["turns.endpoint_complete_ms=500"]))
    (merged,) = prediction.turns
    assert merged.turn_id == recording.turns[1].turn_id
    assert not merged.cut_off
    assert prediction.unnoticed == 0, "both are in it"


def test_speech_too_short_under_the_change_is_counted_as_unnoticed() -> None:
    prediction = replayed(simple(), "turns.min_speech_ms=2000")
    assert prediction.turns == []
    assert prediction.unnoticed == 1


@pytest.mark.parametrize(
    ("min_speech_ms", "noticed", "unnoticed"), [(300, 2, 0), (1000, 1, 1), (2000, 0, 2)]
)
def test_each_turn_of_those_that_are_replayed_together_may_go_unnoticed(
    min_speech_ms: int, noticed: int, unnoticed: int
) -> None:
    recording = _recorded((("set a timer now", 1500, 400), ("stop", 400, 4000)))
    prediction = predict(recording, parse_changes([f"turns.min_speech_ms={min_speech_ms}"]))
    assert len(prediction.turns) == noticed
    assert prediction.unnoticed == unnoticed


def test_a_turn_the_client_ended_ends_there_again() -> None:
    ended = replace(simple().trace.ended, end_ms=1500 + 200, reason="commit")  # type: ignore[type-var]
    assert wait_ms(changed(ended=ended)) >= 200
    (predicted,) = replayed(changed(ended=ended), "turns.endpoint_fixed_ms=900").turns
    assert predicted.wait_us < 500_000


def test_a_stage_that_was_cut_off_lasts_at_least_as_long_as_it_had_run() -> None:
    first, second = _recorded(PAUSED).turns
    (attempt,) = first.trace.attempts
    asr_us = attempt.stages_us["asr"]
    fast = replace(attempt, stages_us={**attempt.stages_us, "llm": 1000, "tts": 1000})
    cut = replace(attempt, stages_us={"asr": asr_us}, ran_us=340_000)  # the user went on at 460 ms

    def heard(began: Any) -> bool:
        turn = replace(first, trace=replace(first.trace, attempts=(began,)))
        predicted = predict(Recording([[[turn, second]]], {}), Changes()).turns
        return predicted[0].voice_to_voice_us is not None

    assert heard(fast)
    assert not heard(cut)
