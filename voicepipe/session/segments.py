"""A transcript in stretches: a sentence each, or what lies between two pauses. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voicepipe.asr.contract import Transcript, Word

PAUSE_S = 0.6
"""Silence between two words that parts them; hesitations inside a sentence are shorter."""

_ENDS = (".", "?", "!", "…", "。", "？", "！", "।", "؟")


@dataclass(frozen=True, slots=True)
class Segment:
    """Times in seconds from the first sample of the user's audio."""

    text: str
    start_s: float
    end_s: float


def segments(transcript: Transcript) -> tuple[Segment, ...]:
    """In order; none where the recognizer gave no words."""
    texts = [word.text for word in transcript.words]
    space = " " if " ".join(texts) == transcript.text else ""
    return tuple(
        Segment(space.join(word.text for word in words), words[0].start_s, words[-1].end_s)
        for words in _stretches(transcript.words)
    )


def _stretches(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    start = 0
    for at, word in enumerate(words, start=1):
        last = at == len(words)
        if last or word.text.endswith(_ENDS) or words[at].start_s - word.end_s >= PAUSE_S:
            yield words[start:at]
            start = at
