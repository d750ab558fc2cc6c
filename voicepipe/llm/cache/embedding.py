"""Texts as vectors whose products say how alike they are."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""float32 [dimensions], of length 1."""


class Embedder(Protocol):
    """Runs on the turn's path: a millisecond is much."""

    name: str
    dimensions: int

    def embed(self, text: str) -> Vector:
        """`text` is normalize_text: lower case, words only, single spaces."""
        ...


class LetterEmbedder:
    """Hashed counts of words and of letter groups. No model, no dependency, some 50 us a question.

    It sees shared spelling, not meaning: "what's the capital of France" and "tell me the capital
    of France" are alike to it, "how do I reach you" and "what is your phone number" are not. For
    meaning, give `SemanticIndex` an `Embedder` with a model in it.
    """

    name = "letters"

    def __init__(self, dimensions: int = 1024) -> None:
        self.dimensions = dimensions

    def embed(self, text: str) -> Vector:
        """See `Embedder`."""
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for feature, count in _features(text).items():
            digest = zlib.crc32(feature.encode())
            sign = 1.0 if digest & 0x8000_0000 else -1.0  # collisions cancel instead of adding up
            vector[digest % self.dimensions] += sign * count
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector


# Words that carry the form of a question and nothing of what is asked.
_FORM = frozenset(
    "a an the of to in on at is are was were be do does did can could would will you i me my "
    "please tell what whats s how know want like just so well hey hi hello um uh about for "
    "and".split()
)


def _features(text: str) -> Counter[str]:
    """Whole words weigh twice, those of mere form a fifth; letter groups bridge endings and slips
    of the recognizer."""
    features: Counter[str] = Counter()
    for word in text.replace("'", " ").split():  # "what's" is "what" and a bit of form
        if word in _FORM:
            features[f"={word}"] += 0.2  # type: ignore[assignment]
            continue
        features[f"={word}"] += 2
        padded = f" {word} "
        for start in range(len(padded) - 2):
            features[padded[start : start + 3]] += 1
    return features
