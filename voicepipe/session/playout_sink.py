"""The sink: where the agent's audio is played when the server drives the playback - a browser's
WebRTC track, a carrier's stream. A WebSocket client that plays by itself has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from voicepipe.runtime.clock import Clock


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


class PlaybackClock:
    """What a listener must have heard by now: audio is played from its arrival on, without gaps
    while there is any. An estimate for sinks that are not told, and for clients that buffer.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_at: float | None = None  # when playback would have begun without gaps
        self.given_ms = 0.0

    def give(self, duration_ms: float) -> None:
        """The listener has been handed so much more."""
        now = self._clock.now()
        if self._began_at is None or self.heard_ms() >= self.given_ms:  # it had run dry
            self._began_at = now - self.given_ms / 1000
        self.given_ms += duration_ms

    def heard_ms(self) -> float:
        """Of all that was given."""
        if self._began_at is None:
            return 0.0
        return min(self.given_ms, max(0.0, (self._clock.now() - self._began_at) * 1000))

    def take_back(self, ms: float) -> None:
        """So much of what was given will not be played."""
        self.given_ms = max(self.heard_ms(), self.given_ms - ms)

    def flush(self) -> float:
        """The listener forgets the rest; returns what it has heard."""
        self.given_ms = self.heard_ms()
        return self.given_ms
