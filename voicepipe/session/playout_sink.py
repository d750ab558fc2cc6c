"""The sink: where the agent's audio is played when the server drives the playback - a browser's
WebRTC track, a carrier's stream. A WebSocket client that plays by itself has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class PlayoutSink(Protocol):
    """One listener. The session plays, marks and flushes; the sink knows what was heard."""

    @property
    def lead_ms(self) -> float:
        """How far ahead of playback the sink wants its audio: what a flush must be able to undo.
        20 ms is the least."""
        ...

    @property
    def given_ms(self) -> float:
        """Audio taken by `play` since the call began, less what was flushed."""
        ...

    def play(self, audio: bytes, duration_ms: float, left: Callable[[], None]) -> None:
        """Queue wire audio (in the session's output format) behind what is queued, at once and
        without waiting. `left` is called when its first sample leaves the server: here and now, or
        when its turn comes; never, if a flush drops it before."""
        ...

    def expect(self) -> None:
        """A reply may begin any moment: be ready to let its first sample out at once."""
        ...

    def flush(self) -> float:
        """Drop what has not been heard; returns `heard_ms()`, which `given_ms` then equals."""
        ...

    def heard_ms(self) -> float:
        """How much of `given_ms` has been heard, as far as the sink can know; never less than it
        said before."""
        ...

    def finished(self) -> None:
        """The reply is complete: nothing follows until the next one. A carrier's sink asks for a
        mark here."""
        ...
