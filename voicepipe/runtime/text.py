"""What two texts must share to mean the same, however each was written down. Pure."""

from __future__ import annotations

import re
import unicodedata

_APOSTROPHES = str.maketrans("’ʼ`´", "''''")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def normalize_text(text: str) -> str:
    """The words alone: no case, no punctuation, single spaces.

    An apostrophe within a word belongs to it, whichever character writes it: "it's" is not "its".
    At a word's edge it is a quotation mark, as good as none.
    """
    plain = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    return " ".join(_WORD.findall(plain))
