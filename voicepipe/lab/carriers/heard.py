"""What a caller heard, and when."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from voicepipe.audio.pcm import Int16

AUDIBLE = 60
"""Peak of a sample that a listener can hear: about -55 dB of full scale."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One entry of a call's time line. `at`: seconds of the call's clock."""

    at: float
    what: str  # "connected", "said", "dtmf", "audio", "mark", "clear", "closed" ...
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """Everything played to the caller, silence included, so that sample i sounded at
    `began_at + i / rate` seconds of the call's clock. `samples`: int16 [n]."""

    samples: Int16
    rate: int
    began_at: float
    time_line: tuple[Happening, ...] = field(default=())

    @property
    def until(self) -> float:
        """When the last sample ended."""
        return self.began_at + self.samples.size / self.rate

    def between(self, start: float, end: float) -> Int16:
        """What sounded from `start` to `end`."""
        first, last = (max(0, round((at - self.began_at) * self.rate)) for at in (start, end))
        return self.samples[first:last]

    def spans(self, gap_ms: float = 300.0) -> list[tuple[float, float]]:
        """Stretches of sound as (start, end); quiet of less than `gap_ms` does not part them."""
        loud = np.flatnonzero(np.abs(self.samples.astype(np.int32)) > AUDIBLE)
        if not loud.size:
            return []
        breaks = np.flatnonzero(np.diff(loud) > gap_ms * self.rate / 1000)
        starts = loud[np.concatenate(([0], breaks + 1))]
        ends = loud[np.concatenate((breaks, [loud.size - 1]))] + 1
        return [
            (self.began_at + float(a) / self.rate, self.began_at + float(b) / self.rate)
            for a, b in zip(starts, ends, strict=True)
        ]

    def sound_after(self, at: float) -> float | None:
        """When the first audible sample at or after `at` sounded."""
        return next((max(at, start) for start, end in self.spans(20.0) if end > at), None)

    def silent_from(self, at: float, for_ms: float = 500.0) -> float | None:
        """From when on, not before `at`, nothing was heard for `for_ms`; None if that never was."""
        quiet_at = at
        for start, end in self.spans(20.0):
            if end <= quiet_at:
                continue
            if start - quiet_at >= for_ms / 1000:
                break
            quiet_at = end
        return quiet_at if self.until - quiet_at >= for_ms / 1000 else None
