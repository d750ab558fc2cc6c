"""How long the first clause may be, given how the turn's time was spent so far. Pure.

The first clause is what the caller waits for. Where the stages before it took more than their
budget it is cut short; where the turn cannot be over yet, because its silence has not been waited
for, a longer one costs nobody anything and sounds better.
"""

from __future__ import annotations

from dataclasses import dataclass

SPEND_FROM_MS = 150.0
"""Time that nobody waits for, from which on a longer clause is worth it: words take tens of ms."""


@dataclass(frozen=True, slots=True)
class FirstClause:
    """Words; the names are those of `tts.clauses.ClauseOptions`."""

    min_words: int
    conjunction_words: int
    max_words: int


SHORT = FirstClause(min_words=1, conjunction_words=2, max_words=4)  # 1.3 s of speech, just enough
# for the next clause to be made
NORMAL = FirstClause(min_words=2, conjunction_words=4, max_words=8)
LONG = FirstClause(min_words=3, conjunction_words=6, max_words=12)


@dataclass(frozen=True, slots=True)
class Spent:
    """Where a turn stands when its first token comes. Milliseconds of its own time."""

    since_speech_end_ms: float
    committed: bool  # the endpoint has passed: somebody waits
    due_ms: float  # budgets of endpoint, asr, llm and clause: the first clause is due then
    earliest_end_ms: float  # the turn cannot end before
    speech_ms: float  # budget of the synthesis that follows


def first_clause(spent: Spent) -> FirstClause:
    """The lengths to use."""
    if spent.since_speech_end_ms > spent.due_ms:
        return SHORT
    free_ms = spent.earliest_end_ms - spent.speech_ms - spent.since_speech_end_ms
    if not spent.committed and free_ms >= SPEND_FROM_MS:
        return LONG
    return NORMAL
