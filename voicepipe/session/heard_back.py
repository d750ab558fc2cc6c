"""What the listener plays, told to what takes it out of their line again."""

from __future__ import annotations

from collections.abc import Callable

from voicepipe.runtime.clock import Clock
from voicepipe.session.playout_sink import PlaybackClock, PlayoutSink
from voicepipe.session.turn_detection_audio import TurnDetectionAudio


class SinkHeardBack:
    """See `PlayoutSink`. Audio counts as played when it leaves the server: the way back is as long
    then for all of it."""

    def __init__(self, sink: PlayoutSink, detection_audio: TurnDetectionAudio) -> None:
        self._sink, self._detection_audio = sink, detection_audio
        self._left_ms = 0.0  # of what was given

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

        def leaves() -> None:
            self._left_ms += duration_ms
            self._detection_audio.played(audio)
            left()

        self._sink.play(audio, duration_ms, leaves)

    def expect(self) -> None:
        """See `PlayoutSink`."""
        self._sink.expect()

    def flush(self) -> float:
        """See `PlayoutSink`."""
        heard_ms = self._sink.flush()
        self._detection_audio.taken_back(max(0.0, self._left_ms - heard_ms))
        self._left_ms = heard_ms
        return heard_ms

    def heard_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._sink.heard_ms()

    def finished(self) -> None:
        """See `PlayoutSink`."""
        self._sink.finished()


class PlaybackHeardBack(PlaybackClock):
    """Of a client that plays by itself."""

    def __init__(self, clock: Clock, detection_audio: TurnDetectionAudio) -> None:
        super().__init__(clock)
        self._detection_audio = detection_audio

    def give(self, duration_ms: float, audio: bytes = b"") -> None:
        """See `PlaybackClock`."""
        super().give(duration_ms, audio)
        self._detection_audio.played(audio)

    def take_back(self, ms: float) -> None:
        """See `PlaybackClock`."""
        super().take_back(ms)
        self._detection_audio.taken_back(ms)
