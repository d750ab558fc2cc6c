"""A stock web server notices that nobody reads its answer any more, and stops generating."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from tests.llm.chat_server import text_event
from tests.llm.reading import ask, until
from tests.quick_server import QuickServer
from voicepipe.config import LlmSettings
from voicepipe.llm.contract import TextDelta
from voicepipe.llm.engines.openai import OpenAICompatibleModel


async def test_a_stock_web_server_stops_generating_when_the_client_goes() -> None:
    generated: list[int] = []
    stopped = asyncio.Event()

    async def tokens() -> AsyncIterator[bytes]:
        try:
            for number in range(10_000):
                generated.append(number)
                yield text_event(f"{number} ")
                await asyncio.sleep(0.01)
        finally:
            stopped.set()

    async def complete(request: Request) -> StreamingResponse:
        await request.json()
        return StreamingResponse(tokens(), media_type="text/event-stream")

    async def models(request: Request) -> JSONResponse:
        return JSONResponse({"data": [{"id": "tiny"}]})

    app = Starlette(
        routes=[
            Route("/v1/models", models),
            Route("/v1/chat/completions", complete, methods=["POST"]),
        ]
    )
    async with _uvicorn(app) as base_url:
        model = OpenAICompatibleModel(LlmSettings(model="tiny", base_url=base_url))
        await model.start()
        async with aclosing(model.stream(ask("count"))) as stream:
            assert await anext(stream) == TextDelta("0")
            assert await anext(stream) == TextDelta(" 1")
        async with asyncio.timeout(0.2):
            await stopped.wait()
        assert len(generated) < 50
        await model.aclose()


@asynccontextmanager
async def _uvicorn(app: Starlette) -> AsyncIterator[str]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="error", lifespan="off")
        server = QuickServer(config)
        task = asyncio.create_task(server.serve([listening]))
        try:
            await until(lambda: server.started)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            await server.stop(task)
