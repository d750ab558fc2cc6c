"""What the MCP library leaves to its user: to notice that a connection ended, a bound on what a
server may send, and the last words of a program that died.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, TextIO

import anyio
import httpx2


class Watched:
    """A stream of messages that says when it has ended."""

    def __init__(self, stream: Any, on_end: Callable[[], None]) -> None:
        self._stream, self._on_end = stream, on_end

    async def receive(self) -> Any:
        try:
            return await self._stream.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._on_end()
            raise

    def __aiter__(self) -> Watched:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._stream.__anext__()
        except (StopAsyncIteration, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._on_end()
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()

    @property
    def last_context(self) -> Any:
        return getattr(self._stream, "last_context", None)

    async def __aenter__(self) -> Watched:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Any:
        return await self._stream.__aexit__(kind, error, trace)


class BoundedHttp(httpx2.AsyncBaseTransport):
    """Cuts off an answer that is longer than `max_bytes`, by an error that fails this one request
    and not the connection. Of a stream of events, which goes on for as long as the server likes,
    the library bounds each event instead."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, max_bytes: int) -> None:
        self._inner, self._max_bytes = inner, max_bytes

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await self._inner.handle_async_request(request)
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            assert isinstance(answer.stream, httpx2.AsyncByteStream)
            answer.stream = _BoundedStream(answer.stream, self._max_bytes)
        return answer

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, max_bytes: int) -> None:
        self._inner, self._left = inner, max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            self._left -= len(chunk)
            if self._left < 0:
                raise httpx2.StreamError("the answer is longer than is allowed")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class StderrTail:
    """Reads what a program writes to stderr, and keeps its end: a program that cannot start says
    why there. Of one that has started it goes to no log: it may quote a caller."""

    KEPT_CHARS = 400

    def __init__(self) -> None:
        self.text = ""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TextIO]:
        """A file that the program may write to."""
        self.text = ""
        reading, writing = os.pipe()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: _Tail(self), os.fdopen(reading, "rb"))
        try:
            with os.fdopen(writing, "w") as file:
                yield file
        finally:
            await asyncio.sleep(0)  # what has come already is read
            transport.close()

    def add(self, data: bytes) -> None:
        """Some more of it."""
        self.text = (self.text + data.decode("utf-8", errors="replace"))[-self.KEPT_CHARS :]


class _Tail(asyncio.Protocol):
    def __init__(self, tail: StderrTail) -> None:
        self._tail = tail

    def data_received(self, data: bytes) -> None:
        self._tail.add(data)
