"""Predictions against the truth: the same users, really run under the changed settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from tests.virtual_time import run_virtual
from tests.whatif.users import run, users
from voicepipe.latency.percentiles import percentile
from voicepipe.turns.options import TurnOptions
from voicepipe.whatif.changes import Changes, parse_changes
from voicepipe.whatif.figures import predicted_figures, recorded_figures, voice_to_voice_ms
from voicepipe.whatif.recorded import Recording, read_recording
from voicepipe.whatif.replay import predict

PEOPLE, TURNS_EACH, SEED = 20, 3, 1  # 60 turns, some of them cut off and reopened


@cache
def recorded() -> Recording:
    """Under the default settings, by way of the file's format."""
    return _recording(run_virtual(run(users(PEOPLE, TURNS_EACH, SEED), TurnOptions())))


def really(options: TurnOptions, first_token_ms: float = 100) -> Recording:
    people = users(PEOPLE, TURNS_EACH, SEED)
    return _recording(run_virtual(run(people, options, first_token_ms=first_token_ms)))


def _recording(rows: Sequence[dict[str, Any]]) -> Recording:
    return read_recording("".join(json.dumps(row) + "\n" for row in rows), "TURNS.jsonl")


def test_replay_without_changes_gives_what_was_recorded() -> None:
    recording, again = recorded(), predict(recorded(), Changes())
    before, after = recorded_figures(recording), predicted_figures(again)
    assert before["turns"] >= 60
    assert after["turns"] == before["turns"]
    assert after["answered_turns"] == before["answered_turns"]
    assert after["discards"] == before["discards"] > 0
    assert after["false_cut_offs"] == before["false_cut_offs"] > 0
    assert after["wasted_engine_ms"] == pytest.approx(before["wasted_engine_ms"], rel=0.02)
    pairs = zip(recording.turns, again.turns, strict=True)
    for turn, replayed in pairs:
        assert replayed.turn_id == turn.turn_id
        if turn.voice_to_voice_us is not None:
            assert replayed.voice_to_voice_us == pytest.approx(turn.voice_to_voice_us, rel=0.02)
            for name, us in (turn.critical or {}).items():
                assert (replayed.critical or {})[name] == pytest.approx(us, abs=2000), name  # type: ignore[index]


@pytest.mark.parametrize(
    ("assignments", "options", "first_token_ms"),
    [
        (
            ["turns.soft_end_ms=200", "llm.first_token_ms=+40"],
            TurnOptions(soft_end_ms=200),
            140,
        ),
        (["turns.soft_end_ms=80"], TurnOptions(soft_end_ms=80), 100),
        (["turns.speculation=off"], TurnOptions(speculation="off"), 100),
        (["turns.endpoint_complete_ms=+150"], TurnOptions(endpoint_complete_ms=450), 100),
        (["turns.endpoint_fixed_ms=700"], TurnOptions(endpoint_fixed_ms=700), 100),
        (["turns.endpointing=learned"], TurnOptions(endpointing="learned"), 100),
    ],
)
def test_prediction_is_what_a_run_under_the_changed_settings_gives(
    assignments: list[str], options: TurnOptions, first_token_ms: float
) -> None:
    prediction = predict(recorded(), parse_changes(assignments))
    truth = really(options, first_token_ms)
    told, found = voice_to_voice_ms(prediction.turns), voice_to_voice_ms(truth.turns)
    assert percentile(told, 0.50) == pytest.approx(percentile(found, 0.50), rel=0.05)
    assert percentile(told, 0.95) == pytest.approx(percentile(found, 0.95), rel=0.10)
    figures, measured = predicted_figures(prediction), recorded_figures(truth)
    assert figures["false_cut_offs"] == pytest.approx(measured["false_cut_offs"], abs=2)
    assert figures["discards"] == pytest.approx(measured["discards"], abs=3)
    assert figures["wasted_engine_ms"] == pytest.approx(
        measured["wasted_engine_ms"], rel=0.15, abs=300
    )


def test_replies_begun_on_partial_text_are_predicted_from_turns_that_had_none() -> None:
    prediction = predict(recorded(), parse_changes(["turns.speculation=stable_text"]))
    truth = really(TurnOptions(speculation="stable_text"))
    told, found = voice_to_voice_ms(prediction.turns), voice_to_voice_ms(truth.turns)
    assert percentile(told, 0.50) == pytest.approx(percentile(found, 0.50), rel=0.05)
    figures, measured = predicted_figures(prediction), recorded_figures(truth)
    assert figures["discards"] == pytest.approx(measured["discards"], rel=0.05)
    assert measured["discards"] > 2 * recorded_figures(recorded())["discards"]
    assert figures["false_cut_offs"] == pytest.approx(measured["false_cut_offs"], abs=2)


def test_a_change_changes_the_prediction() -> None:
    before = voice_to_voice_ms(recorded().turns)
    slower = voice_to_voice_ms(predict(recorded(), parse_changes(["turns.speculation=off"])).turns)
    assert percentile(slower, 0.5) > percentile(before, 0.5) * 1.2
    eager = predict(recorded(), parse_changes(["turns.endpoint_fixed_ms=120"]))
    assert (
        predicted_figures(eager)["false_cut_offs"] > recorded_figures(recorded())["false_cut_offs"]
    )
