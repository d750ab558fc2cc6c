"""Two trigram models made one.

The share of each depends on the history, as in a mixture of whole texts: after words that only the
first model's texts have, the next word is the first model's; after others it is the second's. So
a sentence of the domain stays in the domain, and another one is not bent into it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from voicepipe.asr.ngram.model import END, START, Floats, Grams, Ids, Trigrams, distinct


def mixed(first: Trigrams, second: Trigrams, weight: float) -> Trigrams:
    """The mixture, in which `weight` (0 to 1) of all texts are of the first model's kind."""
    words = [START, END, *sorted({*first.words, *second.words} - {START, END})]
    one, other = parts = (_renamed(first, words), _renamed(second, words))
    size, weights = len(words), (weight, 1 - weight)
    prob = weights[0] * parts[0].prob + weights[1] * parts[1].prob
    pair_keys = distinct(parts[0].pairs.keys, parts[1].pairs.keys)
    a, b = pair_keys // size, pair_keys % size
    share = _share(*(w * _seen(part) for w, part in zip(weights, parts, strict=True)))[a]
    pair_prob = _shared(share, one.after_one, other.after_one, a, b)
    keys = distinct(parts[0].triples.keys, parts[1].triples.keys)
    history, c = keys // size, keys % size
    a, b = history // size, history % size
    joint = [
        w * _seen(part)[pair_keys // size] * part.after_one(pair_keys // size, pair_keys % size)
        for w, part in zip(weights, parts, strict=True)
    ]
    at = np.searchsorted(pair_keys, history)
    share = _share(*joint)[at]
    triple_prob = _shared(share, one.after_two, other.after_two, a, b, c)
    return with_backoff(words, prob, (pair_keys, pair_prob), (keys, triple_prob))


def with_backoff(
    words: Sequence[str], prob: Floats, pairs: tuple[Ids, Floats], triples: tuple[Ids, Floats]
) -> Trigrams:
    """The model of these chances, each history's back-off such that all its chances sum to 1."""
    size = len(words)
    keys, chances = pairs
    backoff = _rest(keys // size, size, chances, prob[keys % size])
    bare = Trigrams(words, prob, backoff, Grams(keys, chances, np.ones(len(keys))), _NONE)
    keys3, chances3 = triples
    lower = bare.after_one(keys3 // size % size, keys3 % size)
    at = np.searchsorted(keys, keys3 // size)
    pair_backoff = _rest(at, len(keys), chances3, lower)
    return Trigrams(
        words,
        prob,
        backoff,
        Grams(keys, chances, pair_backoff),
        Grams(keys3, chances3, np.ones(len(keys3))),
    )


def pruned(model: Trigrams, keep: Collection[str], threshold: float) -> Trigrams:
    """The model of the words `keep` alone, without the pairs and triples that say little more than
    their back-off does: whose chance in a text, times the logarithm of what they change, is below
    `threshold`."""
    words = [START, END, *sorted(word for word in model.ids if word in keep and word[0] != "<")]
    old = np.array([model.ids[word] for word in words])
    new = np.full(len(model.words), -1)
    new[old] = np.arange(len(words))
    size, prob = len(model.words), model.prob[old]
    prob[0] = 0.0
    seen = _seen(model)
    a, b = model.pairs.keys // size, model.pairs.keys % size
    gain = (
        seen[a]
        * model.pairs.prob
        * np.log(
            np.maximum(model.pairs.prob / np.maximum(model.backoff[a] * model.prob[b], 1e-30), 1.0)
        )
    )
    ours = (new[a] >= 0) & (new[b] >= 0)
    joint = seen[a] * model.pairs.prob
    history, c = model.triples.keys // size, model.triples.keys % size
    at, listed = model.pairs.find(history)
    lower = model.pairs.backoff[at] * model.after_one(history % size, c)
    gain3 = (
        joint[at]
        * model.triples.prob
        * np.log(np.maximum(model.triples.prob / np.maximum(lower, 1e-30), 1.0))
    )
    kept3 = listed & ours[at] & (new[c] >= 0) & (gain3 > threshold)
    kept = ours & (gain > threshold)
    kept[at[kept3]] = True  # a history must be listed itself
    n = len(words)
    pair_keys = new[a[kept]] * n + new[b[kept]]
    order = np.argsort(pair_keys)
    h3, c3 = history[kept3], c[kept3]
    keys3 = (new[h3 // size] * n + new[h3 % size]) * n + new[c3]
    order3 = np.argsort(keys3)
    return with_backoff(
        words,
        prob / prob.sum(),
        (pair_keys[order], model.pairs.prob[kept][order]),
        (keys3[order3], model.triples.prob[kept3][order3]),
    )


_NONE = Grams(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


def _seen(model: Trigrams) -> Floats:
    """How often each word is a history: a text has as many starts as ends."""
    seen = model.prob.copy()
    seen[model.ids[START]] = model.prob[model.ids[END]]
    return seen


def _share(first: Floats, second: Floats) -> Floats:
    both = first + second
    return np.where(both > 0, first / np.where(both > 0, both, 1.0), 0.5)


def _shared(
    share: Floats, first: Callable[..., Floats], second: Callable[..., Floats], *grams: Ids
) -> Floats:
    """The first model's chances by their `share`, the second's by what is left. Most histories are
    of one model alone: the other one is not asked."""
    found = np.zeros(len(share))
    for part, weight in ((first, share), (second, 1 - share)):
        at = np.flatnonzero(weight)
        found[at] += weight[at] * part(*(ids[at] for ids in grams))
    return found


def _rest(history: Ids, histories: int, chances: Floats, lower: Floats) -> Floats:
    """What the listed words leave to the others, by what these have one order lower."""
    left = 1 - np.bincount(history, chances, histories)
    free = 1 - np.bincount(history, lower, histories)
    return np.clip(left, 1e-6, 1.0) / np.clip(free, 1e-6, 1.0)


def _renamed(model: Trigrams, words: Sequence[str]) -> Trigrams:
    """The same model over a larger vocabulary; words that it does not know have no chance."""
    ids = {word: n for n, word in enumerate(words)}
    new = np.array([ids[word] for word in model.words])
    old_size, size = len(model.words), len(words)
    prob, backoff = np.zeros(size), np.ones(size)
    prob[new], backoff[new] = model.prob, model.backoff
    keys = model.pairs.keys
    pair_keys = new[keys // old_size] * size + new[keys % old_size]
    keys = model.triples.keys
    h = keys // old_size
    triple_keys = (new[h // old_size] * size + new[h % old_size]) * size + new[keys % old_size]
    return Trigrams(
        words, prob, backoff, _moved(pair_keys, model.pairs), _moved(triple_keys, model.triples)
    )


def _moved(keys: Ids, grams: Grams) -> Grams:
    order = np.argsort(keys)
    return Grams(keys[order], grams.prob[order], grams.backoff[order])
