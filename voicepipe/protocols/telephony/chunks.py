"""Numbered chunks of audio, put in order; what never came is counted."""

from __future__ import annotations

from voicepipe.audio.formats import AudioFormat
from voicepipe.protocols.telephony.contract import CallAudio

MAX_LOST_MS = 10_000.0
"""The most that one gap reports: a counter that jumps is no hour of silence."""


MOST_LATE = 100
"""Chunks: 2 s, mostly. A number that is further behind is no late one: the carrier counts anew."""


class ChunkOrder:
    """Chunks are numbered by one. The first to come sets the count.

    A gap holds back up to `window` later chunks; when so many wait, what is missing is lost.
    0: every gap is a loss at once. Late and repeated chunks are dropped: their time is over.
    """

    def __init__(self, window: int) -> None:
        self._window = window
        self._next: int | None = None
        self._held: dict[int, bytes] = {}

    def push(self, number: int | None, data: bytes, fmt: AudioFormat) -> list[CallAudio]:
        """What can be heard now. Chunks without a number follow the one before."""
        if self._next is None:
            self._next = 0 if number is None else number
        number = self._next if number is None else number
        if number < self._next - MOST_LATE:
            before = self.drain(fmt)
            self._next = number
            return before + self.push(number, data, fmt)
        if number < self._next or number in self._held:
            return []
        self._held[number] = data
        ready = self._in_order()
        if not ready and len(self._held) >= max(1, self._window):
            ready = self._past_the_gap(fmt)
        return ready

    def drain(self, fmt: AudioFormat) -> list[CallAudio]:
        """All that is held back, gaps or not: nothing follows."""
        ready: list[CallAudio] = []
        while self._held:
            ready += self._past_the_gap(fmt)
        return ready

    def _in_order(self) -> list[CallAudio]:
        ready: list[CallAudio] = []
        assert self._next is not None
        while (data := self._held.pop(self._next, None)) is not None:
            ready.append(CallAudio(data))
            self._next += 1
        return ready

    def _past_the_gap(self, fmt: AudioFormat) -> list[CallAudio]:
        assert self._next is not None
        first = min(self._held)
        missing, self._next = first - self._next, first
        chunk, *rest = self._in_order()
        # A chunk that is missing was as long as the one behind it: carriers' chunks are alike.
        lost_ms = min(MAX_LOST_MS, missing * fmt.ms(len(chunk.data)))
        return [CallAudio(chunk.data, lost_ms), *rest]
