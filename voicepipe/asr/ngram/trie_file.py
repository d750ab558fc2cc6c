"""Reads and writes the binary language models of pocketsphinx (`*.lm.bin`, its
`src/lm/lm_trie.c`).

Words stand last to first in such a file: every word has a range of entries for the words before it,
and each of these one for the words before those. Entries are packed bits."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np

from voicepipe.asr.ngram.model import Floats, Grams, Ids, Trigrams, distinct

_MAGIC = b"Trie Language Model"
_LOG_BASE = 1.0001  # of the file's probabilities
_LEAST = 1e-20  # a chance
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


def write_trie(model: Trigrams, path: Path) -> None:
    """Write the file of a trigram model, from which decoders load it. Raises OSError."""
    model = _with_endings(model)
    singles, pairs, triples = len(model.words), len(model.pairs.keys), len(model.triples.keys)
    word_bits, next_bits = singles.bit_length(), triples.bit_length()
    before, newest = np.divmod(model.pairs.keys, singles)
    by_newest = np.lexsort((before, newest))
    first, ending = np.divmod(model.triples.keys, singles * singles)
    pair = np.argsort(by_newest)[model.pairs.find(ending)[0]]
    by_pair = np.lexsort((first, pair))
    logs = [_logs(part) for part in (model.pairs.prob, model.pairs.backoff, model.triples.prob)]
    grids = [np.linspace(log.min(initial=-1), log.max(initial=0), _BINS) for log in logs]
    quantized = [
        np.rint((log - grid[0]) / (grid[1] - grid[0])).astype(np.int64)
        for log, grid in zip(logs, grids, strict=True)
    ]
    single = np.zeros(singles + 1, _UNIGRAM)
    single["prob"][:-1], single["backoff"][:-1] = _logs(model.prob), _logs(model.backoff)
    single["next"] = _ranges(newest, singles)
    middle = _Packed.empty(pairs + 1, word_bits + 32 + next_bits)
    middle.put(0, word_bits, before[by_newest])
    middle.put(word_bits, 16, quantized[1][by_newest])
    middle.put(word_bits + 16, 16, quantized[0][by_newest])
    middle.put(word_bits + 32, next_bits, _ranges(pair, pairs))
    last = _Packed.empty(triples + 1, word_bits + 16)
    last.put(0, word_bits, first[by_pair])
    last.put(word_bits, 16, quantized[2][by_pair])
    words = b"".join(word.encode() + b"\0" for word in model.words)
    with path.open("wb") as file:
        file.write(_MAGIC + struct.pack("<B4I", 3, singles, pairs, triples, 1))
        for grid in grids:
            file.write(grid.astype("<f4").tobytes())
        file.write(single.tobytes() + middle.raw + last.raw)
        file.write(struct.pack("<I", len(words)) + words)


def _with_endings(model: Trigrams) -> Trigrams:
    """The same model with "b c" listed wherever "a b c" is: the file needs the way there."""
    size = len(model.words)
    endings = distinct(model.triples.keys % (size * size))
    missing = endings[~model.pairs.find(endings)[1]]
    pairs = model.pairs
    keys = np.concatenate([pairs.keys, missing])
    prob = np.concatenate([pairs.prob, model.after_one(missing // size, missing % size)])
    backoff = np.concatenate([pairs.backoff, np.ones(len(missing))])
    return replace(model, pairs=_sorted(keys, prob, backoff))


def _ranges(owners: Ids, count: int) -> Ids:
    """Where the entries of each of `count` owners begin, and where the last one's end."""
    ends: Ids = np.cumsum(np.bincount(owners, minlength=count))
    return np.concatenate([np.zeros(1, np.int64), ends])


class _Packed:
    """A table of entries of `width` bits each."""

    def __init__(self, raw: bytes | bytearray, at: int, entries: int, width: int) -> None:
        self.nbytes = _packed_bytes(entries, width)
        self.raw = raw
        self._bytes = np.frombuffer(raw, np.uint8, self.nbytes, at)
        self._starts = np.arange(entries, dtype=np.int64) * width

    @classmethod
    def empty(cls, entries: int, width: int) -> _Packed:
        """One to write into."""
        return cls(bytearray(_packed_bytes(entries, width)), 0, entries, width)

    def put(self, offset: int, bits: int, values: Ids) -> None:
        """Write the `bits` that start `offset` bits into the first entries, which are 0 so far; an
        entry is longer than the field, so no two of them meet in a byte at a time."""
        place = self._starts[: len(values)] + offset
        shifted = values << (place & 7)
        for n in range((bits + 7) // 8 + 1):
            self._bytes[(place >> 3) + n] |= (shifted >> (8 * n) & 0xFF).astype(np.uint8)

    def field(self, offset: int, bits: int) -> Ids:
        """The `bits` (at most 32) that start `offset` bits into each entry."""
        place = self._starts + offset
        value = np.zeros(len(place), np.int64)
        for n in range((bits + 7) // 8 + 1):
            value |= self._bytes[(place >> 3) + n].astype(np.int64) << (8 * n)
        return (value >> (place & 7)) & ((1 << bits) - 1)


def _packed_bytes(entries: int, width: int) -> int:
    return (entries * width + 7) // 8 + 8


def _logs(plain: Floats) -> Floats:
    logs: Floats = np.log(np.maximum(plain, _LEAST)) / np.log(_LOG_BASE)
    return logs


def _plain(logs: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Floats:
    plain: Floats = np.exp(logs.astype(np.float64) * np.log(_LOG_BASE))
    return plain


def _sorted(keys: Ids, prob: Floats, backoff: Floats) -> Grams:
    order = np.argsort(keys)
    return Grams(keys[order], prob[order], backoff[order])
