"""What is done with streams that engines give: closed whatever happens, waited for only so long, or
read for their newest value alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

from voicepipe.runtime.errors import EngineError

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


@asynccontextmanager
async def deadline(ms: int, stage: str, missing: str) -> AsyncIterator[None]:
    """Raises EngineError of `stage` when the block takes longer; 0 ms: it may."""
    try:
        async with asyncio.timeout(ms / 1000 if ms else None):
            yield
    except TimeoutError:
        raise EngineError(f"{stage}: {missing} after {ms} ms", stage=stage) from None


class Latest(Generic[T]):
    """A mailbox of one writer, one reader and one place: what a slow reader missed is superseded
    by what came after it."""

    def __init__(self) -> None:
        self._value: T | None = None
        self._changed = asyncio.Event()
        self._closed = False
        self.missed = 0  # values replaced before they were read

    def put(self, value: T) -> None:
        self.missed += self._value is not None
        self._value = value
        self._changed.set()

    def close(self) -> None:
        """The reader ends after the value that waits, if any."""
        self._closed = True
        self._changed.set()

    async def read(self) -> AsyncIterator[T]:
        """Yield values until closed."""
        while True:
            if self._value is not None:
                value, self._value = self._value, None
                yield value
            elif self._closed:
                return
            else:
                self._changed.clear()
                await self._changed.wait()
