"""The marks of a simulated turn, as the ledger cuts them. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

PARTS = ("endpoint", "asr", "llm", "clause", "tts")


@dataclass(slots=True)
class Turn:
    """Marks of one turn, ms of simulated time."""

    end: float
    endpoint: float = math.inf
    asr: float = 0.0
    first_token: float = 0.0
    clause: float = 0.0
    ready: float = math.inf

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
