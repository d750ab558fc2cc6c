"""Where the user's speech began and ended: the last boundaries between speech and silence."""

from __future__ import annotations

from collections import deque

MAX_BOUNDARIES = 512
"""Kept: more than a turn of a minute has, unless the detector flickers; the oldest go first."""

Runs = tuple[tuple[int, int], ...]
"""(speech_ms, silence_ms) one after the other."""


class SpeechRuns:
    """Written at boundaries only, never per frame. Times in ms of stream time."""

    __slots__ = ("_at_ms",)

    def __init__(self) -> None:
        self._at_ms: deque[tuple[int, bool]] = deque(maxlen=MAX_BOUNDARIES)  # when, into speech

    def began(self, at_ms: int) -> None:
        """The first frame of a stretch of speech starts at `at_ms`."""
        self._at_ms.append((at_ms, True))

    def ended(self, at_ms: int) -> None:
        """Its last frame ended at `at_ms`; nothing if the user was silent already."""
        if self._at_ms and self._at_ms[-1][1]:
            self._at_ms.append((at_ms, False))

    def between(self, start_ms: int, now_ms: int) -> Runs:
        """From the speech that began at or after `start_ms` until `now_ms`; () if its beginning
        is no longer known."""
        if len(self._at_ms) == MAX_BOUNDARIES and self._at_ms[0][0] > start_ms:
            return ()
        kept = [(at, speech) for at, speech in self._at_ms if start_ms <= at < now_ms]
        while kept and not kept[0][1]:
            kept.pop(0)
        # Twice: after speech that is under way no silence follows yet.
        times = [*(at for at, _ in kept), now_ms, now_ms]
        return tuple(
            (times[i + 1] - times[i], times[i + 2] - times[i + 1])
            for i in range(0, len(times) - 2, 2)
        )
