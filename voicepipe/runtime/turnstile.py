"""So many at once, the others in order."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext


def turnstile(slots: int) -> AbstractAsyncContextManager[None]:
    """Entered by at most `slots` tasks at a time; 0 = by all. One for all of them."""
    return asyncio.Semaphore(slots) if slots else nullcontext()
