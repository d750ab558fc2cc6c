"""What answers made ready in idle time gain and cost: counted per session and per process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class AnticipationCounts:
    """One session's, or with `parent` None a process's: what a session counts, both have."""

    parent: AnticipationCounts | None = None
    made: int = 0  # likely turns for which a whole answer was made ready
    hits: int = 0  # generations that were then what was asked for
    tokens: int = 0  # pieces of text that the model wrote in idle time
    used_tokens: int = 0  # of them, in answers that were played
    engine_s: float = 0.0  # time for which model and synthesizer worked on it; tools' is not in it

    def made_one(self) -> None:
        """An answer lies ready."""
        self.made += 1
        if self.parent is not None:
            self.parent.made_one()

    def worked(self, engine_s: float) -> None:
        """So long, whether or not it came to anything."""
        self.engine_s += engine_s
        if self.parent is not None:
            self.parent.worked(engine_s)

    def token(self) -> None:
        self.tokens += 1
        if self.parent is not None:
            self.parent.token()

    def hit(self, tokens: int) -> None:
        """One of them was asked for."""
        self.hits += 1
        self.used_tokens += tokens
        if self.parent is not None:
            self.parent.hit(tokens)

    def as_dict(self) -> dict[str, Any]:
        """JSON shape."""
        return {
            "made": self.made,
            "hits": self.hits,
            "wasted_tokens": self.tokens - self.used_tokens,
            "engine_s": round(self.engine_s, 3),
        }
