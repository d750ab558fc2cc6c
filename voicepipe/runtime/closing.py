"""Closing: streams that an engine gave, and several things of which none may keep another open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def closing(stream: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """`stream` for the length of the block; its `aclose`, if it has one, stops the engine."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


async def close_all(*closers: Callable[[], Awaitable[object]]) -> None:
    """One after the other, each even if one before it raises or is cancelled. Raises the last
    error."""
    async with AsyncExitStack() as stack:
        for close in reversed(closers):
            stack.push_async_callback(close)
