"""The server reads on while a few small messages wait, and no further: what waits has a bound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.frames import Frame, Opcode

from voicepipe.config import Settings
from voicepipe.server.run import uvicorn_server
from voicepipe.server.websocket_reading import (
    MOST_WAITING,
    PIECE,
    SMALL,
    ReadingProtocol,
    take_at_once,
)


class Gate:
    """An application that accepts, and reads only once it is told to."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.taken: list[str] = []

    async def __call__(self, websocket: WebSocket) -> None:
        await websocket.accept()
        await self.open.wait()
        async for text in websocket.iter_text():
            self.taken.append(text)
            if text == "last":
                await websocket.close()


@asynccontextmanager
async def serving(gate: Gate | Taker) -> AsyncIterator[tuple[str, Iterable[object]]]:
    """The address, and the server's own set of connections."""
    app = Starlette(routes=[WebSocketRoute("/", gate.__call__)])
    server = uvicorn_server(app, Settings(server={"port": 0}))
    task = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(10):
            while not server.started:
                await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}/", server.server_state.connections
    finally:
        server.should_exit = True
        await task


async def until_still(protocol: ReadingProtocol) -> None:
    """Nothing more arrives."""
    before = -1
    while protocol.queue.qsize() != before:
        before = protocol.queue.qsize()
        await asyncio.sleep(0.2)


async def the_one(connections: Iterable[object]) -> ReadingProtocol:
    async with asyncio.timeout(5):
        while True:
            for protocol in connections:
                assert isinstance(protocol, ReadingProtocol)
                return protocol
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("size", [1_000, SMALL + 1])
async def test_what_waits_is_bounded_and_nothing_is_lost(size: int) -> None:
    gate = Gate()
    sent = [f"{number:05d}" + "x" * (size - 5) for number in range(16_000_000 // size)]
    sent.append("last")
    async with serving(gate) as (url, connections), connect(url) as client:
        protocol = await the_one(connections)
        sending = asyncio.create_task(send_all(client, sent))
        await until_still(protocol)
        waiting = protocol.queue.qsize()
        assert not protocol.transport.is_reading()
        one_read = 256 * 1024 // size + 2  # asyncio takes as much at a time
        assert waiting <= (MOST_WAITING if size <= SMALL else 1) + one_read
        gate.open.set()
        async with asyncio.timeout(20):
            await sending
            await client.wait_closed()
    assert gate.taken == sent


async def test_reading_goes_on_while_little_waits() -> None:
    gate = Gate()
    async with serving(gate) as (url, connections), connect(url) as client:
        protocol = await the_one(connections)
        for number in range(MOST_WAITING):
            await client.send(str(number))
        async with asyncio.timeout(5):
            while protocol.queue.qsize() < MOST_WAITING:
                await asyncio.sleep(0.01)
        assert protocol.transport.is_reading()
        gate.open.set()
        await client.send("last")
        async with asyncio.timeout(5):
            await client.wait_closed()
    assert len(gate.taken) == MOST_WAITING + 1


async def send_all(client: ClientConnection, messages: list[str]) -> None:
    for message in messages:
        await client.send(message)


async def test_thousands_of_tiny_messages_are_not_taken_in_at_once() -> None:
    gate = Gate()
    async with serving(gate) as (url, connections), connect(url) as ws:
        for _ in range(20_000):
            await ws.send("x")
        (protocol,) = (c for c in connections if isinstance(c, ReadingProtocol))
        await until_still(protocol)
        assert protocol.queue.qsize() <= MOST_WAITING + PIECE // len(b"\x81\x81mask" + b"x")
        gate.open.set()
        await ws.send("last")
        async with asyncio.timeout(30):
            async for _ in ws:
                pass
        assert len(gate.taken) == 20_001


async def test_a_large_text_is_one_message_whatever_its_characters() -> None:
    gate = Gate()
    gate.open.set()
    texts = ["ü" * 200_001, "a" + "🎙" * 100_000, "x" * 3_000_000]
    async with serving(gate) as (url, _), connect(url) as ws:
        for text in (*texts, "last"):
            await ws.send(text)
        async with asyncio.timeout(10):
            await ws.wait_closed()
    assert gate.taken == [*texts, "last"]


async def test_what_a_client_fragments_by_itself_is_one_message() -> None:
    gate = Gate()
    gate.open.set()
    pieces = ["ä" * 50_001, "b" * 3, "", "ö" * 70_000]
    async with serving(gate) as (url, _), connect(url) as ws:
        await ws.send(pieces)
        await ws.send("last")
        async with asyncio.timeout(10):
            await ws.wait_closed()
    assert gate.taken == ["".join(pieces), "last"]


async def test_a_large_text_that_is_no_utf_8_ends_its_connection_with_the_code_for_it() -> None:
    gate = Gate()
    gate.open.set()
    async with serving(gate) as (url, _), connect(url) as ws:
        await ws.send(b"x" * 100_000 + b"\xff", text=True)
        async with asyncio.timeout(10):
            await ws.wait_closed()
    assert ws.close_code == 1007
    assert gate.taken == []


class Taker:
    """An application that takes at once what begins with "now", and reads the rest."""

    def __init__(self) -> None:
        self.came: list[str] = []
        self.at_once = 0

    async def __call__(self, websocket: WebSocket) -> None:
        await websocket.accept()
        take_at_once(websocket.scope, self.take)
        async for text in websocket.iter_text():
            self.came.append(text)
            if text == "last":
                await websocket.close()

    def take(self, text: bytes) -> bool:
        if not text.startswith(b"now"):
            return False
        self.came.append(text.decode())
        self.at_once += 1
        return True


async def test_what_is_taken_at_once_keeps_its_place_among_the_rest() -> None:
    taker = Taker()
    sent: list[str | list[str]] = []
    for number in range(300):
        sent.append(f"now {number} " + "x" * 1300)
        if number % 7 == 0:
            sent.append(f"later {number} " + "y" * (number * 200))
        if number % 31 == 0:
            sent.append([f"now in pieces {number} " + "z" * 300, "z" * 700])
    whole = ["".join(one) for one in sent]
    async with serving(taker) as (url, _), connect(url) as ws:
        for one in sent:
            await ws.send(one)
            if len(one) < 1000:
                await asyncio.sleep(0.001)
        await ws.ping()
        await ws.send("last")
        async with asyncio.timeout(10):
            await ws.wait_closed()
    assert taker.came == [*whole, "last"]
    assert taker.at_once > 100


async def test_what_is_taken_at_once_never_waits_for_the_next_frame() -> None:
    taker = Taker()
    async with serving(taker) as (url, connections), connect(url) as ws:
        protocol = await the_one(connections)
        for number in range(20):
            await ws.send(f"now {number} " + "x" * 1300)
            async with asyncio.timeout(5):
                while taker.at_once <= number:
                    await asyncio.sleep(0.001)
        assert protocol.queue.empty()


async def test_nothing_is_taken_at_once_after_a_broken_frame() -> None:
    taker = Taker()
    async with serving(taker) as (url, _), connect(url) as ws:
        await ws.send("now " + "x" * 300)
        ws.transport.write(b"\xf1\xfe\x00\xc8" + bytes(204))  # bits that nobody has agreed upon
        ws.transport.write(Frame(Opcode.TEXT, b"now " + b"y" * 300).serialize(mask=True))
        async with asyncio.timeout(10):
            await ws.wait_closed()
    assert ws.close_code == 1002
    assert taker.at_once == 1
