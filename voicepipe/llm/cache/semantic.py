"""Questions asked in other words."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from voicepipe.llm.cache.embedding import Vector
from voicepipe.llm.cache.question import Question
from voicepipe.llm.cache.store import Answer
from voicepipe.runtime.clock import Clock

# One such word more or less turns a question into another, however alike the rest is.
_DECISIVE = frozenset(
    """no not never without un on off up down in out left right before after more less most least
    first last open close start stop add remove yes cannot dont doesnt isnt wont why who whom whose
    where when which with and or zero one two three four five six seven eight nine ten eleven twelve
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand million half quarter double twice plus minus times
    divided""".split()
)


_Group = tuple[str, frozenset[str]]
"""Scope and decisive words: only questions of one group are compared."""


@dataclass(frozen=True, slots=True)
class _Entry:
    group: _Group
    row: int  # of the matrix
    answer: Answer
    kept_at: float


class SemanticIndex:
    """At most `max_entries` questions, the longest unused go first. Within a scope the most alike
    one answers, if the cosine is at least `threshold`, it is not older than `ttl_s`, and both have
    the same numbers, negations and the like. Vectors of another length than the others are of
    another model: they are not compared and not kept.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        threshold: float,
        max_entries: int,
        ttl_s: float,
    ) -> None:
        self._clock = clock
        self._threshold = threshold
        self._max_entries = max_entries
        self._ttl_s = ttl_s
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._groups: dict[_Group, dict[int, str]] = {}  # row to key
        self._vectors = np.zeros((0, 0), dtype=np.float32)  # a row per question
        self._free_rows: list[int] = []

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, question: Question, vector: Vector) -> Answer | None:
        """The answer to the most alike question."""
        group = self._groups.get(_group(question))
        if not group or len(vector) != self._vectors.shape[1]:
            return None
        rows = list(group)
        # Not `@`: BLAS wakes threads of its own, which on a busy machine takes milliseconds.
        cosines = np.einsum("ij,j->i", self._vectors, vector)[rows]
        best = int(np.argmax(cosines))
        if cosines[best] < self._threshold:
            return None
        key = group[rows[best]]
        entry = self._entries[key]
        if self._clock.now() - entry.kept_at > self._ttl_s:
            self._drop(key)
            return self.find(question, vector)  # a younger one may be nearly as alike
        self._entries.move_to_end(key)
        return entry.answer

    def add(self, question: Question, vector: Vector, answer: Answer) -> None:
        """Keep an answer; a newer one to the same question replaces it."""
        if not self._vectors.shape[1]:
            self._vectors = np.zeros((0, len(vector)), dtype=np.float32)
        if len(vector) != self._vectors.shape[1]:
            return
        key, group = question.key, _group(question)
        if key in self._entries:
            self._drop(key)
        elif len(self._entries) >= self._max_entries:
            self._drop(next(iter(self._entries)))
        row = self._free_row()
        self._vectors[row] = vector
        self._entries[key] = _Entry(group, row, answer, self._clock.now())
        self._groups.setdefault(group, {})[row] = key

    def _drop(self, key: str) -> None:
        entry = self._entries.pop(key)
        rows = self._groups[entry.group]
        del rows[entry.row]
        if not rows:
            del self._groups[entry.group]
        self._free_rows.append(entry.row)

    def _free_row(self) -> int:
        if not self._free_rows:
            used = len(self._vectors)
            more = min(max(used, 64), self._max_entries - used)  # twice as many
            room = np.zeros((more, self._vectors.shape[1]), dtype=np.float32)
            self._vectors = np.concatenate((self._vectors, room))
            self._free_rows = list(range(used + more - 1, used - 1, -1))
        return self._free_rows.pop()


def _group(question: Question) -> _Group:
    return question.scope, _decisive(question.text)


def _decisive(text: str) -> frozenset[str]:
    return frozenset(w for w in text.split() if w in _DECISIVE or any(c.isdigit() for c in w))
