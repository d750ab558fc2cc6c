"""An HTTP service that a hosted engine asks: connections are kept alive, replies are streamed, and
its key stays out of every message.

Deadlines and what a refusal means are the engine's: nothing here waits on its own account.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
from pydantic import SecretStr

KEEPALIVE_S = 300.0
"""A new connection costs a turn one to three round trips, and callers pause for minutes."""

RETRY_PAUSE_S = 0.05
"""Before the one retry, soon, and only while nothing has come: a caller waits on the line, and the
session has a fallback for the rest."""

RETRYABLE_STATUS = frozenset({429, 500, 502, 503, 504})

DRAIN_S = 0.05
"""After the last piece the server ends the reply; waiting for that keeps the connection usable."""

MAX_ERROR_BYTES = 16_384


class HttpService:
    """The service at `base_url`. `host` names it in messages, without a user's name or password."""

    def __init__(self, base_url: str, key: SecretStr | None, *, max_connections: int) -> None:
        self._url = httpx.URL(base_url.rstrip("/") + "/")
        self._key = key.get_secret_value() if key else ""
        self._max_connections = max_connections
        self._client: httpx.AsyncClient | None = None
        self.host = self._url.netloc.decode("ascii").rpartition("@")[2]
        self.round_trip_ms: float | None = None
        """The least that a TCP connection took to open: there and back once, and nothing else."""

    @property
    def is_open(self) -> bool:
        return self._client is not None

    def open(self) -> None:
        """Make the client; connections come with the requests."""
        self._client = httpx.AsyncClient(
            base_url=self._url,
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=None,  # each wait has its own deadline, and its own error
            limits=httpx.Limits(
                max_connections=self._max_connections,
                max_keepalive_connections=self._max_connections,
                keepalive_expiry=KEEPALIVE_S,
            ),
        )

    async def get(self, path: str) -> httpx.Response:
        """A small document, whole. Raises httpx.HTTPError."""
        return await self._opened().get(path, extensions={"trace": self._watch()})

    async def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """The head of the reply to a JSON body; read the rest with `reading`. Raises
        httpx.HTTPError."""
        client = self._opened()
        request = client.build_request(
            "POST", path, json=body, headers=headers, extensions={"trace": self._watch()}
        )
        return await client.send(request, stream=True)

    async def aclose(self) -> None:
        """Close the connections. Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def masked(self, text: str) -> str:
        """`text` without the key, which some servers quote."""
        return text.replace(self._key, "***") if self._key else text

    def _watch(self) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
        """Times the connection of one request, if it needs a new one."""
        began = 0.0

        async def watch(event: str, _info: Mapping[str, Any]) -> None:
            nonlocal began
            if event == "connection.connect_tcp.started":
                began = time.perf_counter()
            elif event == "connection.connect_tcp.complete":
                took_ms = (time.perf_counter() - began) * 1000
                self.round_trip_ms = min(took_ms, self.round_trip_ms or took_ms)

        return watch

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            raise RuntimeError("the service is not open")
        return self._client


@asynccontextmanager
async def reading(reply: httpx.Response) -> AsyncIterator[AsyncIterator[bytes]]:
    """The pieces of a reply. It is closed with the block, by which servers notice and stop."""
    pieces = reply.aiter_bytes()
    try:
        yield pieces
    finally:
        await reply.aclose()
        # httpx reads through nested generators. Dropped half-way, each would end in a task of its
        # own some time later; read once more, they all meet the closed connection.
        await drain(pieces)


async def drain(pieces: AsyncIterator[bytes]) -> None:
    """Read to the end, which is near."""
    try:
        async with asyncio.timeout(DRAIN_S):
            async for _ in pieces:
                pass
    except (TimeoutError, httpx.HTTPError, httpx.StreamError):
        pass  # only the connection is lost


async def start_of(reply: httpx.Response) -> bytes:
    """The first `MAX_ERROR_BYTES` of a reply that is no answer; it is closed."""
    body = b""
    try:
        async for piece in reply.aiter_bytes():
            body += piece
            if len(body) >= MAX_ERROR_BYTES:
                break
    except httpx.HTTPError:
        pass  # the status says enough
    finally:
        await reply.aclose()
    return body[:MAX_ERROR_BYTES]


def kind(error: BaseException) -> str:
    """What went wrong, without addresses or headers."""
    return type(error).__name__
