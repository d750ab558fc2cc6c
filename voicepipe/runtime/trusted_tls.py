"""The certificates that requests to elsewhere trust."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import cache

import httpx


async def trusted_tls(
    library: Callable[[], ssl.SSLContext] = httpx.create_ssl_context,
) -> ssl.SSLContext:
    """For clients that are made for one request or one session: to read the certificates takes
    20 ms, which every caller would wait for. Read once, beside the loop."""
    return await asyncio.to_thread(_read, library)


@cache
def _read(library: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
    return library()
