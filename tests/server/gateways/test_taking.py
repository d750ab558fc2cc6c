"""A gateway that is handed connections. Under TLS they are encrypted, and what comes from other
gateways is not; when it ends, those that it has are answered."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.harness import simulated_engines
from tests.server.test_tls import write_certificate
from voicepipe.config import Settings
from voicepipe.server.app import create_app
from voicepipe.server.http_protocol import HEAD_DEADLINE_S
from voicepipe.server.run import Server, uvicorn_server
from voicepipe.server.service import Service

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

CALL = b"""GET /v1/realtime?model=m HTTP/1.1\r
Host: localhost\r
Connection: Upgrade\r
Upgrade: websocket\r
Sec-WebSocket-Version: 13\r
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
\r
"""


@asynccontextmanager
async def gateway(folder: Path, files: dict[str, str]) -> AsyncIterator[tuple[Server, Path]]:
    """Serving at its own door only."""
    settings = Settings.model_validate({"server": files})
    server = uvicorn_server(create_app(Service(settings, simulated_engines())), settings)
    own, door = socket.socket(socket.AF_UNIX), folder / "own.sock"
    own.bind(str(door))
    own.listen()
    serving = asyncio.create_task(server.serve([own]), name="uvicorn")
    async with asyncio.timeout(30):
        while not server.started:
            await asyncio.sleep(0.01)
    try:
        yield server, door
    finally:
        server.should_exit = True
        await serving
        own.close()


@asynccontextmanager
async def handed_over(server: Server) -> AsyncIterator[tuple[asyncio.Task[None], socket.socket]]:
    """The gateway's end is taken; the caller's is yielded."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        caller = socket.create_connection(listener.getsockname())
        connection, _ = listener.accept()
    for end in (caller, connection):
        end.setblocking(False)
    taking = asyncio.create_task(server.take(connection))
    try:
        yield taking, caller
    finally:
        caller.close()
        await asyncio.gather(taking, return_exceptions=True)


async def test_handed_connections_are_encrypted_and_the_own_door_is_not(tmp_path: Path) -> None:
    files = write_certificate(tmp_path, 1)
    trusted = ssl.create_default_context(cafile=files["tls_cert"])
    async with gateway(tmp_path, files) as (server, door):
        async with handed_over(server) as (taking, caller):
            reader, writer = await asyncio.open_connection(
                sock=caller, ssl=trusted, server_hostname="localhost"
            )
            await taking
            assert server.connections == 1
            writer.write(REQUEST)
            async with asyncio.timeout(10):
                assert (await reader.read()).startswith(b"HTTP/1.1 200")
            writer.close()
        async with handed_over(server) as (taking, caller):
            await asyncio.get_running_loop().sock_sendall(caller, REQUEST)
            with pytest.raises(OSError, match="HTTP"):
                await asyncio.wait_for(taking, 10)
        transport = httpx.AsyncHTTPTransport(uds=str(door))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            assert (await http.get("/healthz")).status_code == 200


async def until_it_ends(server: Server) -> None:
    server.should_exit = True
    async with asyncio.timeout(10):
        while not server.ending:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)  # uvicorn would have closed what has not asked


@pytest.mark.parametrize("encrypted", [False, True])
async def test_who_asks_while_the_gateway_ends_is_answered(tmp_path: Path, encrypted: bool) -> None:
    files = write_certificate(tmp_path, 1) if encrypted else {}
    tls: dict[str, Any] = {}
    if encrypted:
        trusted = ssl.create_default_context(cafile=files["tls_cert"])
        tls = {"ssl": trusted, "server_hostname": "localhost"}
    async with gateway(tmp_path, files) as (server, _), handed_over(server) as (_, caller):
        await until_it_ends(server)
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_connection(sock=caller, **tls)
            writer.write(CALL)
            assert (await reader.read()).startswith(b"HTTP/1.1 503")
        writer.close()


async def test_who_asks_nothing_holds_nothing_up(tmp_path: Path) -> None:
    async with gateway(tmp_path, {}) as (server, _), handed_over(server) as (_, caller):
        await until_it_ends(server)
        async with asyncio.timeout(HEAD_DEADLINE_S / 2):
            assert await asyncio.get_running_loop().sock_recv(caller, 1) == b""
