"""The carrier's end of the line: queued audio is played in real time, marks are reached in turn,
and what the caller heard is kept. Pure: time is what the caller of each method says it is."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from voicepipe.audio.pcm import FRAME_MS, Int16
from voicepipe.lab.carriers.heard import Heard


@dataclass(frozen=True, slots=True)
class _Mark:
    name: str


class Playout:
    """A queue that plays 20 ms at each beat, from `began_at` (seconds) on, without end."""

    def __init__(self, rate: int, began_at: float, max_queued_ms: float | None = None) -> None:
        """`max_queued_ms`: audio beyond it is lost. None: the carrier takes all."""
        self.rate, self.began_at = rate, began_at
        self.longest_ms = 0.0  # the most that was ever queued
        self._max_samples = None if max_queued_ms is None else round(max_queued_ms * rate / 1000)
        self._beat_samples = rate * FRAME_MS // 1000
        self._queue: deque[Int16 | _Mark] = deque()
        self._queued_samples = 0
        self._heard: list[Int16] = []
        self._playing = False  # the last beat holds audio

    @property
    def queued_ms(self) -> float:
        """Audio that is still to be played."""
        return self._queued_samples * 1000 / self.rate

    def heard(self, since: float = 0.0) -> Heard:
        """What has been played so far, from the beat that holds the time `since` on."""
        first = int((since - self.began_at) * 1000 / FRAME_MS)
        first = min(max(0, first), len(self._heard))
        samples = np.concatenate((_silence(0), *self._heard[first:]))
        return Heard(samples, self.rate, self.began_at + first * FRAME_MS / 1000)

    def returned(self, beats_ago: int) -> Int16:
        """What was played in one beat, so long before the newest (int16 [n])."""
        at = len(self._heard) - 1 - beats_ago
        return self._heard[at] if at >= 0 else _silence(self._beat_samples)

    def play(self, samples: Int16) -> float:
        """Queue audio (int16 [n] at `rate`); how many ms of it found no room."""
        lost = 0
        if self._max_samples is not None:
            room = max(0, self._max_samples - self._queued_samples)
            lost = max(0, samples.size - room)
            samples = samples[:room]
        if samples.size:
            self._queue.append(samples)
            self._queued_samples += samples.size
            self.longest_ms = max(self.longest_ms, self.queued_ms)
        return lost * 1000 / self.rate

    def mark(self, name: str) -> None:
        """Queue a mark behind what is queued."""
        self._queue.append(_Mark(name))

    def clear(self) -> list[str]:
        """Empty the queue; the marks that were in it."""
        marks = [entry.name for entry in self._queue if isinstance(entry, _Mark)]
        self._queue.clear()
        self._queued_samples = 0
        return marks

    def advance(self, now: float) -> list[str]:
        """Play all beats that have begun by `now`; the marks that were reached.

        A beat is over when the next begins: a mark behind it is reached then. With nothing to
        play, a mark is reached at once.
        """
        reached = [] if self._playing else self._marks_at_head()
        due = int((now - self.began_at) * 1000 / FRAME_MS + 1e-6) + 1
        while len(self._heard) < due:
            reached += self._marks_at_head()
            self._heard.append(self._beat())
        return reached

    def _marks_at_head(self) -> list[str]:
        reached: list[str] = []
        while self._queue and isinstance(first := self._queue[0], _Mark):
            reached.append(first.name)
            self._queue.popleft()
        return reached

    def _beat(self) -> Int16:
        """The next 20 ms; silence where there is no audio."""
        out = _silence(self._beat_samples)
        filled = 0
        while filled < out.size and self._queue:
            samples = self._queue[0]
            if isinstance(samples, _Mark):
                break
            taken = samples[: out.size - filled]
            out[filled : filled + taken.size] = taken
            filled += taken.size
            if taken.size < samples.size:
                self._queue[0] = samples[taken.size :]
            else:
                self._queue.popleft()
        self._queued_samples -= filled
        self._playing = filled > 0
        return out


def _silence(samples: int) -> Int16:
    return np.zeros(samples, dtype=np.int16)
