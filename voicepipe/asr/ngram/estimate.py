"""From sentences to a trigram model, by Witten and Bell's smoothing (IEEE Trans. Inf. Theory 37,
1991): a history that was followed by many different words will be followed by another one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from voicepipe.asr.ngram.model import END, START, Floats, Grams, Ids, Trigrams


def estimate(sentences: Iterable[str], surprise: float = 1.0) -> Trigrams:
    """The model of `sentences`, whose words are separated by spaces. `surprise` over 1 expects
    more of what was not seen: sentences out of templates are fewer kinds than people say."""
    texts = [text.split() for text in sentences]
    words = [START, END, *sorted({word for text in texts for word in text})]
    ids = {word: n for n, word in enumerate(words)}
    stream = np.array(
        [ids[word] for text in texts if text for word in (START, *text, END)], np.int64
    )
    size = len(words)
    starts = stream == ids[START]
    singles = np.bincount(stream[~starts], minlength=size).astype(float)
    kinds = surprise * np.count_nonzero(singles)
    prob = (singles + kinds / (size - 1)) / (singles.sum() + kinds)  # START follows nothing
    prob[ids[START]] = 0.0
    inside = ~starts[1:]
    pair_keys, pair_counts = _counted((stream[:-1] * size + stream[1:])[inside])
    backoff, pair_prob = _smoothed(
        pair_keys // size, size, pair_counts, prob[pair_keys % size], surprise
    )
    inside3 = inside[1:] & ~starts[1:-1]
    keys = ((stream[:-2] * size + stream[1:-1]) * size + stream[2:])[inside3]
    keys, counts = _counted(keys)
    history = np.searchsorted(pair_keys, keys // size)
    lower = pair_prob[np.searchsorted(pair_keys, keys % size**2)]
    pair_backoff, triple_prob = _smoothed(history, len(pair_keys), counts, lower, surprise)
    return Trigrams(
        words,
        prob,
        backoff,
        Grams(pair_keys, pair_prob, pair_backoff),
        Grams(keys, triple_prob, np.ones(len(keys))),
    )


def _counted(keys: Ids) -> tuple[Ids, Floats]:
    found, counts = np.unique(keys, return_counts=True)
    return found, counts.astype(float)


def _smoothed(
    history: Ids, histories: int, counts: Floats, lower: Floats, surprise: float
) -> tuple[Floats, Floats]:
    """Back-off of each history [histories], and P(word | history) [n]."""
    total = np.bincount(history, counts, histories)
    kinds = surprise * np.bincount(history, minlength=histories)
    backoff = np.where(total > 0, kinds / np.maximum(total + kinds, 1e-30), 1.0)
    return backoff, (counts + kinds[history] * lower) / (total + kinds)[history]
