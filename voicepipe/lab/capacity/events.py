"""Virtual time: what happens when, in order. Pure."""

from __future__ import annotations

import heapq
from collections.abc import Callable


class Timeline:
    """`at` says what is to happen, `run` lets it. Times in ms; what falls together happens in the
    order in which it was said."""

    def __init__(self) -> None:
        self.now = 0.0
        self._said = 0
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    def at(self, when: float, what: Callable[[], None]) -> None:
        """`when` is now or later."""
        self._said += 1
        heapq.heappush(self._due, (when, self._said, what))

    def after(self, wait: float, what: Callable[[], None]) -> None:
        self.at(self.now + wait, what)

    def run(self, until: float) -> None:
        """All that is due before `until`."""
        due = self._due
        while due and due[0][0] < until:
            self.now, _, what = heapq.heappop(due)
            what()
        self.now = until
