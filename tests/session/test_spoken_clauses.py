from __future__ import annotations

from dataclasses import replace

from voicepipe.session.spoken_clauses import LONG, NORMAL, SHORT, Spent, sized

ON_TIME = Spent(since_speech_end_ms=320, over=False, due_ms=510, earliest_end_ms=300, speech_ms=80)


def test_a_turn_within_its_budget_gets_the_usual_clause() -> None:
    assert sized(ON_TIME) == NORMAL
    assert sized(replace(ON_TIME, since_speech_end_ms=510, over=True)) == NORMAL


def test_what_the_stages_before_overspent_is_saved_on_the_clause() -> None:
    assert sized(replace(ON_TIME, since_speech_end_ms=511)) == SHORT
    assert sized(replace(ON_TIME, since_speech_end_ms=900, over=True)) == SHORT


def test_time_nobody_waits_for_is_spent_on_a_longer_clause() -> None:
    early = replace(ON_TIME, since_speech_end_ms=60)
    assert sized(early) == LONG
    assert sized(replace(early, over=True)) == NORMAL  # now somebody waits
    assert sized(replace(early, since_speech_end_ms=90)) == NORMAL  # not worth it
    assert SHORT.first_max_words < NORMAL.first_max_words < LONG.first_max_words
