"""The ledger adds up, exactly, or shows no figure and says why."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.ledger.marks import MarkName, Marks
from voicepipe.ledger.records import (
    SEGMENT_NAMES,
    SEGMENTS,
    ToolSpan,
    TurnRecord,
    contradiction,
    critical_segments,
    relative_marks,
)

PATH: tuple[MarkName, ...] = (
    "speech_end",
    "endpoint",
    "asr_final",
    "llm_request",
    "llm_first_token",
    "first_clause",
    "tts_first_audio",
    "audio_out",
)


def marks_at(**at_ms: float) -> Marks:
    marks = Marks()
    for name, ms in at_ms.items():
        marks.set(name, 1000 + ms / 1000)  # type: ignore[arg-type]
    return marks


PLAIN = {
    "speech_end": 0,
    "eager_end": 120,
    "endpoint": 300,
    "asr_final": 360,
    "llm_request": 361,
    "llm_first_token": 450,
    "first_clause": 480,
    "tts_first_audio": 550,
    "audio_out": 551,
}


@st.composite
def consistent_marks(draw: st.DrawFn) -> Marks:
    """A turn as it can happen: a reply prepared before or after the endpoint, some marks missing.

    Engines' marks follow each other; the endpoint falls anywhere between the end of speech and
    the first sample of the answer."""
    steps = draw(st.lists(st.floats(0, 3), min_size=6, max_size=6))
    start_s = draw(st.floats(0, 1e6))
    began_s = start_s + draw(st.floats(-0.5, 1))  # the recognizer may be done before speech ends
    marks = Marks()
    marks.set("speech_end", start_s)
    at_s = began_s
    for name, step in zip(PATH[2:], steps, strict=True):
        at_s += step
        if name == "audio_out":
            at_s = max(at_s, start_s)
        elif draw(st.integers(0, 9)) == 0:
            continue  # this stage did not mark
        marks.set(name, at_s)
    marks.set("endpoint", start_s + draw(st.floats(0, 1)) * (at_s - start_s))
    return marks


@settings(deadline=None)
@given(consistent_marks())
def test_segments_are_never_negative_and_sum_to_voice_to_voice_exactly(marks: Marks) -> None:
    critical = critical_segments(marks)
    assert critical is not None, contradiction(marks)
    assert list(critical) == [name for name, _ in SEGMENTS]
    assert all(us >= 0 for us in critical.values())
    end, start = marks.get("audio_out"), marks.get("speech_end")
    assert end is not None
    assert start is not None
    assert sum(critical.values()) == end - start


@settings(deadline=None)
@st.composite
def tool_spans(draw: st.DrawFn) -> list[ToolSpan]:
    """Calls anywhere around a turn, overlapping or not."""
    starts = draw(st.lists(st.integers(990_000_000, 1_020_000_000), max_size=5))
    return [ToolSpan("order", at, at + draw(st.integers(0, 10_000_000))) for at in starts]


@given(consistent_marks(), tool_spans())
def test_with_tools_in_it_the_ledger_still_adds_up(marks: Marks, tools: list[ToolSpan]) -> None:
    plain, critical = critical_segments(marks), critical_segments(marks, tools)
    assert plain is not None
    assert critical is not None
    assert all(us >= 0 for us in critical.values())
    assert sum(critical.values()) == sum(plain.values())
    assert critical["llm"] + critical.get("tool", 0) == plain["llm"]
    assert {n: us for n, us in critical.items() if n not in ("llm", "tool")} == {
        n: us for n, us in plain.items() if n != "llm"
    }


def test_a_tool_takes_its_part_of_the_wait_for_the_model() -> None:
    def span(start_ms: float, end_ms: float) -> ToolSpan:
        return ToolSpan(
            "order", 1_000_000_000 + round(start_ms * 1000), 1_000_000_000 + round(end_ms * 1000)
        )

    marks = marks_at(**PLAIN)  # llm: from 360 to 450 ms
    for spans, tool_ms in (
        ([span(370, 420)], 50),
        ([span(370, 420), span(400, 430)], 60),  # side by side
        ([span(200, 380)], 20),  # began before the endpoint
        ([span(460, 900)], 0),  # after the first words
        ([span(0, 2000)], 90),
    ):
        critical = critical_segments(marks, spans)
        assert critical is not None
        assert critical["tool"] == tool_ms * 1000
        assert critical["llm"] == (90 - tool_ms) * 1000
    assert list(critical_segments(marks, [span(370, 380)]) or ()) == list(SEGMENT_NAMES)


@given(st.dictionaries(st.sampled_from(PATH), st.floats(0, 5)))
def test_any_marks_give_figures_that_add_up_or_a_reason_why_not(at: dict[MarkName, float]) -> None:
    marks = Marks()
    for name, at_s in at.items():
        marks.set(name, at_s)
    critical = critical_segments(marks)
    if critical is not None:
        assert min(critical.values()) >= 0
        assert sum(critical.values()) == (marks.get("audio_out") or 0) - (
            marks.get("speech_end") or 0
        )
    elif "speech_end" in at and "audio_out" in at:
        assert contradiction(marks) is not None


def test_plain_turn_spends_its_time_where_it_did() -> None:
    assert critical_segments(marks_at(**PLAIN)) == {
        "endpoint": 300_000,
        "asr": 60_000,
        "llm": 90_000,  # with the request's own delay
        "clause": 30_000,
        "tts": 70_000,
        "output": 1_000,
    }


def test_work_done_before_the_endpoint_costs_nothing() -> None:
    ready = PLAIN | {"endpoint": 900, "audio_out": 902}
    assert critical_segments(marks_at(**ready)) == {
        "endpoint": 900_000,
        "asr": 0,
        "llm": 0,
        "clause": 0,
        "tts": 0,
        "output": 2_000,
    }


def test_stage_that_straddles_the_endpoint_costs_its_part_behind_it() -> None:
    critical = critical_segments(marks_at(**PLAIN | {"endpoint": 400}))
    assert critical is not None
    assert critical["asr"] == 0
    assert critical["llm"] == 50_000


def test_stage_without_a_mark_leaves_its_time_to_the_next() -> None:
    at = {name: ms for name, ms in PLAIN.items() if name != "first_clause"}
    critical = critical_segments(marks_at(**at))
    assert critical is not None
    assert critical["clause"] == 0
    assert critical["tts"] == 100_000


def test_filler_is_not_the_answer() -> None:
    assert critical_segments(marks_at(**PLAIN | {"filler_out": 320})) == critical_segments(
        marks_at(**PLAIN)
    )


@pytest.mark.parametrize("missing", ["speech_end", "audio_out"])
def test_without_both_ends_there_is_no_figure(missing: str) -> None:
    marks = marks_at(**{name: ms for name, ms in PLAIN.items() if name != missing})
    assert critical_segments(marks) is None
    assert contradiction(marks) is None, "it did not happen, which is no contradiction"


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"endpoint": -1}, "endpoint is 1000 us before speech_end"),
        ({"llm_first_token": 360}, "llm_first_token is 1000 us before llm_request"),
        ({"first_clause": 449}, "first_clause is 1000 us before llm_first_token"),
        ({"tts_first_audio": 470}, "tts_first_audio is 10000 us before first_clause"),
        ({"audio_out": 549}, "audio_out is 1000 us before tts_first_audio"),
        ({"endpoint": 552}, "audio_out is 1000 us before endpoint"),
        ({"asr_final": 600}, "audio_out is 49000 us before asr_final"),
        ({"eager_end": -5}, "eager_end is 5000 us before speech_end"),
    ],
)
def test_contradiction_yields_no_figure_and_names_the_marks(
    wrong: dict[str, float], named: str
) -> None:
    marks = marks_at(**PLAIN | wrong)
    assert contradiction(marks) == named
    assert critical_segments(marks) is None


def test_marks_are_told_relative_to_the_end_of_speech() -> None:
    relative = relative_marks(marks_at(**PLAIN | {"asr_final": -40}))
    assert relative["speech_end"] == 0
    assert relative["asr_final"] == -40_000
    assert relative["audio_out"] == 551_000
    assert relative_marks(marks_at(endpoint=1)) == {}


def record(**changes: Any) -> TurnRecord:
    marks = marks_at(**PLAIN)
    plain = TurnRecord(
        turn_id="turn_1",
        session_id="sess_1",
        origin="speech",
        end="completed",
        marks=relative_marks(marks),
        critical=critical_segments(marks),
        work={"asr": 55_000, "tts": 70_000},
        budget={"endpoint": 300_000, "asr": 60_000, "llm": 80_000, "tts": 69_999},
    )
    return replace(plain, **changes)


def test_record_names_the_segments_over_their_budget() -> None:
    assert record().voice_to_voice_us == 551_000
    assert record().over_budget == ("llm", "tts"), "at the budget is within it; no budget, no limit"


def test_record_as_dict_is_json_in_milliseconds() -> None:
    told = record(tokens={"prompt": 7}, token_ms={"first": 9.87654}, heard_ms=1.23456)
    shape = json.loads(json.dumps(told.as_dict()))
    assert shape["voice_to_voice_ms"] == 551.0
    assert shape["critical_ms"]["llm"] == 90.0
    assert shape["marks_ms"]["eager_end"] == 120.0
    assert shape["work_ms"] == {"asr": 55.0, "tts": 70.0}
    assert shape["over_budget"] == ["llm", "tts"]
    assert shape["tokens"] == {"prompt": 7}
    assert shape["token_ms"] == {"first": 9.877}
    assert shape["heard_ms"] == 1.235
    assert shape["note"] is None


def test_record_without_figures_says_so() -> None:
    bare = record(critical=None, end="interrupted", note="audio_out is 5 us before endpoint")
    assert bare.voice_to_voice_us is None
    assert bare.over_budget == ()
    shape = json.loads(json.dumps(bare.as_dict()))
    assert shape["voice_to_voice_ms"] is shape["critical_ms"] is None
    assert shape["note"] == "audio_out is 5 us before endpoint"
