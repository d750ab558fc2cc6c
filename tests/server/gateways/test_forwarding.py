"""What goes on to another gateway is there as if it had come to it: by whom, by which scheme."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from voicepipe.config import Settings
from voicepipe.server.gateways.forwarding import Forwarding
from voicepipe.server.run import uvicorn_server

CALLER = "203.0.113.7"
HERE, THERE = "/v1/realtime/calls/rtc_here/hangup", "/v1/realtime/calls/rtc_there/hangup"


async def told(request: Request) -> JSONResponse:
    client = None if request.client is None else request.client.host
    return JSONResponse({"client": client, "scheme": request.url.scheme})


def gateway(door: Path) -> Starlette:
    """Of two; the other one, behind `door`, holds the call `rtc_there`."""
    service: Any = SimpleNamespace(
        forwarded=0,
        shared=SimpleNamespace(alone=False, own_door=lambda name: door),
        directory=SimpleNamespace(elsewhere=lambda name: "b" if name == "rtc_there" else None),
    )
    return Starlette(
        middleware=[Middleware(Forwarding, service=service)],
        routes=[Route("/{path:path}", told, methods=["POST"])],
    )


@asynccontextmanager
async def other_gateway(folder: Path) -> AsyncIterator[Path]:
    """Serving at its own door."""
    door = folder / "own.sock"
    server = uvicorn_server(gateway(door), Settings())
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(door))
        own.listen()
        serving = asyncio.create_task(server.serve([own]), name="uvicorn")
        async with asyncio.timeout(30):
            while not server.started:
                await asyncio.sleep(0.01)
        try:
            yield door
        finally:
            server.should_exit = True
            await serving


@pytest.mark.parametrize("path", [HERE, THERE])
async def test_callers_have_their_own_address_and_no_other(tmp_path: Path, path: str) -> None:
    claims = {"x-voicepipe-client": "198.51.100.1", "x-voicepipe-scheme": "wss"}
    async with other_gateway(tmp_path) as door:
        way = httpx.ASGITransport(gateway(door), client=(CALLER, 5000))
        async with httpx.AsyncClient(transport=way, base_url="https://localhost:8443") as http:
            answers = [await http.post(path, headers=headers) for headers in ({}, claims)]
    assert [answer.json() for answer in answers] == [{"client": CALLER, "scheme": "https"}] * 2


async def test_who_has_no_address_has_none_there_either(tmp_path: Path) -> None:
    async with other_gateway(tmp_path) as door:
        way = httpx.AsyncHTTPTransport(uds=str(door))
        async with httpx.AsyncClient(transport=way, base_url="http://localhost") as http:
            assert (await http.post(HERE)).json() == {"client": None, "scheme": "http"}
