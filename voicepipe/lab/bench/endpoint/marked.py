"""Recordings whose pauses and turn ends are marked: one turn each, a manifest beside them.

`manifest.jsonl` has one JSON object a line:

    {"file": "0002.wav", "speaker": "anna", "segments": [
        {"start_s": 0.50, "end_s": 1.42, "text": "set a timer for", "then": "pause"},
        {"start_s": 2.10, "end_s": 2.65, "text": "set a timer for ten minutes", "then": "end"}]}

A segment is speech between two silences; `text` is all that was said so far, as a recognizer would
write it; `then` says what its silence is. `"language": "de"` may stand beside `speaker`. Recordings
of one speaker are one session, in the order of the manifest.

A line may also be a row of eot-bench's data set (`eot_rows.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from voicepipe.audio import files
from voicepipe.audio.pcm import SAMPLE_RATE
from voicepipe.lab.bench.endpoint.eot_rows import eot_turn
from voicepipe.lab.bench.endpoint.turns import MarkedTurn, Segment
from voicepipe.languages.known import language_of
from voicepipe.languages.transcript import split_words
from voicepipe.runtime.errors import VoicepipeError

__all__ = ["MANIFEST", "MarkedError", "MarkedTurn", "Segment", "load"]

MANIFEST = "manifest.jsonl"


class MarkedError(VoicepipeError):
    """Marked recordings cannot be used; the message names the file and line."""


def load(folder: Path) -> tuple[MarkedTurn, ...]:
    """All recordings of a folder. Raises MarkedError, or AudioFileError for a sound file."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise MarkedError(
            f"{manifest}: no such file; make recordings with "
            f"`python scripts/make_endpoint_recordings.py {folder}`, or write a manifest for your "
            "own as docs/endpointing.md says"
        )
    try:
        lines = manifest.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise MarkedError(f"{manifest}: cannot be read as UTF-8 text: {error}") from None
    turns = tuple(
        _turn(folder, line, f"{manifest}, line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    )
    if not turns:
        raise MarkedError(f"{manifest}: it lists no recording")
    return turns


def _turn(folder: Path, line: str, where: str) -> MarkedTurn:
    try:
        entry = json.loads(line)
        if "silence_spans" in entry:
            return eot_turn(folder, entry)
        name, speaker = str(entry["file"]), str(entry.get("speaker", ""))
        language = entry.get("language")
        segments = _segments(entry["segments"], language)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise MarkedError(
            f'{where}: expected "file" and "segments", each with "start_s", "end_s", "text" and '
            f'"then", or a row of eot-bench ({type(error).__name__}: {error})'
        ) from None
    samples = files.read(folder / name)
    if segments[-1].end_ms > samples.size * 1000 / SAMPLE_RATE + 1:
        raise MarkedError(f"{where}: a segment ends after {name} does")
    return MarkedTurn(name, speaker, samples, segments, language)


def _segments(entries: Iterable[dict[str, Any]], language: str | None) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    words_before, at, then = 0, 0.0, "pause"
    for entry in entries:
        start_ms, end_ms = float(entry["start_s"]) * 1000, float(entry["end_s"]) * 1000
        if then != "pause" or not at <= start_ms < end_ms:
            raise ValueError('segments must follow each other, and "end" comes last')
        words = split_words(str(entry["text"]), language_of(language or "en"))
        segments.append(Segment(start_ms, end_ms, tuple(words[words_before:])))
        words_before, at, then = len(words), end_ms, str(entry["then"])
    if then != "end":
        raise ValueError('the last segment must have "then": "end"')
    return tuple(segments)
