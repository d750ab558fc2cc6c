"""Closing several things, of which one may fail."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

log = logging.getLogger(__name__)

Close = Callable[[], Awaitable[object]]


async def close_all(*closings: tuple[str, Close]) -> None:
    """Close one after the other. One that raises is logged by its name and keeps none of the others
    open; neither does a cancellation, which is raised when all have been tried."""
    async with AsyncExitStack() as stack:
        for name, close in reversed(closings):
            stack.push_async_callback(_close_one, name, close)


async def _close_one(name: str, close: Close) -> None:
    try:
        await close()
    except Exception:
        log.exception("%s did not close as it should", name)
