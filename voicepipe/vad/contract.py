"""What the audio input ask of a voice detector."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from voicepipe.audio.pcm import Int16


class VoiceDetector(Protocol):
    """One per session; cheap, synchronous, keeps its own state between frames."""

    def probability(self, frame: Int16) -> float:
        """Probability of speech, 0..1, for one 20 ms frame (int16 [320], 16 kHz)."""
        ...

    def reset(self) -> None:
        """Forget the past: the next frame starts a new stream."""
        ...


@runtime_checkable
class AttentiveDetector(VoiceDetector, Protocol):
    """A detector that can listen harder, at a higher cost, while it matters."""

    def attend(self, on: bool) -> None:
        """On: the agent is audible, so a first doubt should come early, as a low probability. Off:
        only the surest speech counts again."""
        ...


class EndOfTurnModel(Protocol):
    """Hears whether a turn is over. One per process; called from threads, so it must bear that."""

    def probability(self, speech: Int16) -> float:
        """Probability, 0..1, that `speech` (int16 [n], 16 kHz, a turn up to the silence after it)
        is a whole turn. May block for some 10 ms. Raises EngineError(stage="vad")."""
        ...
