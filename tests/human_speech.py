"""Recordings of people, which lie beside the repository where there are any (../shared/human)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from voicepipe.audio import files
from voicepipe.audio.pcm import Int16

FOLDER = Path(__file__).parents[2] / "shared" / "human"
ABSENT = f"NOT RUN: no recordings of people in {FOLDER.parent.name}/{FOLDER.name}"


@dataclass(frozen=True)
class Recording:
    """What one person said."""

    text: str
    pcm: Int16  # 16 kHz


def needs_people() -> pytest.MarkDecorator:
    """For tests of what only people can show."""
    return pytest.mark.skipif(not (FOLDER / "manifest.jsonl").is_file(), reason=ABSENT)


@cache
def recordings(kind: str, count: int) -> tuple[Recording, ...]:
    """`count` of a set ("words", "numbers", "librispeech" ...), spread over it."""
    entries = [json.loads(line) for line in (FOLDER / "manifest.jsonl").read_text().splitlines()]
    ours = [entry for entry in entries if entry["set"] == kind]
    return tuple(
        Recording(entry["text"], files.read(FOLDER / entry["file"]))
        for entry in ours[:: max(1, len(ours) // count)][:count]
    )
