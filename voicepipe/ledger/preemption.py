"""What replies prepared before the endpoint gain and cost: counted per session and per process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

DiscardReason = Literal[
    "user_went_on",  # the silence was a pause
    "text_changed",  # the recognizer's partial text moved on
    "final_differs",  # the final transcript was another than the text that was answered
    "stale",  # settings or items changed meanwhile
    "failed",  # an engine gave an error before the endpoint
    "no_speech",  # the turn was over, and nothing was said in it: a cough
    "cleared",  # the client dropped the audio, or left
]


@dataclass(slots=True)
class PreemptionCounts:
    """One session's, or with `parent` None a process's: what a session counts, both have."""

    parent: PreemptionCounts | None = None
    attempts: int = 0
    hits: int = 0
    discards: Counter[DiscardReason] = field(default_factory=Counter)
    wasted_tokens: int = 0  # pieces of text that the model wrote for nothing
    wasted_audio_ms: float = 0.0  # speech that was synthesized for nothing
    saved_ms: float = 0.0  # by all hits together: sound was out so much sooner

    def attempt(self) -> None:
        """A reply is begun before the endpoint."""
        self.attempts += 1
        if self.parent is not None:
            self.parent.attempt()

    def hit(self, saved_ms: float) -> None:
        """It was the answer."""
        self.hits += 1
        self.saved_ms += saved_ms
        if self.parent is not None:
            self.parent.hit(saved_ms)

    def discard(self, reason: DiscardReason, tokens: int, audio_ms: float) -> None:
        """It was thrown away, with what had been made of it."""
        self.discards[reason] += 1
        self.wasted_tokens += tokens
        self.wasted_audio_ms += audio_ms
        if self.parent is not None:
            self.parent.discard(reason, tokens, audio_ms)

    def as_dict(self) -> dict[str, Any]:
        """JSON shape."""
        return {
            "attempts": self.attempts,
            "hits": self.hits,
            "discards": dict(self.discards),
            "wasted_tokens": self.wasted_tokens,
            "wasted_audio_s": round(self.wasted_audio_ms / 1000, 3),
            "saved_ms": round(self.saved_ms, 3),
        }
