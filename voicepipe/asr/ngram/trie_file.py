"""Reads the binary language models of pocketsphinx (`*.lm.bin`, its `src/lm/lm_trie.c`).

Words stand last to first in such a file: every word has a range of entries for the words before it,
and each of these one for the words before those. Entries are packed bits."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from voicepipe.asr.ngram.model import Floats, Grams, Ids, Trigrams

_MAGIC = b"Trie Language Model"
_LOG_BASE = 1.0001  # of the file's probabilities
_BINS = 1 << 16  # they are quantized to so many values
_UNIGRAM = np.dtype([("prob", "<f4"), ("backoff", "<f4"), ("next", "<u4")])


def read_trie(path: Path) -> Trigrams:
    """The trigram model of a file. Raises ValueError if it is not one, OSError."""
    raw = path.read_bytes()
    if not raw.startswith(_MAGIC) or raw[len(_MAGIC)] != 3:
        raise ValueError(f"{path} is not a trigram model in pocketsphinx's binary format")
    at = len(_MAGIC) + 1
    singles, pairs, triples = struct.unpack_from("<3I", raw, at)
    at += 12 + 4  # and a number that says nothing
    bins = np.frombuffer(raw, "<f4", 3 * _BINS, at).reshape(3, _BINS)
    at += bins.nbytes
    single = np.frombuffer(raw, _UNIGRAM, singles + 1, at)
    at += single.nbytes
    word_bits, next_bits = singles.bit_length(), triples.bit_length()
    middle = _Packed(raw, at, pairs + 1, word_bits + 32 + next_bits)
    at += middle.nbytes
    last = _Packed(raw, at, triples + 1, word_bits + 16)
    at += last.nbytes + 4
    words = [word.decode() for word in raw[at:].split(b"\0")[:singles]]

    newest = np.repeat(np.arange(singles), np.diff(single["next"].astype(np.int64)))
    count = min(len(newest), pairs)  # a few unused entries may close the table
    newest, before = newest[:count], middle.field(0, word_bits)[:count]
    ends = middle.field(word_bits + 32, next_bits)[: count + 1]
    ends = np.maximum.accumulate(ends)
    pair = np.repeat(np.arange(count), np.diff(ends))[:triples]
    first = last.field(0, word_bits)[: len(pair)]
    pair_prob = bins[0][middle.field(word_bits + 16, 16)[:count]]
    pair_backoff = bins[1][middle.field(word_bits, 16)[:count]]
    triple_prob = bins[2][last.field(word_bits, 16)[: len(pair)]]
    pair_keys = before * singles + newest
    triple_keys = (first * singles + before[pair]) * singles + newest[pair]
    return Trigrams(
        words,
        _plain(single["prob"][:-1]),
        _plain(single["backoff"][:-1]),
        _sorted(pair_keys, _plain(pair_prob), _plain(pair_backoff)),
        _sorted(triple_keys, _plain(triple_prob), np.ones(len(pair))),
    )


class _Packed:
    """A table of entries of `width` bits each."""

    def __init__(self, raw: bytes, at: int, entries: int, width: int) -> None:
        self.nbytes = (entries * width + 7) // 8 + 8
        self._bytes = np.frombuffer(raw, np.uint8, self.nbytes, at)
        self._starts = np.arange(entries, dtype=np.int64) * width

    def field(self, offset: int, bits: int) -> Ids:
        """The `bits` (at most 32) that start `offset` bits into each entry."""
        place = self._starts + offset
        value = np.zeros(len(place), np.int64)
        for n in range((bits + 7) // 8 + 1):
            value |= self._bytes[(place >> 3) + n].astype(np.int64) << (8 * n)
        return (value >> (place & 7)) & ((1 << bits) - 1)


def _plain(logs: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Floats:
    plain: Floats = np.exp(logs.astype(np.float64) * np.log(_LOG_BASE))
    return plain


def _sorted(keys: Ids, prob: Floats, backoff: Floats) -> Grams:
    order = np.argsort(keys)
    return Grams(keys[order], prob[order], backoff[order])
