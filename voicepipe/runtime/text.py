"""What two texts must share to mean the same, however each was written down. Pure."""

from __future__ import annotations

import re
import unicodedata

_APOSTROPHES = str.maketrans("’ʼ`´", "''''")
_MARKS = "\u0300-\u036f"  # accents that were not composed
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_SOUTH_EAST_ASIAN = "\u0e01-\u0e4e\u0e50-\u0e59\u0e81-\u0ede\u1000-\u109f\u1780-\u17d3"
# A vowel sign of Hindi or Thai is no letter for Python, and yet what tells two words apart.
_LETTER = f"(?:[^\\W_]|[{_MARKS}{_INDIC}{_SOUTH_EAST_ASIAN}])"
_POINTS = dict.fromkeys((*range(0x0591, 0x05C8), *range(0x064B, 0x0653), 0x0640, 0x0670))
"""Vowels of Hebrew and Arabic, written or not; for `str.translate`, which leaves them out."""
_WORD = re.compile(f"{_LETTER}+(?:'{_LETTER}+)*")
_PUNCTUATION = frozenset(".,;:!?…-–—'\"`´‘’‚“”„«»‹›()¿¡。、，．；：！？「」『』・؟،؛।॥")
"""Of sentences: without it they say the same."""


def normalize_text(text: str) -> str:
    """The words alone: no case, no punctuation, single spaces.

    An apostrophe within a word belongs to it, whichever character writes it: "it's" is not "its".
    At a word's edge it is a quotation mark, as good as none.
    """
    plain = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    plain = plain if plain.isascii() else plain.translate(_POINTS)
    return " ".join(_WORD.findall(plain))


def what_is_said(text: str) -> str:
    """The same for texts that say the same, however they are written: the words alone, but where
    there are figures or signs beside them all but case, spaces and the marks at the end."""
    if _only_words(text):
        return normalize_text(text)
    return " ".join(text.casefold().split()).rstrip(".,;:!?… ")


def _only_words(text: str) -> bool:
    """Whether its words are all that it says: of digits and symbols `normalize_text` drops what
    tells "-5" from "5" and "C++" from "C"."""
    return not any(unicodedata.category(c)[0] in "NSP" for c in text if c not in _PUNCTUATION)
