"""Processes that the parent forks, and when one that has died is started again."""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

FIRST_PAUSE_S, LAST_PAUSE_S = 0.5, 30.0

SHAKY_S = 10.0
"""A process in a crash loop lives for moments; one that was well for so long is out of it."""


def fork(what: Callable[[], int], let_go: Callable[[], None]) -> int:
    """The pid of a child that lets go of all that is the parent's, does `what`, and ends with the
    status it returns. In a session of its own, so that a Ctrl-C at the terminal reaches it by its
    parent only, once. Raises OSError where the system has no room for another."""
    _write_out()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.setsid()
        let_go()
        status = what()
    except BaseException:
        with suppress(OSError, ValueError):
            traceback.print_exc()
    finally:
        try:
            logging.shutdown()
            _write_out()
        finally:
            os._exit(status)  # whatever happens: it must not go on as if it were its parent


def _write_out() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more, or the disk is full
            stream.flush()


def ended(status: int) -> str:
    """How, for people."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:  # real-time signals have mostly no name
        return f"was ended by signal {-status}"


def pause_s(deaths: int) -> float:
    """Before a process that has died so often in a row is replaced."""
    return 0.0 if deaths <= 1 else float(min(LAST_PAUSE_S, FIRST_PAUSE_S * 2 ** (deaths - 2)))


class Deaths:
    """How often in a row, of one place."""

    def __init__(self) -> None:
        self._count = 0

    def one_more(self, well_s: float) -> float:
        """A process has died that was well for so long; how long to wait for the next."""
        self._count = 1 if well_s >= SHAKY_S else self._count + 1
        return pause_s(self._count)
