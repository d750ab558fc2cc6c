"""A leg that tells the call's record what is played, and what is taken back."""

from __future__ import annotations

from collections.abc import Callable

from voicepipe.call_log.open_call import OpenCall
from voicepipe.runtime.clock import Clock
from voicepipe.session.playout_sink import Leg


class RecordedLeg:
    """See `Leg`. `record` is set as soon as there is one."""

    def __init__(self, leg: Leg, clock: Clock) -> None:
        self._leg, self._clock = leg, clock
        self.record: OpenCall | None = None

    @property
    def lead_ms(self) -> float:
        """See `Leg`."""
        return self._leg.lead_ms

    @property
    def given_ms(self) -> float:
        """See `Leg`."""
        return self._leg.given_ms

    def play(self, audio: bytes, duration_ms: float, left: Callable[[], None]) -> None:
        """See `Leg`."""
        if self.record is not None:
            self.record.played_to_caller(audio, self._clock.now())
        self._leg.play(audio, duration_ms, left)

    def flush(self) -> float:
        """See `Leg`."""
        if self.record is not None:
            self.record.flushed(self._clock.now())
        return self._leg.flush()

    def heard_ms(self) -> float:
        """See `Leg`."""
        return self._leg.heard_ms()

    def expect(self) -> None:
        """See `Leg`."""
        self._leg.expect()

    def finished(self) -> None:
        """See `Leg`."""
        self._leg.finished()
