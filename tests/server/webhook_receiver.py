"""A program's webhook: checks each signature, keeps what came, answers as it is told."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from standardwebhooks import Webhook
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.quick_server import QuickServer

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
DEADLINE_S = 45.0

Answer = tuple[int, str]


@dataclass(slots=True)
class Receiver:
    url: str = ""
    answer: Callable[[dict[str, Any]], Answer] = lambda event: (200, "")
    pause_s: float = 0.0
    events: list[dict[str, Any]] = field(default_factory=list)  # of which each was answered 2xx
    attempts: list[tuple[str, str]] = field(default_factory=list)  # webhook-id, type
    headers: list[dict[str, str]] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    def settings(self, **more: Any) -> dict[str, Any]:
        """For the section `webhooks`."""
        return {"mine": {"url": self.url, "secret": SECRET, **more}}

    def types(self) -> list[str]:
        return [event["type"] for event in self.events]

    async def until(self, kind: str, count: int = 1) -> dict[str, Any]:
        """The newest of that type, when `count` have come."""
        async with asyncio.timeout(DEADLINE_S):
            while self.types().count(kind) < count:
                self.came.clear()
                await self.came.wait()
        return [event for event in self.events if event["type"] == kind][-1]


@asynccontextmanager
async def receiver(port: int = 0) -> AsyncIterator[Receiver]:
    state, over = Receiver(), asyncio.get_running_loop().create_future()

    async def endpoint(request: Request) -> Response:
        body = (await request.body()).decode()
        event = Webhook(SECRET).verify(body, dict(request.headers))  # raises: 500
        assert event == json.loads(body)
        state.attempts.append((request.headers["webhook-id"], event["type"]))
        state.headers.append(dict(request.headers))
        await asyncio.wait({over}, timeout=state.pause_s)  # nobody waits for it behind the test
        status, text = state.answer(event)
        if 200 <= status < 300:
            state.events.append(event)
        state.came.set()
        return Response(text, status)

    app = Starlette(
        routes=[Route("/hook", endpoint, methods=["POST"])],
        middleware=[Middleware(GZipMiddleware)],  # as many a program's server has it
    )
    config = uvicorn.Config(app, port=port, log_config=None, lifespan="off")
    server = QuickServer(config)
    task = asyncio.create_task(server.serve(), name="Task-webhook")
    try:
        async with asyncio.timeout(10):
            while not server.started:
                await asyncio.sleep(0.01)
        state.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/hook"
        yield state
    finally:
        over.cancel()
        await server.stop(task)
