"""The process that holds the heavy engines for all gateways, as their parent looks after it: there
before them, gone after them, and replaced when it dies. Gateways find each new one by its socket.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable

from voicepipe.server.gateways.children import Deaths, ended, fork

log = logging.getLogger(__name__)

STOP_S = 20.0
"""For what is under way, and for engines to let go of their memory."""


class EngineProcess:
    """`look` at it now and then; `stop` it at the end."""

    def __init__(self, hold_engines: Callable[[], int], let_go: Callable[[], None]) -> None:
        self._hold_engines, self._let_go = hold_engines, let_go
        self._pid: int | None = None
        self._deaths = Deaths()
        self._born_s = self._due_s = 0.0

    def look(self) -> None:
        """Start it, if it is due."""
        now = time.monotonic()
        if self._pid is not None:
            self._bury_if_dead(now)
        elif now >= self._due_s:
            self._born_s = now
            self._pid = fork(self._hold_engines, self._let_go)

    def stop(self) -> None:
        """Blocking, for `STOP_S` at most."""
        if self._pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGTERM)
        until = time.monotonic() + STOP_S
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                log.error("the engines' process has not ended in time and is killed")
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                break
            time.sleep(0.02)
        self._pid = None

    def _bury_if_dead(self, now: float) -> None:
        assert self._pid is not None
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid:
            return
        self._pid = None
        pause = self._deaths.one_more(now - self._born_s)
        self._due_s = now + pause
        log.error(
            "the engines' process %s; what it was at fails, calls go on; another takes its place%s",
            ended(os.waitstatus_to_exitcode(status)),
            f" in {pause:g} s" if pause else "",
        )
