"""How long an engine is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from voicepipe.runtime.errors import EngineError


@asynccontextmanager
async def deadline(ms: int, stage: str, missing: str) -> AsyncIterator[None]:
    """Raises EngineError of `stage` when the block takes longer; 0 ms: it may."""
    try:
        async with asyncio.timeout(ms / 1000 if ms else None):
            yield
    except TimeoutError:
        raise EngineError(f"{stage}: {missing} after {ms} ms", stage=stage) from None
