"""A turn as the ledger sees it, for predictions: a conversation, and the marks of a turn. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

PARTS = ("endpoint", "asr", "llm", "clause", "tts")


@dataclass(frozen=True, slots=True)
class Talk:
    """What a conversation is like. Times in ms."""

    speech_ms: tuple[float, float] = (1200, 3500)  # shortest and longest question
    new_tokens: int = 22  # of a prompt whose history is in the cache
    clause_tokens: int = 9  # until the first clause is whole
    answer_tokens: int = 22
    first_clause_s: float = 1.8  # of sound
    answer_s: float = 4.5
    pause_ms: float = 900  # before the caller speaks again
    eager_end_ms: float = 120
    endpoint_ms: tuple[float, float] = (300, 600)  # after words that look finished; that do not
    finished: float = 0.85  # share of questions that look finished
    vad_ms: float = 20  # the frame in which the end is noticed
    output_ms: float = 10
    spread: float = 0.1  # of each engine's time, by chance


@dataclass(slots=True)
class Turn:
    """Marks of one turn, ms of simulated time."""

    end: float
    endpoint: float
    asr: float = 0.0
    first_token: float = 0.0
    clause: float = 0.0
    ready: float = 0.0

    @property
    def voice_to_voice(self) -> float:
        """Until the first sound, or the endpoint where that lies ready."""
        return max(self.endpoint, self.ready) - self.end

    def parts(self) -> dict[str, float]:
        """Ms by segment, as the ledger cuts them: what lies before the endpoint cost nothing."""
        marks = [self.endpoint, self.asr, self.first_token, self.clause, self.ready]
        later = [max(mark, self.endpoint) for mark in marks]
        steps = [after - before for before, after in pairwise(later)]
        return dict(zip(PARTS, [self.endpoint - self.end, *steps], strict=True))
