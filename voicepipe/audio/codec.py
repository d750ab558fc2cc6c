"""Between a wire's bytes and samples at a rate of our choice, as streams."""

from __future__ import annotations

from voicepipe.audio import g711, pcm
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.audio.resample import Resampler


class Decoder:
    """Wire bytes to int16 samples at `rate` Hz."""

    def __init__(self, wire: AudioFormat, rate: int) -> None:
        self.wire = wire
        self._resampler = Resampler(wire.rate, rate)

    def decode(self, data: bytes) -> Int16:
        """Raises ValueError where `data` is no whole number of samples."""
        if self.wire.encoding == "pcm16":
            samples = pcm.from_bytes(data)
        else:
            samples = g711.decode(data, self.wire.encoding)
        return self._resampler.process(samples)


class Encoder:
    """int16 samples at `rate` Hz to wire bytes."""

    def __init__(self, rate: int, wire: AudioFormat) -> None:
        self.wire = wire
        self._resampler = Resampler(rate, wire.rate)

    def encode(self, samples: Int16) -> bytes:
        return self._to_wire(self._resampler.process(samples))

    def flush(self) -> bytes:
        """The resampler's tail, at the end of a stretch of speech."""
        return self._to_wire(self._resampler.flush())

    def _to_wire(self, samples: Int16) -> bytes:
        if self.wire.encoding == "pcm16":
            return pcm.to_bytes(samples)
        return g711.encode(samples, self.wire.encoding)
