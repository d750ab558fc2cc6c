"""Peers that vanish or send garbage: aiortc's own tasks and callbacks then end in errors that
nobody awaits."""

from __future__ import annotations

import asyncio
import logging
import traceback
from typing import Any

log = logging.getLogger(__name__)

_THEIRS = {"aiortc", "aioice", "pylibsrtp", "OpenSSL"}
"""Packages that read what peers send."""


def log_quietly(loop: asyncio.AbstractEventLoop) -> None:
    """From now on a vanished peer is a line in the log and no traceback, and so is what aiortc
    cannot read. All else is reported as before."""
    before = loop.get_exception_handler()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error, task = context.get("exception"), context.get("future") or context.get("task")
        if isinstance(error, ConnectionError) and "aiortc" in repr(task):
            log.info("a peer has vanished: %s", error)
        elif error is not None and _raised_by(error) in _THEIRS:
            log.info("a peer's packet cannot be read: %s: %s", type(error).__name__, error)
        elif before is not None:
            before(loop, context)
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)


def _raised_by(error: BaseException) -> str:
    """The package in whose code the error was raised; "" where nobody knows."""
    last = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        last = frame
    return "" if last is None else str(last.f_globals.get("__name__", "")).partition(".")[0]
