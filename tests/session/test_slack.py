from __future__ import annotations

from dataclasses import replace

from voicepipe.session.slack import LONG, NORMAL, SHORT, Spent, first_clause

ON_TIME = Spent(
    since_speech_end_ms=320, committed=False, due_ms=510, earliest_end_ms=300, speech_ms=80
)


def test_a_turn_within_its_budget_gets_the_usual_clause() -> None:
    assert first_clause(ON_TIME) == NORMAL
    assert first_clause(replace(ON_TIME, since_speech_end_ms=510, committed=True)) == NORMAL


def test_what_the_stages_before_overspent_is_saved_on_the_clause() -> None:
    assert first_clause(replace(ON_TIME, since_speech_end_ms=511)) == SHORT
    assert first_clause(replace(ON_TIME, since_speech_end_ms=900, committed=True)) == SHORT


def test_time_nobody_waits_for_is_spent_on_a_longer_clause() -> None:
    early = replace(ON_TIME, since_speech_end_ms=60)
    assert first_clause(early) == LONG
    assert first_clause(replace(early, committed=True)) == NORMAL  # now somebody waits
    assert first_clause(replace(early, since_speech_end_ms=90)) == NORMAL  # not worth it
    assert SHORT.max_words < NORMAL.max_words < LONG.max_words
