"""`--set` of what-if: what may be changed, how, and what is said of the rest."""

from __future__ import annotations

import pytest

from voicepipe.dialog.options import TurnOptions
from voicepipe.runtime.errors import ConfigError
from voicepipe.whatif.changes import parse_changes


@pytest.mark.parametrize(
    ("value", "after_us"),
    [("120", 120_000), ("+40", 140_000), ("-20", 80_000), ("*1.5", 150_000), ("-500", 0)],
)
def test_an_engines_time_is_set_shifted_or_scaled(value: str, after_us: int) -> None:
    changes = parse_changes([f"llm.first_token_ms={value}"])
    assert changes.stage_us("llm", 100_000) == after_us
    assert changes.stage_us("asr", 100_000) == 100_000


def test_turn_options_are_set_on_those_a_turn_was_recorded_under() -> None:
    changes = parse_changes(
        [
            "turns.eager_end_ms=80",
            "turns.endpoint_complete_ms=+150",
            "turns.preemptive_generation=off",
            "turns.interruptible=false",
            "turns.endpoint_fixed_ms=none",
        ]
    )
    recorded = {"endpoint_complete_ms": 240, "endpoint_fixed_ms": 500, "of_another_version": 1}
    assert changes.turn_options(recorded) == TurnOptions(
        eager_end_ms=80, endpoint_complete_ms=390, preemptive_generation="off", interruptible=False
    )


def test_adding_to_an_option_that_is_not_set_leaves_it_unset() -> None:
    changes = parse_changes(["turns.endpoint_fixed_ms=+100"])
    assert changes.turn_options({}).endpoint_fixed_ms is None
    assert changes.turn_options({"endpoint_fixed_ms": 500}).endpoint_fixed_ms == 600


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("turns.eager_end=80", "did you mean turns.eager_end_ms?"),
        ("llm.first_tokens_ms=80", "did you mean llm.first_token_ms?"),
        ("llm.first_token_ms=quick", "must be ms as 120, or a change as +40"),
        ("turns.eager_end_ms=quick", "must be a whole number from 0 to 600000"),
        ("turns.eager_end_ms=-", "must be a whole number"),
        ("turns.eager_end_ms=1e9", "from 0 to 600000"),
        ("turns.preemptive_generation=eagerend", "did you mean eager_end?"),
        ("turns.speech_threshold=0.4", "a trace holds speech and silence, not probabilities"),
        ("turns.interrupt_words=3", "a trace holds no words"),
        ("turns.endpointing=smart_turn", "a trace holds no audio"),
        ("output_ms=*-1", "must be ms as 120"),
        ("output_ms", "write it as section.key=value"),
    ],
)
def test_what_cannot_be_changed_is_said(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_changes([assignment])
    assert message in str(raised.value)
    assert assignment.split("=", maxsplit=1)[0] in str(raised.value)


def test_all_problems_come_at_once() -> None:
    with pytest.raises(ConfigError) as raised:
        parse_changes(["turns.soft=1", "tts.first_audio_ms=x", "output_ms=+1"])
    assert len(str(raised.value).splitlines()) == 2
