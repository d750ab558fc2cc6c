"""Where the words of a text begin in its sound, from how long each phoneme id lasts. Pure.

Phonemizers write words with spaces between them, but not always the words of the text: "of the" may
become one, "3.5" three. Where the counts differ, each word's own phonemes tell how many groups are
its share; where even that does not come out, words are placed by length.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

Sentences = Sequence[Sequence[str]]
"""Phonemes (code points) of each sentence of a text, as piper's phonemizer gives them."""

PAD, START, END = "_", "^", "$"


def written_words(text: str) -> list[tuple[int, str]]:
    """Offset and word, for every run without spaces that can be said."""
    return [
        (match.start(), match[0])
        for match in re.finditer(r"\S+", text)
        if any(char.isalnum() for char in match[0])
    ]


def spoken_groups(sentence: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First phoneme and count of phonemes of each group between spaces that holds a sound."""
    begin = 0
    for index, phoneme in enumerate((*sentence, " ")):
        if phoneme == " ":
            if any(sound.isalpha() for sound in sentence[begin:index]):
                yield begin, index - begin
            begin = index + 1


def place_words(
    text: str, sentences: Sentences, phonemize: Callable[[str], Sentences]
) -> list[list[tuple[int, int]]]:
    """For each sentence, (offset into the text, first phoneme) of the words that begin in it.

    `phonemize` is asked for single words only where words and groups do not match one to one.
    """
    words = written_words(text)
    groups = [
        (n, *group) for n, sentence in enumerate(sentences) for group in spoken_groups(sentence)
    ]
    placed: list[list[tuple[int, int]]] = [[] for _ in sentences]
    if not groups:
        return placed
    if len(words) == len(groups):
        firsts: Sequence[int] = range(len(groups))
    else:
        firsts = _shares([phonemize(word) for _, word in words], [size for *_, size in groups])
    for (offset, _), first in zip(words, firsts, strict=True):
        sentence, phoneme, _ = groups[first]
        placed[sentence].append((offset, phoneme))
    return placed


def _shares(alone: Sequence[Sentences], sizes: Sequence[int]) -> list[int]:
    """The group with which each word begins; `alone` is each word's own phonemes."""
    own = [[size for sentence in word for _, size in spoken_groups(sentence)] for word in alone]
    counts = [len(groups) for groups in own]
    if sum(counts) == len(sizes):
        starts = [0, *accumulate(counts)][:-1]
        return [min(start, len(sizes) - 1) for start in starts]
    ends = list(accumulate(sizes))
    scale = ends[-1] / max(1, sum(map(sum, own)))
    begins = [0, *accumulate(sum(groups) for groups in own)][:-1]
    # What seems to begin in the last quarter of a group begins the next one.
    borders = [end - size / 4 for end, size in zip(ends, sizes, strict=True)]
    return [min(bisect_left(borders, begin * scale), len(sizes) - 1) for begin in begins]


def id_indices(
    phonemes: Sequence[str], id_map: Mapping[str, Sequence[int]], count: int
) -> list[int] | None:
    """Index of each phoneme's first id, ids as piper lays them: start, pad, then each phoneme and a
    pad, end; unknown phonemes have none and point to the next. None if that makes not `count` ids.
    """
    pad = len(id_map.get(PAD, ()))
    at = len(id_map.get(START, ())) + pad
    indices = []
    for phoneme in phonemes:
        indices.append(at)
        if phoneme in id_map:
            at += len(id_map[phoneme]) + pad
    return indices if at + len(id_map.get(END, ())) == count else None
