"""What has been used once is not accepted again: signatures, nonces, call ids, one-time tokens."""

from __future__ import annotations

from collections import OrderedDict

from voicepipe.clock import Clock

MAX_ENTRIES = 10_000


class ReplayGuard:
    """Remembers what it has seen for `window_s`, `max_entries` of them at most.

    When it is full of entries that are still young, a new one is refused: to forget one would let
    it be used again.
    """

    def __init__(
        self, clock: Clock, window_s: float = 600.0, max_entries: int = MAX_ENTRIES
    ) -> None:
        self._clock, self._window_s, self._max_entries = clock, window_s, max_entries
        self._seen: OrderedDict[str, float] = OrderedDict()  # oldest first

    def __len__(self) -> int:
        return len(self._seen)

    def is_new(self, entry: str) -> bool:
        """Whether `entry` was not seen within the window; from now on it was."""
        now = self._clock.now()
        while self._seen and now - next(iter(self._seen.values())) > self._window_s:
            self._seen.popitem(last=False)
        if entry in self._seen or len(self._seen) >= self._max_entries:
            return False
        self._seen[entry] = now
        return True
