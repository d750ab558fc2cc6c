"""The prompt is computed while nobody waits for it: when the session begins, when its instructions,
tools or items were changed, when a reply has been made, and when it has been heard, as far as that
was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

QUIET_S = 0.25
"""After the last of several changes, and after the settings that a client sends first."""


class IdlePrefill:
    """Of one session. `prefill` is called where nothing has changed for a while and `may` says that
    nobody waits for the language model."""

    def __init__(self, may: Callable[[], bool], prefill: Callable[[], None]) -> None:
        self._may, self._prefill = may, prefill
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def soon(self) -> None:
        """The prompt is another one now."""
        self._wait_no_more()
        if not self._closed:
            self._timer = asyncio.get_running_loop().call_later(QUIET_S, self._begin)

    def close(self) -> None:
        """The session ends. Items may still change: a call that ends with it is written down."""
        self._closed = True
        self._wait_no_more()

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self) -> None:
        self._timer = None
        if self._may():
            self._prefill()
