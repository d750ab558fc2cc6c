"""The audio of an utterance: appended in frames, read as slices, freed from the front."""

from __future__ import annotations

import numpy as np

from voicepipe.audio.pcm import SAMPLE_RATE, Int16


class PcmBuffer:
    """Grows by doubling, so appending is O(1) a sample. Positions count from the first sample ever
    appended and stay valid when the front is freed. A slice handed out never changes: memory is
    only moved by allocating anew, so a decoder thread may read it while the loop appends."""

    def __init__(self) -> None:
        self._data = np.empty(4 * SAMPLE_RATE, dtype=np.int16)
        self._base = 0  # position of _data[0]
        self._freed = 0  # positions below are gone
        self.total = 0  # samples ever appended

    def append(self, pcm: Int16) -> None:
        """Add int16 [n]."""
        end = self.total - self._base + len(pcm)
        if end > len(self._data):
            self._grow(len(pcm))
            end = self.total - self._base + len(pcm)
        self._data[end - len(pcm) : end] = pcm
        self.total += len(pcm)

    def slice(self, start: int, end: int) -> Int16:
        """Samples [start, end). Raises ValueError for audio that was freed or is yet to come."""
        if not self._freed <= start <= end <= self.total:
            raise ValueError(f"[{start}, {end}) is outside of [{self._freed}, {self.total})")
        return self._data[start - self._base : end - self._base]

    def free_before(self, position: int) -> None:
        """Audio before `position` is not needed any more; its memory goes at the next growth."""
        self._freed = min(max(self._freed, position), self.total)

    def clear(self) -> None:
        """Free everything at once."""
        self._freed = self._base = self.total
        self._data = np.empty(0, dtype=np.int16)

    def _grow(self, wanted: int) -> None:
        live = self.total - self._freed
        data = np.empty(max(2 * (live + wanted), 4 * SAMPLE_RATE), dtype=np.int16)
        data[:live] = self._data[self._freed - self._base : self.total - self._base]
        self._data, self._base = data, self._freed
