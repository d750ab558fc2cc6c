"""Where to cut the first clause of a reply, given how its turn's time was spent so far."""

from __future__ import annotations

from voicepipe.config import BudgetSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.session.slack import Spent, first_clause
from voicepipe.session.turn import Turn
from voicepipe.tts.clauses import ClauseOptions


def clause_options(
    turn: Turn, budget: BudgetSettings, turns: TurnOptions, now_s: float
) -> ClauseOptions:
    """Asked when the first token is there. The plain options where `budget.act` is off."""
    if not budget.act:
        return ClauseOptions()
    waits_ms = 0 if turn.origin == "text" else budget.endpoint_ms
    chosen = first_clause(
        Spent(
            since_speech_end_ms=_since_speech_end_ms(turn, turns.eager_end_ms, now_s),
            committed=turn.over,
            due_ms=waits_ms + budget.asr_ms + budget.llm_ms + budget.clause_ms,
            earliest_end_ms=min(budget.endpoint_ms, turns.endpoint_complete_ms),
            speech_ms=budget.tts_ms,
        )
    )
    return ClauseOptions(
        first_min_words=chosen.min_words,
        first_conjunction_words=chosen.conjunction_words,
        first_max_words=chosen.max_words,
    )


def _since_speech_end_ms(turn: Turn, eager_end_ms: int, now_s: float) -> float:
    """By the marks; before the endpoint the eager end tells, before that the user still speaks."""
    now_us = now_s * 1e6
    if (speech_end := turn.marks.get("speech_end")) is not None:
        return (now_us - speech_end) / 1000
    if (eager_end := turn.marks.get("eager_end")) is not None:
        return (now_us - eager_end) / 1000 + eager_end_ms
    return 0.0
