"""What the agent has to say of its own accord, and says as soon as nobody speaks: a timer rings."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

LOOK_EVERY_S = 0.5

MAX_WAITING = 50
"""Sentences; the oldest go first."""


class Announcements:
    """Of one session. `may_speak`: nobody speaks, and nobody is about to."""

    def __init__(self, may_speak: Callable[[], bool], say: Callable[[str], None]) -> None:
        self._may_speak, self._say = may_speak, say
        self._waiting: deque[str] = deque(maxlen=MAX_WAITING)
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str) -> None:
        """Say it now, or when there is room for it."""
        self._waiting.append(text)
        if self._timer is None:
            self._look()

    def close(self) -> None:
        """Say no more."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if self._waiting and self._may_speak():
            self._say(self._waiting.popleft())
        if self._waiting:
            self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY_S, self._look)
