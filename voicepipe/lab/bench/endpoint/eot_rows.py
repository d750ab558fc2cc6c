"""Rows of eot-bench's data set (livekit/eot-bench-data), as lines of JSON.

Required by its schema: `id`, `language`, `audio`, `silence_spans` (`start` and `end` in seconds;
all but the last are pauses, the last is the turn's end). Optional: `words` (each with `start`,
`end` and `word` or `text`) and `messages`, which nothing here looks at: our text rules judge the
turn alone.

`audio` is what the export made of it: a file's name, `{"path": name}`, `{"bytes": base64}` or
`{"array": [-1..1, ...], "sampling_rate": Hz}`.
"""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.audio import files
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.lab.bench.endpoint.turns import MarkedTurn, Segment

LEAST_PAUSE_S = 0.2
"""Shorter spans are no pauses to eot-bench's metrics, nor are they here."""

Word = tuple[float, float, str]
"""Start and end in seconds."""


def eot_turn(folder: Path, row: Mapping[str, Any]) -> MarkedTurn:
    """Raises ValueError, KeyError or TypeError for a bad row, AudioFileError for its sound."""
    name, samples = str(row["id"]), _samples(folder, row["audio"])
    spans = [(float(span["start"]), float(span["end"])) for span in row["silence_spans"]]
    if not spans:
        raise ValueError("silence_spans is empty: the last one is where the turn ends")
    words = [_word(word) for word in row.get("words") or ()]
    segments = tuple(_segments(_holds(spans), words, spans[-1][0]))
    if segments[-1].end_ms > samples.size * 1000 / SAMPLE_RATE + 1:
        raise ValueError(f"the last of silence_spans begins after the audio of {name} ends")
    return MarkedTurn(name, name, samples, segments, str(row["language"]))


def _holds(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(start, end) for start, end in spans[:-1] if end - start >= LEAST_PAUSE_S]


def _segments(
    holds: Sequence[tuple[float, float]], words: Sequence[Word], end_s: float
) -> Iterator[Segment]:
    """Speech between the silences; a silence before the first word is no pause."""
    begun = words[0][0] if words else 0.0
    holds = [hold for hold in holds if hold[0] > begun]
    starts = [begun, *(end for _, end in holds)]
    ends = [*(start for start, _ in holds), end_s]
    for number, (start_s, until_s) in enumerate(zip(starts, ends, strict=True)):
        if until_s <= start_s:
            raise ValueError("silence_spans must follow each other in time")
        last = number == len(ends) - 1
        inside = [
            word for word in words if (last or word[1] <= until_s + 0.05) and word[1] > start_s
        ]
        ends_ms = tuple(min(end, until_s) * 1000 for _, end, _ in inside)
        said = tuple(text for _, _, text in inside)
        yield Segment(start_s * 1000, until_s * 1000, said, ends_ms)


def _word(word: Mapping[str, Any]) -> Word:
    text = word["word"] if "word" in word else word["text"]
    return float(word["start"]), float(word["end"]), str(text).strip()


def _samples(folder: Path, audio: object) -> Int16:
    if isinstance(audio, Mapping) and audio.get("bytes"):
        return _decoded(str(audio["bytes"]))
    if isinstance(audio, Mapping) and audio.get("array"):
        wave = np.asarray(audio["array"], dtype=np.float64)
        if wave.ndim != 1 or not np.isfinite(wave).all():
            raise ValueError("audio.array must be one list of finite numbers")
        samples = np.clip(np.rint(wave * 32767), -32768, 32767).astype(np.int16)
        return resample(samples, int(audio["sampling_rate"]), SAMPLE_RATE)
    name = audio["path"] if isinstance(audio, Mapping) else audio
    return files.read(folder / str(name))


def _decoded(text: str) -> Int16:
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"audio.bytes is not base64: {error}") from None
    with tempfile.NamedTemporaryFile(suffix=".audio") as file:
        file.write(data)
        file.flush()
        return files.read(Path(file.name))
