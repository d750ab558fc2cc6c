"""What the caller heard of a reply, given how far its audio was played."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voicepipe.languages.script import SPOKEN_UNIT


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """Where a word starts, in characters of the reply and in milliseconds of its audio."""

    text_start: int
    audio_start_ms: float


@dataclass(frozen=True, slots=True)
class SpokenSpan:
    """A stretch of the reply's text and the stretch of its audio that says it.

    Characters `[text_start, text_end)`, milliseconds from the reply's first sample. `words` are the
    word starts the synthesizer knows; between them (or without any) time runs evenly over the
    characters. Raises ValueError where an end lies before its start.
    """

    text_start: int
    text_end: int
    audio_start_ms: float
    audio_end_ms: float
    words: tuple[SpokenWord, ...] = ()

    def __post_init__(self) -> None:
        if self.text_end < self.text_start or self.audio_end_ms < self.audio_start_ms:
            raise ValueError(
                f"a span cannot end before it starts: text {self.text_start}..{self.text_end}, "
                f"audio {self.audio_start_ms}..{self.audio_end_ms} ms"
            )


def heard_text(text: str, spans: Sequence[SpokenSpan], played_ms: float) -> str:
    """The part of `text` heard after `played_ms` of its audio: always a prefix, cut after a word.

    A word counts once half of it has been played. Text that no span covers was never spoken, but
    is kept where a later word was heard (a synthesizer skips emoji and markdown). The result grows
    with `played_ms` and is the whole of `text` once all its words were played.
    """
    if played_ms <= 0:
        return ""
    heard_to = 0
    last_word_end = 0
    clock = _TextClock(spans)
    for word in SPOKEN_UNIT.finditer(text):
        last_word_end = word.end()
        middle_ms = clock.middle_ms(word.start(), word.end())
        if middle_ms is not None and played_ms >= middle_ms:
            heard_to = word.end()
    return text if heard_to and heard_to == last_word_end else text[:heard_to]


def spoken_evenly(text: str, duration_ms: float) -> tuple[SpokenSpan, ...]:
    """The best guess where no spans were kept: the whole text spread over the whole audio."""
    return (SpokenSpan(0, len(text), 0.0, max(duration_ms, 0.0)),) if text else ()


class _TextClock:
    """Maps characters of the reply to milliseconds of its audio."""

    def __init__(self, spans: Iterable[SpokenSpan]) -> None:
        self._spans = sorted(
            (s for s in spans if s.text_end > s.text_start), key=lambda s: s.text_start
        )
        self._starts = [s.text_start for s in self._spans]
        self._anchors = [_anchors(s) for s in self._spans]

    def middle_ms(self, start: int, end: int) -> float | None:
        """When half of the word `[start, end)` has been said; None if it is (partly) unspoken."""
        first = self._span_at(start)
        last = self._span_at(end - 1)
        if first is None or last is None:
            return None
        begin_ms = _interpolate(self._anchors[first], start)
        end_ms = _interpolate(self._anchors[last], end)
        return (begin_ms + max(begin_ms, end_ms)) / 2

    def _span_at(self, char: int) -> int | None:
        index = bisect_right(self._starts, char) - 1
        return index if index >= 0 and char < self._spans[index].text_end else None


def _anchors(span: SpokenSpan) -> list[tuple[int, float]]:
    """(character, ms) pairs, both never falling: a span's ends and the known words between."""
    anchors = [(span.text_start, span.audio_start_ms)]
    for word in sorted(span.words, key=lambda w: w.text_start):
        if span.text_start <= word.text_start < span.text_end:
            at_ms = min(max(word.audio_start_ms, anchors[-1][1]), span.audio_end_ms)
            anchors.append((word.text_start, at_ms))
    anchors.append((span.text_end, span.audio_end_ms))
    return anchors


def _interpolate(anchors: list[tuple[int, float]], char: int) -> float:
    """Time of the boundary before `char`; of two anchors at one character the later one counts."""
    index = bisect_right(anchors, char, key=lambda a: a[0]) - 1
    at, at_ms = anchors[index]
    if index + 1 == len(anchors):
        return at_ms
    following, following_ms = anchors[index + 1]
    return at_ms + (char - at) / (following - at) * (following_ms - at_ms)
