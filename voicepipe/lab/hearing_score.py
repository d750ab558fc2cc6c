"""How well words were heard: errors against a reference, rates with Wilson's intervals. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

DIGITS = "zero one two three four five six seven eight nine".split()
_TIMES = {"double": 2, "triple": 3}
_Z = 1.96  # of a 95 % interval


def normal(text: str) -> list[str]:
    """The words of a text as they are compared: lower case, digits as words. An apostrophe at a
    word's edge is a quotation mark."""
    text = re.sub(r"\d", lambda digit: f" {DIGITS[int(digit[0])]} ", text.lower())
    words = re.sub(r"[^a-z' ]", " ", text.replace("\u2019", "'")).split()
    return [bare for word in words if (bare := word.strip("'"))]


def digits(words: Sequence[str]) -> list[str]:
    """The digits among them: "oh" is zero, "double one" is two of them."""
    found: list[str] = []
    times = 1
    for word in words:
        digit = "zero" if word in ("oh", "o") else word
        if digit in DIGITS:
            found += [digit] * times
        times = _TIMES.get(word, 1)
    return found


def word_errors(reference: Sequence[str], heard: Sequence[str]) -> int:
    """Words wrong, missing or too many: the least number of edits."""
    row = list(range(len(heard) + 1))
    for n, wanted in enumerate(reference, 1):
        before, row[0] = row[0], n
        for m, word in enumerate(heard, 1):
            before, row[m] = row[m], min(row[m] + 1, row[m - 1] + 1, before + (wanted != word))
    return row[-1]


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` of `of`."""

    count: int
    of: int

    @property
    def share(self) -> float:
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, 95 %: where the true share lies if the trials are independent."""
        if not self.of:
            return 0.0, 1.0
        share, z2 = min(self.share, 1.0), _Z**2
        middle = (share + z2 / (2 * self.of)) / (1 + z2 / self.of)
        half = _Z * math.sqrt(share * (1 - share) / self.of + z2 / (4 * self.of**2))
        half /= 1 + z2 / self.of
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval
        around = f"{100 * low:.0f}-{100 * high:.0f}"
        return f"{100 * self.share:.1f} % ({self.count}/{self.of}; {around})"
