"""Marks and letters of the world's scripts, whatever the language. Pure."""

from __future__ import annotations

import re

SPACED_ENDS = ".!?…؟۔።"
"""End a sentence; whitespace stands behind them."""

UNSPACED_ENDS = "。！？｡।॥။"
"""End a sentence; the next may begin at once."""

SENTENCE_ENDS = SPACED_ENDS + UNSPACED_ENDS
QUESTIONS = "?？؟;" + "\u037e"
UNSPACED_PAUSES = "、，；："
SPACED_PAUSES = ",;:—–،؛"
PAUSES = SPACED_PAUSES + UNSPACED_PAUSES

CLOSERS = "\"'”’»)]}*_~`”’」』）》）】"
OPENERS = "\"'“‘([{*_~«„「『（《【¿¡"

EDGES = SENTENCE_ENDS + PAUSES + CLOSERS + OPENERS + "-‐ \t\n\u00a0\u200b\u200e\u200f"
"""Stand around words and are no part of them."""

_HAN_AND_KANA = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SOUTH_EAST = "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
MARKS_ABOVE = re.compile(
    "[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]"
)
"""Written over or under a letter, and no character to count."""

UNIT = re.compile(f"[{_HAN_AND_KANA}]+|[{_SOUTH_EAST}]+|[^\\s{_HAN_AND_KANA}{_SOUTH_EAST}]+")
"""A word between spaces, or a run of a script that puts none between words."""

SPOKEN_UNIT = re.compile(
    f"[{_HAN_AND_KANA}{_SOUTH_EAST}][\u3001-\u3003\u3008-\u3011\uff01-\uff0f\uff1a-\uff20]*"
    f"|[^\\s{_HAN_AND_KANA}{_SOUTH_EAST}]+"
)
"""The least that is worth timing or counting as heard: a word, or a character of a script that puts
no spaces between words, with its punctuation."""

WIDE = re.compile(f"[{_HAN_AND_KANA}]")
SOUTH_EAST = re.compile(f"[{_SOUTH_EAST}]")
UNSPACED_LETTERS = re.compile(f"[{_HAN_AND_KANA}{_SOUTH_EAST}]")

WIDE_PER_WORD = 2
SOUTH_EAST_PER_WORD = 4
