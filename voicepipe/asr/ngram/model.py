"""A trigram model with back-off, as arrays. Probabilities are plain, not logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

START, END = "<s>", "</s>"


def distinct(*keys: Ids) -> Ids:
    """All different keys, sorted; some ten times faster than `np.unique`, which hashes."""
    together: Ids = np.sort(np.concatenate(keys), kind="stable")
    new: Ids = together[np.diff(together, prepend=-1) != 0]
    return new


@dataclass(frozen=True)
class Grams:
    """The n-grams of one order: sorted keys, the chance of the last word after the others, and the
    share of the chance that words not listed here have after this n-gram as a history (`backoff`).
    All [n]."""

    keys: Ids
    prob: Floats
    backoff: Floats

    def find(self, keys: Ids) -> tuple[Ids, npt.NDArray[np.bool_]]:
        """Where the keys stand, and which of them do."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64), np.zeros(len(keys), bool)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return at, self.keys[at] == keys


@dataclass(frozen=True)
class Trigrams:
    """Word n is `words[n]`. The key of "a b" is a * V + b, that of "a b c" (a * V + b) * V + c,
    with V the number of words."""

    words: Sequence[str]
    prob: Floats  # of single words, [V]
    backoff: Floats  # [V]
    pairs: Grams
    triples: Grams
    ids: dict[str, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", {word: n for n, word in enumerate(self.words)})

    def after_one(self, a: Ids, b: Ids) -> Floats:
        """P(b | a), all [n]."""
        at, known = self.pairs.find(a * len(self.words) + b)
        return np.where(
            known,
            self.pairs.prob[at] if len(self.pairs.prob) else 0.0,
            self.backoff[a] * self.prob[b],
        )

    def after_two(self, a: Ids, b: Ids, c: Ids) -> Floats:
        """P(c | a b), all [n]."""
        history = a * len(self.words) + b
        at, known = self.triples.find(history * len(self.words) + c)
        seen, listed = self.pairs.find(history)
        share = np.where(listed, self.pairs.backoff[seen], 1.0)
        return np.where(known, self.triples.prob[at], share * self.after_one(b, c))

    def sentence(self, text: str) -> Floats:
        """The chance of each word of a text, and of its end, all known words."""
        ids = np.array([self.ids[word] for word in (START, START, *text.split(), END)])
        first = self.after_one(ids[1:2], ids[2:3])
        return np.concatenate([first, self.after_two(ids[1:-2], ids[2:-1], ids[3:])])
