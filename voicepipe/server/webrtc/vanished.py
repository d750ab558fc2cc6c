"""Peers that vanish: aiortc's own tasks then end in errors that nobody awaits."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

log = logging.getLogger(__name__)


def log_quietly(loop: asyncio.AbstractEventLoop) -> None:
    """From now on a vanished peer is a line in the log and no traceback. All else is reported as
    before."""
    before = loop.get_exception_handler()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error, task = context.get("exception"), context.get("future") or context.get("task")
        if isinstance(error, ConnectionError) and "aiortc" in repr(task):
            log.info("a peer has vanished: %s", error)
        elif before is not None:
            before(loop, context)
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)
