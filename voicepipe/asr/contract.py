"""What a session asks of a recognizer. The whole contract; engines live in `asr/engines/`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from voicepipe.audio.pcm import Int16

if TYPE_CHECKING:
    from voicepipe.asr.language import SpokenLanguage


@dataclass(frozen=True, slots=True)
class AsrOptions:
    """Per-utterance wishes."""

    language: str | None = None  # ISO 639-1; None = the engine's default, else detected
    spoken: SpokenLanguage | None = None  # the session's memory of a detected language
    partials: bool = True  # want hypotheses while the user speaks
    prompt: str | None = None  # text that came before, or words to expect
    word_times: bool = False  # measure the final's word times (one more pass); else an estimate


@dataclass(frozen=True, slots=True)
class Word:
    """One recognized word; times in seconds from the first sample fed to the utterance."""

    text: str
    start_s: float
    end_s: float
    confidence: float  # 0..1


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What has been heard so far. `stable` only ever grows; `tentative` may change."""

    stable: str
    tentative: str
    audio_s: float  # how much audio it covers
    space: str = " "  # between words; "" in languages that have none there
    confidence: float = 1.0  # 0..1, mean over tokens; engines that cannot tell leave it

    @property
    def text(self) -> str:
        return f"{self.stable}{self.space}{self.tentative}".strip()


@dataclass(frozen=True, slots=True)
class Transcript:
    """The recognizer's word on an utterance. Empty `text` means: no speech worth answering."""

    text: str
    words: tuple[Word, ...] = ()
    language: str | None = None
    confidence: float = 1.0  # 0..1, mean over tokens
    audio_s: float = 0.0  # audio decoded
    work_s: float = 0.0  # engine time spent on it, without queue wait
    queue_s: float = 0.0  # time it waited for the engine
    planned_s: float | None = None  # simulated engines: what it was meant to take
    refused: str | None = None  # why text was withheld: "silence", "noise", "loop"
    route: Mapping[str, str] = field(default_factory=dict, compare=False)  # a wrapper's decision


class Utterance(Protocol):
    """One stretch of user speech being recognized."""

    def feed(self, pcm: Int16) -> None:
        """Add audio: int16 [n], 16 kHz, any length. Never blocks, never awaits."""
        ...

    def hypotheses(self) -> AsyncIterator[Hypothesis]:
        """Yield partial results as they come; ends at `cancel` or after `close`. One consumer."""
        ...

    async def final(self) -> Transcript:
        """Transcript of everything fed up to this call. May be called again after more audio was
        fed (the user went on): the next call covers all of it. Cancelling the await drops the
        pending decode. Raises EngineError(stage="asr")."""
        ...

    def cancel(self) -> None:
        """Drop all pending work and free the audio. Idempotent; ends `hypotheses`."""
        ...


class Recognizer(Protocol):
    """An engine, shared by all sessions."""

    name: str

    async def start(self) -> None:
        """Load and warm up. Raises EngineUnavailable naming what is missing and how to get it."""
        ...

    def open(self, options: AsrOptions) -> Utterance: ...

    async def aclose(self) -> None: ...
