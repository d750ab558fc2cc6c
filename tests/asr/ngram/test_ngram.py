"""Trigram models: what they say sums to one, and says what the sentences say."""

from __future__ import annotations

from ctypes import byref, c_double, c_int32, c_void_p
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from voicepipe.asr.ngram.arpa import write_arpa
from voicepipe.asr.ngram.estimate import estimate
from voicepipe.asr.ngram.mix import mixed, pruned
from voicepipe.asr.ngram.model import START, Grams, Trigrams
from voicepipe.asr.ngram.trie_file import read_trie, write_trie
from voicepipe.asr.sphinx.library import load_library

ORDERS = ["a small coffee please", "a large coffee", "a large tea please", "two small teas"]
TALK = ["the king is dead", "the king had a large horse", "long live the king", "a horse is dead"]


def total_after(model: Trigrams, *history: str) -> float:
    """What all words together have after these."""
    every = np.arange(len(model.words))
    ids = [np.full(len(every), model.ids[word]) for word in history]
    if len(ids) == 1:
        return float(model.after_one(ids[0], every).sum())
    return float(model.after_two(ids[0], ids[1], every).sum())


def chance(model: Trigrams, text: str) -> float:
    return float(model.sentence(text).prod())


def without(model: Trigrams, first: str, second: str) -> Trigrams:
    """Less one pair."""
    pairs = model.pairs
    left = pairs.keys != model.ids[first] * len(model.words) + model.ids[second]
    assert left.sum() == len(pairs.keys) - 1
    return replace(model, pairs=Grams(pairs.keys[left], pairs.prob[left], pairs.backoff[left]))


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(estimate(ORDERS), id="estimated"),
        pytest.param(mixed(estimate(ORDERS), estimate(TALK), 0.7), id="mixed"),
        pytest.param(pruned(estimate(ORDERS * 3 + TALK), {"a", "large", "tea"}, 0), id="pruned"),
    ],
)
def test_the_chances_after_any_history_sum_to_one(model: Trigrams) -> None:
    histories = [(START,), ("a",), ("a", "large"), (START, "a"), ("large", "tea"), ("tea", "a")]
    for history in histories:
        assert total_after(model, *history) == pytest.approx(1, abs=1e-6), history


def test_what_was_said_is_likelier_than_what_was_not_and_nothing_is_impossible() -> None:
    model = estimate(ORDERS)

    assert chance(model, "a large coffee please") > 20 * chance(model, "please coffee large a")
    assert model.sentence("coffee coffee coffee").min() > 0


def test_a_mixture_keeps_each_kind_of_text_to_itself() -> None:
    orders, talk = estimate(ORDERS), estimate(TALK)
    both = mixed(orders, talk, 0.5)

    for text, own in (("a small coffee please", orders), ("long live the king", talk)):
        assert chance(both, text) > 0.2 * chance(own, text)  # half of it, less a little
    after_talk = both.after_two(*(np.array([both.ids[w]]) for w in ("king", "is", "dead")))
    assert after_talk[0] > 0.9 * talk.after_two(
        *(np.array([talk.ids[w]]) for w in ("king", "is", "dead"))
    )


def test_pruning_keeps_what_matters() -> None:
    model = estimate(ORDERS * 5 + TALK)
    small = pruned(model, set(model.words), 0.02)

    assert len(small.triples.keys) < len(model.triples.keys) / 2
    text = "a large coffee"
    assert chance(small, text) == pytest.approx(chance(model, text), rel=0.6)


def test_an_arpa_file_has_what_the_model_has(tmp_path: Path) -> None:
    model = estimate(ORDERS)
    write_arpa(model, tmp_path / "orders.arpa")
    lines = (tmp_path / "orders.arpa").read_text().splitlines()

    assert f"ngram 3={len(model.triples.keys)}" in lines
    entry = next(line.split("\t") for line in lines if "\ta large\t" in line)
    a, large = (np.array([model.ids[word]]) for word in ("a", "large"))
    assert 10 ** float(entry[0]) == pytest.approx(model.after_one(a, large)[0], rel=1e-3)


def test_a_written_file_is_read_back_as_it_was(tmp_path: Path) -> None:
    model = estimate(ORDERS + TALK)
    write_trie(model, tmp_path / "model.lm.bin")
    back = read_trie(tmp_path / "model.lm.bin")

    assert sorted(back.words) == sorted(model.words)
    for text in (*ORDERS, *TALK, "the small horse"):
        assert back.sentence(text) == pytest.approx(model.sentence(text), rel=1e-3)


def test_the_library_finds_the_same_chances_in_a_written_file(tmp_path: Path) -> None:
    """With histories that are listed, that are not, and a triple whose own ending was left out."""
    whole = pruned(estimate(ORDERS * 3 + TALK), {"a", "large", "tea", "coffee", "horse"}, 1e-3)
    model = without(whole, "large", "tea")  # "a large tea" is listed
    write_trie(model, tmp_path / "model.lm.bin")
    calls = load_library().calls
    for name in ("logmath_init", "ngram_model_read"):
        getattr(calls, name).restype = c_void_p
    logs = c_void_p(calls.logmath_init(c_double(1.0001), 0, 0))
    path = str(tmp_path / "model.lm.bin").encode()
    opened = c_void_p(calls.ngram_model_read(None, path, 2, logs))

    def read(*words: str) -> float:
        ids = [calls.ngram_wid(opened, word.encode()) for word in reversed(words)]
        history = (c_int32 * 2)(*ids[1:])
        score = calls.ngram_ng_score(opened, ids[0], history, len(ids) - 1, byref(c_int32()))
        return float(1.0001**score)

    words = ("a", "large", "tea", "coffee", "horse")
    for a, b, c in product(words, repeat=3):
        ids = [np.array([model.ids[word]]) for word in (a, b, c)]
        assert read(a, b, c) == pytest.approx(model.after_two(*ids)[0], rel=2e-3)
        assert read(b, c) == pytest.approx(model.after_one(*ids[1:])[0], rel=2e-3)
    calls.ngram_model_free(opened)


def test_the_bundled_model_is_read_right() -> None:
    """Chances that pocketsphinx's own reader gives for these words."""
    english = read_trie(load_library().language)

    assert len(english.words) == 72_547
    assert english.sentence("i want to go home")[:4] == pytest.approx(
        [0.08662, 0.011588, 0.60268, 0.0502], rel=2e-3
    )
    assert total_after(english, "i", "want") == pytest.approx(1, abs=1e-3)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.lm.bin").write_bytes(b"\\data\\")
    with pytest.raises(ValueError, match=r"model\.lm\.bin is not a trigram model"):
        read_trie(tmp_path / "model.lm.bin")
