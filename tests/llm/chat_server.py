"""A small real HTTP server that plays scripted chat completions and watches its clients."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Step = bytes | float | None
"""Bytes to send as one chunk, seconds to pause, or None: cut the connection."""


def event(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def text_event(text: str) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"content": text}}]})


def finish_event(reason: str = "stop") -> bytes:
    return event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


def call_event(**piece: Any) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]})


USAGE = event(
    {
        "choices": [],
        "usage": {
            "prompt_tokens": 40,
            "completion_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 32},
        },
    }
)
DONE = b"data: [DONE]\n\n"


@dataclass
class Reply:
    steps: Sequence[Step] = (text_event("Hello."), finish_event(), USAGE, DONE)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class ChatServer:
    base_url: str
    replies: list[Reply] = field(default_factory=list)
    connections: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    chunks_sent: int = 0
    client_gone: asyncio.Event = field(default_factory=asyncio.Event)
    models: tuple[str, ...] = ("tiny",)
    models_status: int = 200

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
        if method == "GET":
            assert path == "/v1/models"
            self.headers.append(headers)
            body = json.dumps({"data": [{"id": m} for m in self.models]}).encode()
            writer.write(_head(self.models_status, {"content-length": str(len(body))}) + body)
            return True
        assert (method, path) == ("POST", "/v1/chat/completions")
        self.headers.append(headers)
        self.bodies.append(json.loads(await reader.readexactly(int(headers["content-length"]))))
        reply = self.replies.pop(0) if self.replies else Reply()
        return await self._play(reply, reader, writer)

    async def _play(
        self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
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


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


@asynccontextmanager
async def chat_server(*replies: Reply) -> AsyncIterator[ChatServer]:
    """Runs on a free loopback port; connections still open at the end are cut."""
    handlers: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handlers.add(task)
        with contextlib.suppress(asyncio.CancelledError):
            await chat.serve(reader, writer)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    chat = ChatServer(f"http://127.0.0.1:{port}/v1", list(replies))
    try:
        yield chat
    finally:
        server.close()
        for task in handlers:
            task.cancel()
        if handlers:
            await asyncio.wait(handlers)
        await server.wait_closed()
