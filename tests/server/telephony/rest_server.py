"""A carrier's REST interface, local: keeps what it is asked and answers as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.quick_server import QuickServer


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    authorization: str
    body: bytes
    content_type: str = ""

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode()))


@dataclass(slots=True)
class RestServer:
    url: str = ""
    status: int = 200
    answer: str = "{}"
    asked: list[Asked] = field(default_factory=list)
    answers: asyncio.Event = field(default_factory=asyncio.Event)  # until then it thinks


@asynccontextmanager
async def rest_server(status: int = 200, answer: str = "{}") -> AsyncIterator[RestServer]:
    state = RestServer(status=status, answer=answer)
    state.answers.set()

    async def endpoint(request: Request) -> Response:
        headers = request.headers
        path = (request.scope["raw_path"] or b"").decode()
        state.asked.append(
            Asked(
                request.method,
                path,
                headers.get("authorization", ""),
                await request.body(),
                headers.get("content-type", ""),
            )
        )
        await state.answers.wait()
        return Response(state.answer, state.status)

    methods = ["GET", "POST", "DELETE", "PUT"]
    app = Starlette(routes=[Route("/{path:path}", endpoint, methods=methods)])
    server = QuickServer(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    task = asyncio.create_task(server.serve(), name="Task-rest")  # not the server's own
    try:
        async with asyncio.timeout(10):
            while not server.started:
                await asyncio.sleep(0.01)
        state.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        yield state
    finally:
        await server.stop(task)
