"""A mailbox that keeps only the newest value: what a slow reader missed is superseded anyway."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Latest(Generic[Value]):
    """One writer, one reader, one place; a newer value replaces one that was not read."""

    def __init__(self) -> None:
        self._value: Value | None = None
        self._changed = asyncio.Event()
        self._closed = False
        self.missed = 0  # values replaced before they were read

    def put(self, value: Value) -> None:
        self.missed += self._value is not None
        self._value = value
        self._changed.set()

    def close(self) -> None:
        """The reader ends after the value that waits, if any."""
        self._closed = True
        self._changed.set()

    async def read(self) -> AsyncIterator[Value]:
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
