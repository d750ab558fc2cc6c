"""Marks: the first setting counts, `move` is the exception, whole microseconds."""

from __future__ import annotations

from voicepipe.ledger.marks import MARK_NAMES, Marks


def test_first_setting_counts() -> None:
    marks = Marks()
    marks.set("endpoint", 1.5)
    marks.set("endpoint", 2.5)
    assert marks.get("endpoint") == 1_500_000
    assert marks.get("audio_out") is None


def test_move_marks_anew() -> None:
    marks = Marks()
    marks.move("eager_end", 1.0)
    marks.move("eager_end", 2.0)
    assert marks.get("eager_end") == 2_000_000


def test_update_fills_gaps_and_overwrites_nothing() -> None:
    turn, reply = Marks(), Marks()
    turn.set("endpoint", 1.0)
    reply.set("endpoint", 9.0)
    reply.set("llm_request", 2.0)
    turn.update(reply)
    assert turn.as_dict() == {"endpoint": 1_000_000, "llm_request": 2_000_000}
    assert reply.get("endpoint") == 9_000_000


def test_times_are_rounded_to_the_nearest_microsecond() -> None:
    marks = Marks()
    marks.set("speech_end", 1000.0000004)
    marks.set("endpoint", 1000.0000006)
    assert marks.get("speech_end") == 1_000_000_000
    assert marks.get("endpoint") == 1_000_000_001


def test_as_dict_is_a_copy() -> None:
    marks = Marks()
    marks.as_dict()["endpoint"] = 1
    assert marks.get("endpoint") is None


def test_every_mark_of_the_path_has_a_name() -> None:
    assert len(MARK_NAMES) == len(set(MARK_NAMES)) == 13
