"""Who has picked up: a person says "Hello?" and waits, a machine talks on. Pure, by what was heard
of them so far; it decides within `DECIDE_MS`.

Not measured on real lines: a rule of thumb, by how long the first speech lasts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Verdict = Literal["person", "machine"]

DECIDE_MS = 2500
"""Whoever waits longer to hear a voice hangs up."""

HELLO_MS = 1400
"""A person's first words are no longer than that before they wait for an answer."""

PAUSE_MS = 500
"""So much silence after them is waiting."""

TALKS_ON_MS = 1900
"""So much speech without waiting is a machine's greeting."""

OVER_MS = 1200
"""So much silence after a machine's greeting: its tone has come and gone, it records."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Of who has picked up: `at_ms` since then, `speech_ms` of it speech, and how long they have
    been silent just now."""

    at_ms: float = 0.0
    speech_ms: float = 0.0
    silence_ms: float = 0.0


def hear(before: Heard, ms: float, *, speech: bool) -> Heard:
    """After so much more of speech, or of silence."""
    if speech:
        return Heard(before.at_ms + ms, before.speech_ms + ms, 0.0)
    return replace(before, at_ms=before.at_ms + ms, silence_ms=before.silence_ms + ms)


def verdict(heard: Heard) -> Verdict | None:
    """None: it is too early to say."""
    if heard.speech_ms >= TALKS_ON_MS:
        return "machine"
    if heard.speech_ms and heard.silence_ms >= PAUSE_MS:
        return "person" if heard.speech_ms <= HELLO_MS else "machine"
    if heard.at_ms < DECIDE_MS:
        return None
    return "machine" if heard.speech_ms > HELLO_MS else "person"


def greeting_is_over(heard: Heard) -> bool:
    """A machine has said its words and listens."""
    return heard.silence_ms >= OVER_MS
