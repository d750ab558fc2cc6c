"""A sink that tells the call's record, and who listens in, what is played and what is taken
back."""

from __future__ import annotations

from collections.abc import Callable

from voicepipe.call_log.open_call import OpenCall
from voicepipe.runtime.clock import Clock
from voicepipe.server.live_calls import LiveCall
from voicepipe.session.playout_sink import PlayoutSink


class RecordedSink:
    """See `PlayoutSink`. `record` and `live` are set as soon as they are there."""

    def __init__(self, sink: PlayoutSink, clock: Clock) -> None:
        self._sink, self._clock = sink, clock
        self.record: OpenCall | None = None
        self.live: LiveCall | None = None

    @property
    def lead_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._sink.lead_ms

    @property
    def given_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._sink.given_ms

    def play(self, audio: bytes, duration_ms: float, left: Callable[[], None]) -> None:
        """See `PlayoutSink`."""
        if self.record is not None:
            self.record.played_to_caller(audio, self._clock.now())
        if self.live is not None:
            self.live.played(audio)
        self._sink.play(audio, duration_ms, left)

    def flush(self) -> float:
        """See `PlayoutSink`."""
        if self.record is not None:
            self.record.flushed(self._clock.now())
        if self.live is not None:
            self.live.flushed()
        return self._sink.flush()

    def heard_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._sink.heard_ms()

    def expect(self) -> None:
        """See `PlayoutSink`."""
        self._sink.expect()

    def finished(self) -> None:
        """See `PlayoutSink`."""
        self._sink.finished()
