"""Closing: a stream that an engine gave, and several things of which one may fail."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")

Close = Callable[[], Awaitable[object]]


@asynccontextmanager
async def closing(stream: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """`stream` for the length of the block; its `aclose`, if it has one, stops the engine."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


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
