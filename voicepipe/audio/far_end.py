"""What the user hears of the agent, laid beside what is heard of the user: the reference of an echo
canceller.

The listener's device plays by the clock that it records by, so the reference goes on by as much as
user audio arrives. Where that arrives late and in bursts, new speech of the agent still begins at
the right place: it is counted from when user audio comes at its soonest.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from voicepipe.audio.pcm import SAMPLE_RATE, Int16

SAMPLES_PER_MS = SAMPLE_RATE // 1000

WINDOW_MS = 1000.0
"""Within so long some user audio comes without delay."""

LOST_MS = 60.0
"""User audio that is so late after a whole window will not come any more."""

MAX_WAITING = 120 * SAMPLE_RATE
"""Samples; a client that plays by itself is given whole replies at once. More is not cancelled."""


class Lateness:
    """How much later than the soonest the newest user audio is. Times in ms."""

    def __init__(self) -> None:
        self._soonest: float | None = None  # the clock's time less the audio's
        self._next, self._next_until = 0.0, 0.0  # the soonest of the window that runs

    def heard(self, now_ms: float, heard_ms: float) -> float:
        """User audio up to `heard_ms` is there at `now_ms`. Returns how much has been lost: what
        did not come within a window."""
        offset = now_ms - heard_ms
        if self._soonest is None:
            self._soonest, self._next, self._next_until = offset, offset, now_ms + WINDOW_MS
        self._next = min(self._next, offset)
        lost_ms = 0.0
        if now_ms >= self._next_until:
            risen_ms = self._next - self._soonest
            lost_ms = risen_ms if risen_ms > LOST_MS else 0.0
            self._soonest, self._next, self._next_until = self._next, offset, now_ms + WINDOW_MS
        self._soonest = min(self._soonest, offset)
        return lost_ms

    def give_up(self, now_ms: float, heard_ms: float) -> None:
        """What is late will not come any more, and is asked for no longer."""
        self._soonest = self._next = now_ms - heard_ms
        self._next_until = now_ms + WINDOW_MS

    def now(self, now_ms: float, heard_ms: float) -> float:
        """Audio that the user's device has recorded and that is not here yet."""
        return 0.0 if self._soonest is None else max(0.0, now_ms - heard_ms - self._soonest)


class FarEnd:
    """A queue of the agent's audio, taken out as fast as user audio comes in."""

    def __init__(self) -> None:
        self._waiting: deque[Int16] = deque()
        self._samples = 0  # in it
        self._heard_ms = 0.0  # user audio
        self._lateness = Lateness()

    def play(self, samples: Int16, now_ms: float) -> None:
        """The listener plays this (int16 [n], 16 kHz) behind what it has, or from now on."""
        late_ms = self._lateness.now(now_ms, self._heard_ms)
        pause = round(late_ms * SAMPLES_PER_MS) - self._samples
        if pause > 0:  # it had run dry by now, at a time of which nothing was heard yet
            if self._samples + pause + samples.size <= MAX_WAITING:
                self._add(np.zeros(pause, dtype=np.int16))
            else:  # a client that is muted for minutes
                self._take(self._samples)
                self._lateness.give_up(now_ms, self._heard_ms)
        if self._samples + samples.size <= MAX_WAITING:
            self._add(samples)

    def take_back(self, ms: float, now_ms: float) -> None:
        """So much of the last will not be played; what must have been by now stays."""
        played = round(self._lateness.now(now_ms, self._heard_ms) * SAMPLES_PER_MS)
        too_many = min(round(ms * SAMPLES_PER_MS), self._samples - played)
        while too_many > 0:
            last = self._waiting.pop()
            self._samples -= last.size
            if last.size > too_many:
                self._add(last[:-too_many])
            too_many -= last.size

    def beside(self, size: int, now_ms: float) -> Int16:
        """What was played while the next `size` samples of the user's were recorded, zeros where
        that was nothing; int16 [size], 16 kHz. The echo comes by the way's delay later."""
        self._heard_ms += size / SAMPLES_PER_MS
        lost_ms = self._lateness.heard(now_ms, self._heard_ms)
        self._take(min(round(lost_ms * SAMPLES_PER_MS), self._samples))
        return self._take(size)

    def _add(self, samples: Int16) -> None:
        self._waiting.append(samples)
        self._samples += samples.size

    def _take(self, size: int) -> Int16:
        taken, filled = np.zeros(size, dtype=np.int16), 0
        while self._waiting and filled < size:
            piece = self._waiting.popleft()
            part = piece[: size - filled]
            taken[filled : filled + part.size] = part
            filled += part.size
            if part.size < piece.size:
                self._waiting.appendleft(piece[part.size :])
        self._samples -= filled
        return taken
