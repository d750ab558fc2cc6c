"""What was used of a named key: one session's part, and the sum."""

from __future__ import annotations

from dataclasses import dataclass

from voicepipe.ledger.records import TurnRecord
from voicepipe.session.events import SessionEvent, TextDelta


@dataclass(slots=True)
class Used:
    """Since the session began, or the process."""

    connected_s: float = 0.0
    heard_s: float = 0.0  # of the users' speech, recognized
    spoken_s: float = 0.0  # of the agent's
    spoken_chars: int = 0  # that were spoken, greetings and what was interrupted included
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def turn(self, record: TurnRecord) -> None:
        """A turn was written down."""
        self.heard_s += record.user_audio_ms / 1000
        self.spoken_s += record.audio_ms / 1000
        self.prompt_tokens += record.tokens.get("prompt", 0)
        self.completion_tokens += record.tokens.get("completion", 0)

    def __str__(self) -> str:
        return (
            f"{self.connected_s:.1f} s connected, {self.heard_s:.1f} s heard, "
            f"{self.spoken_s:.1f} s and {self.spoken_chars} characters spoken, "
            f"{self.prompt_tokens} + {self.completion_tokens} tokens"
        )


class SpokenChars:
    """Listens to a session, and counts what its agent says into each of `counts`."""

    def __init__(self, *counts: Used) -> None:
        self._counts = counts

    def told(self, event: SessionEvent) -> None:
        """See `Listener`."""
        if type(event) is TextDelta and event.kind == "audio":
            for count in self._counts:
                count.spoken_chars += len(event.delta)

    def heard(self, audio: bytes) -> None:
        """See `Listener`: its seconds are known from the turns."""
