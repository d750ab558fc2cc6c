"""A playout sink for listeners that report nothing: what they heard is estimated from the clock."""

from __future__ import annotations

from collections.abc import Callable

from voicepipe.runtime.clock import Clock
from voicepipe.session.audio_output import PlaybackClock


class TimedSink:
    """A sink that sends at once and estimates what was heard: for listeners that report nothing."""

    def __init__(
        self, clock: Clock, lead_ms: float, send: Callable[[bytes], None], clear: Callable[[], None]
    ) -> None:
        """`send` puts wire audio on the way; `clear` makes the listener forget what it holds."""
        self.lead_ms = lead_ms
        self._playback = PlaybackClock(clock)
        self._send, self._clear = send, clear

    @property
    def given_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._playback.given_ms

    def play(self, audio: bytes, duration_ms: float, left: Callable[[], None]) -> None:
        """See `PlayoutSink`."""
        self._send(audio)
        self._playback.give(duration_ms)
        left()

    def expect(self) -> None:
        """See `PlayoutSink`."""

    def flush(self) -> float:
        """See `PlayoutSink`."""
        self._clear()
        return self._playback.flush()

    def heard_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._playback.heard_ms()

    def finished(self) -> None:
        """See `PlayoutSink`."""
