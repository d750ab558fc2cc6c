"""One clause's audio from one rate to another."""

from __future__ import annotations

from voicepipe.audio.pcm import Int16
from voicepipe.audio.resample import DELAY_MS, Resampler


class ClauseRate:
    """The resampler's delay is taken off the clause's beginning, so that word times stay true."""

    def __init__(self, in_rate: int, out_rate: int) -> None:
        self._resampler = Resampler(in_rate, out_rate)
        self._skip = 0 if in_rate == out_rate else round(DELAY_MS / 1000 * out_rate)

    def convert(self, pcm: Int16) -> Int16:
        """int16 [n] at the first rate to what is ready at the second."""
        out = self._resampler.process(pcm)
        skipped = min(self._skip, out.size)
        self._skip -= skipped
        return out[skipped:]

    def tail(self) -> Int16:
        """What is still on its way, when the clause is over."""
        return self._resampler.flush()
