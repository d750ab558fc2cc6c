"""Questions asked in other words."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from voicepipe.clock import Clock
from voicepipe.llm.cache.embedding import Embedder, Vector
from voicepipe.llm.cache.question import Question
from voicepipe.llm.cache.store import Answer

# One such word more or less turns a question into another, however alike the rest is.
_DECISIVE = frozenset(
    """no not never without un on off up down in out left right before after more less most least
    first last open close start stop add remove yes cannot dont doesnt isnt wont why who whom whose
    where when which with and or zero one two three four five six seven eight nine ten eleven twelve
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand million half quarter double twice plus minus times
    divided""".split()
)


@dataclass(slots=True)
class _Entry:
    scope: str
    decisive: frozenset[str]
    vector: Vector
    answer: Answer
    kept_at: float


class SemanticIndex:
    """The newest `max_entries` questions; within a scope the most alike one answers, if the cosine
    is at least `threshold` and both have the same numbers, negations and the like.
    """

    def __init__(
        self,
        embedder: Embedder,
        clock: Clock,
        *,
        threshold: float,
        max_entries: int,
        ttl_s: float,
    ) -> None:
        self.embedder = embedder
        self._clock = clock
        self._threshold = threshold
        self._max_entries = max_entries
        self._ttl_s = ttl_s
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, question: Question) -> Answer | None:
        """The answer to the most alike question."""
        self._forget_old()
        decisive = _decisive(question.text)
        candidates = [
            (key, entry)
            for key, entry in self._entries.items()
            if entry.scope == question.scope and entry.decisive == decisive
        ]
        if not candidates:
            return None
        vectors = np.stack([entry.vector for _, entry in candidates])
        cosines = vectors @ self.embedder.embed(question.text)
        best = int(np.argmax(cosines))
        if cosines[best] < self._threshold:
            return None
        key, entry = candidates[best]
        self._entries.move_to_end(key)
        return entry.answer

    def add(self, question: Question, answer: Answer) -> None:
        self._entries[question.key] = _Entry(
            question.scope,
            _decisive(question.text),
            self.embedder.embed(question.text),
            answer,
            self._clock.now(),
        )
        self._entries.move_to_end(question.key)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def _forget_old(self) -> None:
        oldest = self._clock.now() - self._ttl_s
        for key in [key for key, entry in self._entries.items() if entry.kept_at < oldest]:
            del self._entries[key]


def _decisive(text: str) -> frozenset[str]:
    return frozenset(w for w in text.split() if w in _DECISIVE or any(c.isdigit() for c in w))
