"""The process's memory of turns: bounded, filtered, counted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from voicepipe.ledger.log import TurnLog
from voicepipe.ledger.records import SegmentName, TurnRecord


def record(number: int, *, session: str = "a", total_us: int | None = 500_000, **more: Any) -> Any:
    critical: Mapping[SegmentName, int] | None = None
    if total_us is not None:
        critical = {"endpoint": 300_000, "llm": total_us - 300_000}
    fields = {"origin": "speech", "end": "completed", "marks": {}, "work": {}, "budget": {}, **more}
    return TurnRecord(turn_id=f"turn_{number}", session_id=session, critical=critical, **fields)


def test_keeps_the_newest_records_oldest_of_them_first() -> None:
    log = TurnLog(size=3)
    for number in range(5):
        log.add(record(number))
    assert [r.turn_id for r in log.recent()] == ["turn_2", "turn_3", "turn_4"]
    assert [r.turn_id for r in log.recent(2)] == ["turn_3", "turn_4"]
    assert log.recent(0) == []
    assert log.summary()["voice_to_voice_ms"]["n"] == 5


def test_filters_by_session_before_it_limits() -> None:
    log = TurnLog()
    for number in range(6):
        log.add(record(number, session="ab"[number % 2]))
    assert [r.turn_id for r in log.recent(2, session_id="a")] == ["turn_2", "turn_4"]
    assert log.recent(session_id="c") == []


def test_summary_counts_ends_overspending_and_speculation() -> None:
    log = TurnLog()
    log.add(record(1, preemption="hit", budget={"llm": 100_000}))
    log.add(record(2, preemption="hit", discards=2, total_us=400_000))
    log.add(record(3, end="interrupted", total_us=None, preemption="miss", discards=1))
    summary = json.loads(json.dumps(log.summary()))
    assert summary["ends"] == {"completed": 2, "interrupted": 1}
    assert summary["over_budget"] == {"llm": 1}
    assert summary["preemption"] == {"hit": 2, "miss": 1}
    assert summary["discards"] == 3
    assert summary["voice_to_voice_ms"]["n"] == 2, "a turn without figures is not in them"
    assert summary["voice_to_voice_ms"]["max"] == 500.0
    assert summary["critical_ms"]["llm"]["p50"] == 100.0
    assert summary["critical_ms"]["tts"] == {"n": 0}


def test_watchers_are_told_of_each_record_in_order() -> None:
    log, seen = TurnLog(), []
    log.watch(lambda r: seen.append(("one", r.turn_id)))
    log.add(record(1))
    log.watch(lambda r: seen.append(("two", r.turn_id)))
    log.add(record(2))
    assert seen == [("one", "turn_1"), ("one", "turn_2"), ("two", "turn_2")]
