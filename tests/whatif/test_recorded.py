"""Reading recorded turns, in each of the shapes they come in."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.virtual_time import run_virtual
from tests.whatif.users import PHRASES, User, run
from voicepipe.dialog.options import TurnOptions
from voicepipe.ledger.trace import Trace
from voicepipe.whatif.recorded import UnreadableTurns, read_recording

PAUSED = (("set a timer now", 1500, 400), ("what time is it", 1500, 4000))
SIMPLE = (("turn on the lamp", 1500, 4000),)


@cache
def rows() -> list[dict[str, Any]]:
    """Three turns of one user: the first is reopened by the second."""
    found: list[dict[str, Any]] = run_virtual(run([User(7, (PAUSED, SIMPLE))], TurnOptions()))
    return found


def lines(*found: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in found)


def test_turns_of_a_session_that_were_one_are_replayed_as_one() -> None:
    recording = read_recording(lines(*reversed(rows())), "t")
    assert [[len(stretch) for stretch in own] for own in recording.sessions] == [[2, 1]]
    assert recording.left_out == {}


def test_a_trace_holds_runs_verdicts_and_stages_but_no_words() -> None:
    trace = Trace.from_dict(rows()[1]["trace"])
    assert trace.runs_ms[0][0] == 1500
    assert trace.ended is not None
    assert trace.ended.speech_end_ms == 1500
    assert trace.ended.end_ms == 1800
    (final,) = trace.finals
    assert (final.after_ms, final.verdict) == (1500, "complete")
    assert [p.verdict for p in trace.partials][-1] == "complete"
    (attempt,) = trace.attempts
    assert (attempt.start_ms, attempt.after_ms, attempt.end) == (1620, 1500, "committed")
    assert sum(attempt.stages_us.values()) == attempt.ran_us
    assert trace.options["eager_end_ms"] == 120
    said = {word for phrase in PHRASES for word in phrase.split()} - {"go", "on", "is", "to", "it"}
    told = json.dumps(rows()[1]["trace"]).replace('"end"', "").split('"')
    assert not said & set(told)
    assert Trace.from_dict(json.loads(json.dumps(trace.as_dict()))) == trace


def test_the_wait_for_the_final_text_is_no_output() -> None:
    """A reply to partial text is held until the final one is there: 350 ms after the last word."""
    row = rows()[1]
    (final,) = row["trace"]["finals"]
    (attempt,) = row["trace"]["attempts"]
    trace = {**row["trace"], "finals": [[1500, 1760, 230.0, *final[3:]]]}
    critical = {**dict.fromkeys(row["critical_ms"], 0.0), "endpoint": 300.0, "output": 57.0}
    marks = {**row["marks_ms"], "eager_end": 120.0, "endpoint": 300.0, "audio_out": 357.0}
    held = {**row, "critical_ms": critical, "marks_ms": marks, "trace": trace}
    (plain,) = read_recording(lines(held), "t").turns
    assert plain.output_us == 57_000
    held["trace"] = {**trace, "attempts": [{**attempt, "guess": 3}]}
    (guess,) = read_recording(lines(held), "t").turns
    assert guess.output_us == 7_000


def test_bench_reports_and_their_rows_are_read_too() -> None:
    bench = [{"session": 0, "turn": n, "ledger": row} for n, row in enumerate(rows())]
    lost = {"session": 1, "turn": 0, "ledger": None}
    plain = read_recording(lines(*rows()), "t").turns
    assert read_recording(lines(*bench, lost), "t").turns == plain
    report = read_recording(json.dumps({"summary": {}, "turns": [*bench, lost]}), "t")
    assert report.turns == plain
    assert report.left_out == {"lost, without a ledger": 1}


def test_what_cannot_be_replayed_is_left_out_and_counted() -> None:
    typed = {**rows()[0], "origin": "text", "trace": None}
    older = {name: value for name, value in rows()[0].items() if name != "trace"}
    recording = read_recording(lines(typed, older, rows()[2]), "t")
    assert len(recording.turns) == 1
    assert recording.left_out == {"typed or pushed to talk": 1, "without a trace": 1}


def begun_late(*before: dict[str, Any]) -> dict[str, Any]:
    """A turn whose reply was begun 60 ms after its endpoint, and what came `before`."""
    row = rows()[1]
    attempt = {**row["trace"]["attempts"][0], "start_ms": 1860}
    return {**row, "trace": {**row["trace"], "attempts": [*before, attempt]}}


def guessed(start_ms: int, ran_ms: float) -> dict[str, Any]:
    """A reply to partial text that was thrown away."""
    return {
        **{"start_ms": start_ms, "after_ms": start_ms, "end": "discarded", "ran_ms": ran_ms},
        **{"stages_ms": {"asr": 0.0, "prompt": 0.0, "llm": 100.0}, "guess": 1},
    }


def test_a_reply_begun_after_the_endpoint_in_the_place_of_a_wrong_guess_is_replayed() -> None:
    """Else the slowest turns would be missing. What the client asks for is another matter."""
    recording = read_recording(lines(begun_late(guessed(1300, 560.0)), rows()[2]), "t")
    assert recording.left_out == {}
    for asked_for in (begun_late(), begun_late(guessed(1000, 300.0))):
        recording = read_recording(lines(asked_for, rows()[2]), "t")
        assert recording.left_out == {"answered when the client asked": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "turns.jsonl: nothing to replay"),
        ('{"turn_id": \n', "turns.jsonl, line 1: not JSON"),
        ("[1]\n", "turns.jsonl, line 1: expected an object, found list"),
        ('{"origin": "speech", "turn_id": "t"}\n', "nothing to replay: 1 without a trace"),
    ],
)
def test_other_files_are_refused_by_line(text: str, message: str) -> None:
    with pytest.raises(UnreadableTurns) as raised:
        read_recording(text, "turns.jsonl")
    assert message in str(raised.value)


def test_a_damaged_trace_is_refused_by_line() -> None:
    broken = {**rows()[0], "trace": {**rows()[0]["trace"], "runs_ms": [[1]]}}
    with pytest.raises(UnreadableTurns, match="t, line 2: not a turn as this version records it"):
        read_recording(lines(rows()[0], broken), "t")


def test_turns_that_called_a_tool_are_left_out_and_counted() -> None:
    """Their stages tell of two rounds of the model together: the replay would be off by one."""
    row = rows()[2]
    first, *others = row["trace"]["attempts"]
    stages = {**first["stages_ms"], "after_tool": 42.7}
    called = {**first, "end": "committed", "stages_ms": stages}
    row = {**row, "trace": {**row["trace"], "attempts": [called, *others]}}
    spans = [{"name": "get_time", "start_us": 1, "end_us": 2, "failed": False}]
    early = {**rows()[2], "tools": spans}
    recording = read_recording(lines(row, early, rows()[1]), "t")
    assert recording.left_out == {"answered after a tool call": 2}


def test_a_turn_whose_going_on_was_left_out_is_not_joined_to_a_later_one() -> None:
    """Else the silence between two questions would be a pause, and its end a false cut-off."""
    first, going_on, later = rows()
    spans = [{"name": "get_time", "start_us": 1, "end_us": 2, "failed": False}]
    recording = read_recording(lines(first, {**going_on, "tools": spans}, later), "t")
    assert [[len(stretch) for stretch in own] for own in recording.sessions] == [[1, 1]]


def test_a_turn_that_was_saved_twice_is_replayed_once() -> None:
    """`curl .../v1/turns >> TURNS.jsonl`, every hour: the newest turns are in both."""
    recording = read_recording(lines(*rows()[:2], *rows()), "t")
    assert recording.turns == read_recording(lines(*rows()), "t").turns
    assert recording.left_out == {"recorded twice": 2}
