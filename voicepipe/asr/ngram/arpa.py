"""Writes a trigram model as an ARPA file, the text format that every recognizer reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from voicepipe.asr.ngram.model import Floats, Trigrams

_LEAST = 1e-20


def write_arpa(model: Trigrams, path: Path) -> None:
    """Raises OSError."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(_lines(model))


def _lines(model: Trigrams) -> Iterator[str]:
    words, size = model.words, len(model.words)
    counts = (size, len(model.pairs.keys), len(model.triples.keys))
    yield "\\data\\\n"
    yield from (f"ngram {n}={count}\n" for n, count in enumerate(counts, 1))
    yield "\n\\1-grams:\n"
    for word, prob, backoff in zip(words, _logs(model.prob), _logs(model.backoff), strict=True):
        yield f"{prob:.4f}\t{word}\t{backoff:.4f}\n"
    yield "\n\\2-grams:\n"
    pairs = model.pairs
    for key, prob, backoff in zip(
        pairs.keys.tolist(), _logs(pairs.prob), _logs(pairs.backoff), strict=True
    ):
        yield f"{prob:.4f}\t{words[key // size]} {words[key % size]}\t{backoff:.4f}\n"
    yield "\n\\3-grams:\n"
    for key, prob in zip(model.triples.keys.tolist(), _logs(model.triples.prob), strict=True):
        pair, last = divmod(key, size)
        yield f"{prob:.4f}\t{words[pair // size]} {words[pair % size]} {words[last]}\n"
    yield "\n\\end\\\n"


def _logs(prob: Floats) -> list[float]:
    logs: list[float] = np.log10(np.maximum(prob, _LEAST)).tolist()
    return logs
