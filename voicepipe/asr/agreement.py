"""LocalAgreement-2: a word is stable once two decodes in a row agree on it and on all before it.

Words are compared without case and punctuation; the spelling kept is the newer one. Stable words
never change, whatever later decodes say: a hypothesis is aligned with them by edit distance, so a
revised, lost or added word before the stable end neither doubles nor swallows the words after it.
Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def fold(word: str) -> str:
    """The word as it is compared: no case, no punctuation (a bare sign stays itself)."""
    return "".join(c for c in word.casefold() if c.isalnum() or _is_vowel_sign(c)) or word


def _is_vowel_sign(char: str) -> bool:
    """Of Hindi, Thai ...: no letter for Python, and yet what tells two words apart."""
    return not char.isascii() and unicodedata.category(char)[0] == "M"


def matched_length(reference: Sequence[str], words: Sequence[str]) -> int:
    """How many leading `words` (normalize_text) stand for `reference`: the prefix with the least
    edit distance to it; among equals one that ends in the same word, then the nearest in length."""
    same = _same_length(reference, words)  # mostly all: the rest takes the product of both lengths
    reference_rest, words_rest = reference[same:], words[same:]
    row = list(range(len(words_rest) + 1))  # distance of the empty reference to every prefix
    for n, wanted in enumerate(reference_rest, start=1):
        previous, row[0] = row[0], n
        for j, word in enumerate(words_rest, start=1):
            substituted = previous + (wanted != word)
            previous = row[j]
            row[j] = min(substituted, row[j] + 1, row[j - 1] + 1)
    last = reference[-1:]
    return min(
        range(same, len(words) + 1),
        key=lambda j: (row[j - same], words[max(j - 1, 0) : j] != last, abs(j - len(reference)), j),
    )


def _same_length(first: Sequence[str], second: Sequence[str]) -> int:
    pairs = zip(first, second, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def common_prefix(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the normalize_text prefix that both share."""
    pairs = zip(first, second, strict=False)
    return next(
        (n for n, (a, b) in enumerate(pairs) if fold(a) != fold(b)), min(len(first), len(second))
    )


class LocalAgreement:
    """The words of one utterance as they firm up. An utterance is decoded in pieces (one, unless
    it is longer than the model's window); `update` takes each decode of the current piece."""

    def __init__(self) -> None:
        self._closed: list[str] = []  # stable words of earlier pieces
        self._stable: list[str] = []  # stable words of the current piece
        self._tentative: list[str] = []

    @property
    def stable(self) -> tuple[str, ...]:
        """Words that will not change; only ever appended to."""
        return (*self._closed, *self._stable)

    @property
    def tentative(self) -> tuple[str, ...]:
        """What the newest decode heard after the stable words."""
        return tuple(self._tentative)

    def update(self, words: Sequence[str], *, ended: bool = True) -> None:
        """Take the newest decode of the whole current piece. Not `ended`: the audio may stop in the
        middle of the last word, and two decodes of half a word agree easily; it stays tentative."""
        rest = words[self._covered(words) :]
        agreed = min(common_prefix(self._tentative, rest), max(len(rest) - (not ended), 0))
        self._stable += rest[:agreed]
        self._tentative = list(rest[agreed:])

    def close(self, words: Sequence[str]) -> None:
        """The current piece ends, and `words` is its text. All of it is stable now. Stable words
        beyond it (heard after the point where the audio was cut) open the next piece."""
        spoken = matched_length([fold(w) for w in words], [fold(w) for w in self._stable])
        if spoken == len(self._stable):
            self._closed += [*self._stable, *words[self._covered(words) :]]
            self._stable = []
        else:
            self._closed += self._stable[:spoken]
            self._stable = self._stable[spoken:]
        self._tentative = []

    def _covered(self, words: Sequence[str]) -> int:
        return matched_length([fold(w) for w in self._stable], [fold(w) for w in words])
