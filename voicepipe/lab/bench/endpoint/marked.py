"""Recordings whose pauses and turn ends are marked: one turn each, a manifest beside them.

`manifest.jsonl` has one JSON object a line:

    {"file": "0002.wav", "speaker": "anna", "segments": [
        {"start_s": 0.50, "end_s": 1.42, "text": "set a timer for", "then": "pause"},
        {"start_s": 2.10, "end_s": 2.65, "text": "set a timer for ten minutes", "then": "end"}]}

A segment is speech between two silences; `text` is all that was said so far, as a recognizer would
write it; `then` says what its silence is. Recordings of one speaker are one session, in the order
of the manifest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voicepipe.audio import files
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.runtime.errors import VoicepipeError

MANIFEST = "manifest.jsonl"


class MarkedError(VoicepipeError):
    """Marked recordings cannot be used; the message names the file and line."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Speech between two silences, ms from the recording's start; `words`: those in it alone."""

    start_ms: float
    end_ms: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MarkedTurn:
    """One recording. `samples`: int16 [n], 16 kHz."""

    name: str
    speaker: str
    samples: Int16
    segments: tuple[Segment, ...]

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
            letters = sum(len(word) + 1 for word in segment.words)
            said = 0
            for word in segment.words:
                said += len(word) + 1
                share = said / letters
                found.append((segment.start_ms + share * (segment.end_ms - segment.start_ms), word))
        return tuple(found)


def load(folder: Path) -> tuple[MarkedTurn, ...]:
    """All recordings of a folder. Raises MarkedError, or AudioFileError for a sound file."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise MarkedError(
            f"{manifest}: no such file; make recordings with "
            f"`python scripts/make_endpoint_recordings.py {folder}`, or write a manifest for your "
            "own as docs/endpointing.md says"
        )
    turns = tuple(
        _turn(folder, line, f"{manifest}, line {number}")
        for number, line in enumerate(manifest.read_text(encoding="utf-8").splitlines(), 1)
        if line.strip()
    )
    if not turns:
        raise MarkedError(f"{manifest}: it lists no recording")
    return turns


def _turn(folder: Path, line: str, where: str) -> MarkedTurn:
    try:
        entry = json.loads(line)
        name, speaker = str(entry["file"]), str(entry.get("speaker", ""))
        segments = _segments(entry["segments"])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise MarkedError(
            f'{where}: expected "file" and "segments", each with "start_s", "end_s", "text" and '
            f'"then" ({type(error).__name__}: {error})'
        ) from None
    samples = files.read(folder / name)
    if segments[-1].end_ms > samples.size * 1000 / SAMPLE_RATE + 1:
        raise MarkedError(f"{where}: a segment ends after {name} does")
    return MarkedTurn(name, speaker, samples, segments)


def _segments(entries: Iterable[dict[str, Any]]) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    words_before, at, then = 0, 0.0, "pause"
    for entry in entries:
        start_ms, end_ms = float(entry["start_s"]) * 1000, float(entry["end_s"]) * 1000
        if then != "pause" or not at <= start_ms < end_ms:
            raise ValueError('segments must follow each other, and "end" comes last')
        words = str(entry["text"]).split()
        segments.append(Segment(start_ms, end_ms, tuple(words[words_before:])))
        words_before, at, then = len(words), end_ms, str(entry["then"])
    if then != "end":
        raise ValueError('the last segment must have "then": "end"')
    return tuple(segments)
