"""What a session asks of a synthesizer. The whole contract; engines live in `tts/engines/`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from voicepipe.audio.pcm import Int16


@dataclass(frozen=True, slots=True)
class Voice:
    """Which voice, how fast. `name` "" is the engine's default voice."""

    name: str = ""
    speed: float = 1.0  # 0.25..4, 1 = the voice's own pace
    language: str | None = None  # of what it says, ISO 639-1; None: not known


@dataclass(frozen=True, slots=True)
class WordTime:
    """Where a word starts in the clause's audio: `char` offset into the clause text, seconds from
    the clause's first sample."""

    char: int
    length: int
    start_s: float


@dataclass(frozen=True, slots=True)
class Speech:
    """A chunk of audio at the engine's `sample_rate`, with the words that start inside it.

    `planned_s`: simulated engines say what the first chunk was meant to take; else None.
    `route`: on the first chunk, what wrappers (fallback, cache) decided, by stage, for the ledger.
    """

    pcm: Int16
    words: tuple[WordTime, ...] = ()
    planned_s: float | None = None
    route: Mapping[str, str] = field(default_factory=dict, compare=False)


class Synthesizer(Protocol):
    """An engine, shared by all sessions."""

    name: str
    sample_rate: int  # Hz; valid after `start`

    async def start(self) -> None:
        """Load and warm up. Raises EngineUnavailable naming what is missing and how to get it."""
        ...

    def stream(self, clause: str, voice: Voice) -> AsyncIterator[Speech]:
        """Speak one clause; the first chunk comes as early as the engine can. Closing the iterator
        stops the work. Raises EngineError(stage="tts")."""
        ...

    def voices(self) -> tuple[str, ...]:
        """Names that `Voice.name` may take."""
        ...

    async def aclose(self) -> None: ...
