"""A small real HTTP server that plays scripted replies and watches its clients."""

from __future__ import annotations

import asyncio
import contextlib
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

Step = bytes | float | None
"""Bytes to send as one chunk, seconds to pause, or None: cut the connection."""


@dataclass
class Reply:
    steps: Sequence[Step] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str  # with its query
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class ScriptedServer(ABC):
    """`listening` runs one; what it answers is the subclass's."""

    base_url: str = ""
    connections: int = 0
    chunks_sent: int = 0  # of the newest answer
    client_gone: asyncio.Event = field(default_factory=asyncio.Event)

    @abstractmethod
    async def answer(self, asked: Asked) -> Reply:
        """What a request is answered with."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end."""
        self.connections += 1
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._one_request(reader, writer):
                pass
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    async def _one_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {k.lower(): v for k, _, v in (h.partition(": ") for h in head[1:] if h)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        reply = await self.answer(Asked(method, path, headers, body))
        return await self._play(reply, reader, writer)

    async def _play(
        self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        self.chunks_sent = 0
        writer.write(_head(reply.status, {**reply.headers, "transfer-encoding": "chunked"}))
        gone = asyncio.create_task(reader.read(1))
        try:
            for step in reply.steps:
                if step is None:
                    return False
                if isinstance(step, float):
                    await asyncio.wait([gone], timeout=step)
                    if gone.done():
                        self.client_gone.set()
                        return False
                else:
                    writer.write(b"%x\r\n%b\r\n" % (len(step), step))
                    await writer.drain()
                    self.chunks_sent += 1
            writer.write(b"0\r\n\r\n")
        finally:
            gone.cancel()
            await asyncio.wait([gone])
        return True


@dataclass
class ModelServer(ScriptedServer):
    """A server of models: what it has is read with GET, work is posted as JSON."""

    replies: list[Reply] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    async def answer(self, asked: Asked) -> Reply:
        self.headers.append(asked.headers)
        if asked.method == "GET":
            status, value = self.got(asked.path)
            return Reply((json.dumps(value).encode(),), status)
        self.bodies.append(asked.json)
        return await self.posted(asked.path, self.bodies[-1])

    @abstractmethod
    def got(self, path: str) -> tuple[int, object]:
        """Status and JSON for a GET of `path`."""

    @abstractmethod
    async def posted(self, path: str, body: dict[str, Any]) -> Reply:
        """What a POST of `body` is answered with."""


S = TypeVar("S", bound=ScriptedServer)


@asynccontextmanager
async def listening(scripted: S) -> AsyncIterator[S]:
    """Serves on a free loopback port; connections still open at the end are cut."""
    handlers: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handlers.add(task)
        with contextlib.suppress(asyncio.CancelledError):
            await scripted.serve(reader, writer)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    scripted.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield scripted
    finally:
        server.close()
        for task in handlers:
            task.cancel()
        if handlers:
            await asyncio.wait(handlers)
        await server.wait_closed()


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()
