"""A listener whose playback the server drives: plays what arrives, forgets the rest when told."""

from __future__ import annotations

from voicepipe.audio.formats import AudioFormat
from voicepipe.lab.timed_sink import TimedSink
from voicepipe.runtime.clock import Clock
from voicepipe.session.audio_output import AudioOutput


async def play_out(output: AudioOutput, data: bytes) -> None:
    """Hand wire audio to an output as a reply does."""
    for piece in output.slices(data):
        await output.room()
        output.hand_over(piece)


class Phone:
    """`sink` is for the session; `heard` is what came out of the loudspeaker, gaps left out."""

    def __init__(self, clock: Clock, wire: AudioFormat, lead_ms: float) -> None:
        self.sink = TimedSink(clock, lead_ms, self._take, self._clear)
        self.pieces: list[tuple[float, bytes]] = []  # as they arrived: monotonic s, wire audio
        self.clears = 0
        self.most_waiting_ms = 0.0
        self.silent_ms = 0.0  # between the first sample and the last
        self._heard = bytearray()
        self._waiting = bytearray()
        self._clock, self._wire = clock, wire
        self._at = clock.now()

    @property
    def heard(self) -> bytes:
        """Up to now."""
        self._play()
        return bytes(self._heard)

    @property
    def heard_ms(self) -> float:
        return self._wire.ms(len(self.heard))

    @property
    def waiting(self) -> bytes:
        """Arrived and not played yet."""
        self._play()
        return bytes(self._waiting)

    def _take(self, data: bytes) -> None:
        self._play()
        self.pieces.append((self._clock.now(), data))
        self._waiting += data
        self.most_waiting_ms = max(self.most_waiting_ms, self._wire.ms(len(self._waiting)))

    def _clear(self) -> None:
        self._play()
        self.clears += 1
        self._waiting.clear()

    def _play(self) -> None:
        now = self._clock.now()
        samples = round((now - self._at) * self._wire.rate)
        size = samples * self._wire.bytes_per_sample
        if size > len(self._waiting) and self._heard:
            self.silent_ms += self._wire.ms(size - len(self._waiting))
        self._heard += self._waiting[:size]
        del self._waiting[:size]
        self._at = now
