"""Nobody keeps others out by holding what they do not use."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.server.harness import RunningServer, running_server
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import only_call
from tests.server.webrtc.caller import call, caller, client
from voicepipe.server import run

HALF = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
SDP = {"Content-Type": "application/sdp"}


class Raw:
    """A connection without a client's good manners."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def is_closed(self, within_s: float) -> bool:
        try:
            async with asyncio.timeout(within_s):
                while await self.reader.read(1000):
                    pass
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True


@contextlib.asynccontextmanager
async def raw(server: RunningServer) -> AsyncIterator[Raw]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield Raw(reader, writer)
    finally:
        writer.close()


@pytest.mark.parametrize("sent", [b"", HALF, WHOLE + HALF])
async def test_headers_that_never_end_are_given_up(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(run, "HEAD_DEADLINE_S", 0.3)
    async with running_server() as server, raw(server) as slow:
        slow.writer.write(sent)
        dripping = asyncio.create_task(drip(slow.writer))
        try:
            assert await slow.is_closed(3)
        finally:
            dripping.cancel()


async def drip(writer: asyncio.StreamWriter) -> None:
    """A byte now and then, so that it looks alive."""
    while True:
        await asyncio.sleep(0.1)
        writer.write(b"x")


async def test_streams_and_slow_answers_outlive_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "HEAD_DEADLINE_S", 0.2)
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as http:
        async with connect(f"{server.ws}/realtime?model=m") as ws:
            await ws.recv()
            await asyncio.sleep(0.5)
            await ws.send('{"type":"input_audio_buffer.clear"}')
            assert "cleared" in str(await ws.recv())
        for _ in range(3):  # one connection, kept alive over several deadlines
            assert (await http.get("/healthz")).status_code == 200
            await asyncio.sleep(0.3)


async def test_slow_connections_give_way_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MAX_WAITING", 3)
    async with running_server() as server, contextlib.AsyncExitStack() as stack:
        slow = [await stack.enter_async_context(raw(server)) for _ in range(4)]
        assert await slow[0].is_closed(3), "the one that waited longest"
        assert not await slow[3].is_closed(0.1)
        async with httpx.AsyncClient(base_url=server.http) as http:
            assert (await http.get("/healthz")).status_code == 200


async def test_offers_that_are_never_connected_do_not_hold_the_server() -> None:
    few, five = {"max_unconnected": 3}, {"max_sessions": 5}
    async with running_server(webrtc=few, limits=five) as server, client(server) as http:
        async with caller() as idle:
            offer = await idle.offer()
            for _ in range(8):
                answer = await http.post("/v1/realtime/calls", content=offer, headers=SDP)
                assert answer.status_code == 201
                assert len(server.service.sessions) <= 3
        async with call(server):
            assert len(server.service.sessions) <= 3
    await nothing_left(server)


async def test_bytes_that_are_no_utf8_close_the_stream_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with running_server() as server:
        async with connect(f"{server.ws}/realtime?model=m") as ws:
            await ws.recv()
            await ws.send(b"\xff\xfe{", text=True)
            with pytest.raises(ConnectionClosed) as closed:
                await ws.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1007
        await nothing_left(server)
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_key_in_the_subprotocols_opens_no_plain_request() -> None:
    async with running_server(server={"api_key": "k3y"}) as server:
        async with httpx.AsyncClient(base_url=server.http) as http:
            header = {"Sec-WebSocket-Protocol": "openai-insecure-api-key.k3y"}
            assert (await http.get("/v1/turns", headers=header)).status_code == 401


async def test_without_the_key_nobody_learns_what_runs_here() -> None:
    async with running_server(server={"api_key": "k3y"}) as server:
        async with httpx.AsyncClient(base_url=server.http) as http:
            assert (await http.get("/readyz")).json() == {"ready": True}
            told = (await http.get("/web/server")).json()
            assert set(told) == {"ready", "key", "origin_allowed", "full"}
            key = {"Authorization": "Bearer k3y"}
            assert "engines" in (await http.get("/readyz", headers=key)).json()
            assert "profile" in (await http.get("/web/server", headers=key)).json()


async def test_handshake_of_other_bytes_is_the_clients_mistake() -> None:
    head = b"GET /v1/realtime?model=m HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
    key = b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \xce\xef\r\n\r\n"
    async with running_server() as server, raw(server) as odd:
        odd.writer.write(head + key)
        async with asyncio.timeout(5):
            assert b" 400 " in await odd.reader.readline()


@pytest.mark.parametrize(
    "head",
    [
        b"POST /v1/realtime?model=m HTTP/1.1\r\n",
        b"GET /v1/realtime?model=m HTTP/1.1\r\nCookie: " + b"x" * 9000 + b"\r\n",
        b"GET /v1/realtime?model=m HTTP/1.1\r\n" + b"X-More: y\r\n" * 130,
    ],
)
async def test_a_handshake_that_cannot_be_read_is_refused_and_held_open_by_nobody(
    head: bytes,
) -> None:
    more = b"Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    key = b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    async with running_server() as server, raw(server) as odd:
        odd.writer.write(head + more + key)
        async with asyncio.timeout(5):
            assert b" 400 " in await odd.reader.readline()
        assert await odd.is_closed(5)


@pytest.mark.parametrize("frame", [b"\x83\x80\0\0\0\0", b"\x81\x01x", b"\x81\x81\0\0\0\0\xff"])
async def test_garbage_before_the_handshake_is_answered_ends_it_without_a_traceback(
    frame: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """A call that rings waits for a program, and so its handshake for an answer."""
    head = b"GET /v1/realtime?model=m HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
    more = b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    key = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    sections = {"telephony": {"incoming_ms": 500}, "server": {"wait_for_program": True}}
    async with running_server(None, wait_ready=True, **sections) as server, raw(server) as odd:
        odd.writer.write(head + more + key)
        await only_call(server)
        odd.writer.write(frame)
        assert await odd.is_closed(5)
        await nothing_left(server)
    assert not [record for record in caplog.records if record.exc_info]
