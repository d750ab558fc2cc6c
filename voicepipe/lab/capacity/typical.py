"""A turn on average, of the conversation that `voicepipe fit` plays. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from voicepipe.fit.speeds import CHARS_PER_S
from voicepipe.fit.talk import Talk, first_clause, tokens
from voicepipe.session.spoken_clauses import NORMAL


@dataclass(frozen=True, slots=True)
class Typical:
    """`speech_ms`: of the shortest and the longest question."""

    speech_ms: tuple[float, float]
    new_tokens: int
    clause_tokens: int
    answer_tokens: int
    first_clause_s: float
    answer_s: float


def typical(talk: Talk | None = None) -> Typical:
    """Clauses are of plain length, no word of a question is known before its end."""
    talk = talk or Talk()
    asked, answers = talk.exchanges, [one.answer for one in talk.exchanges]
    clauses = [first_clause(answer, NORMAL) for answer in answers]
    lengths = [one.speech_ms for one in asked]
    return Typical(
        speech_ms=(min(lengths), max(lengths)),
        new_tokens=round(fmean(talk.new_tokens(one.question, 0) for one in asked)),
        clause_tokens=round(fmean(map(tokens, clauses))),
        answer_tokens=round(fmean(map(tokens, answers))),
        first_clause_s=round(fmean(map(len, clauses)) / CHARS_PER_S, 1),
        answer_s=round(fmean(map(len, answers)) / CHARS_PER_S, 1),
    )
