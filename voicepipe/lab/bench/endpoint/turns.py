"""What a marked recording is, whoever marked it."""

from __future__ import annotations

from dataclasses import dataclass

from voicepipe.audio.pcm import Int16


@dataclass(frozen=True, slots=True)
class Segment:
    """Speech between two silences, ms from the recording's start; `words`: those in it alone."""

    start_ms: float
    end_ms: float
    words: tuple[str, ...]
    ends_ms: tuple[float, ...] = ()  # of each word, where that is known


@dataclass(frozen=True, slots=True)
class MarkedTurn:
    """One recording. `samples`: int16 [n], 16 kHz."""

    name: str
    speaker: str
    samples: Int16
    segments: tuple[Segment, ...]
    language: str | None = None  # ISO 639-1; None: the settings'

    @property
    def end_ms(self) -> float:
        """Where the turn really ends."""
        return self.segments[-1].end_ms

    @property
    def pauses(self) -> tuple[tuple[float, float], ...]:
        """(start, end) of the silences that are none, ms."""
        between = zip(self.segments, self.segments[1:], strict=False)
        return tuple((before.end_ms, after.start_ms) for before, after in between)

    def words(self) -> tuple[tuple[float, str], ...]:
        """(end in ms, word): a segment's words, spread over it by their length."""
        found: list[tuple[float, str]] = []
        for segment in self.segments:
            if segment.ends_ms:
                found += zip(segment.ends_ms, segment.words, strict=True)
                continue
            letters = sum(len(word) + 1 for word in segment.words)
            said = 0
            for word in segment.words:
                said += len(word) + 1
                share = said / letters
                found.append((segment.start_ms + share * (segment.end_ms - segment.start_ms), word))
        return tuple(found)
