"""The long way: late, whole, in order, and closed when either end is."""

from __future__ import annotations

import asyncio

from voicepipe.lab.delay_relay import delay_relay

DELAY_MS = 40.0
SENT = bytes(range(256)) * 4000  # a megabyte: more than one read, and than a socket's buffer


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(65_536):
        writer.write(piece)
        await writer.drain()
    writer.close()


async def test_bytes_arrive_whole_and_late() -> None:
    async with (
        await asyncio.start_server(_echo, "127.0.0.1", 0) as server,
        delay_relay(server.sockets[0].getsockname(), DELAY_MS) as address,
    ):
        reader, writer = await asyncio.open_connection(*address)
        loop = asyncio.get_running_loop()
        began = loop.time()
        writer.write(b"?")
        assert await reader.readexactly(1) == b"?"
        assert (loop.time() - began) * 1000 >= 2 * DELAY_MS - 1

        writer.write(SENT)
        writer.write_eof()
        async with asyncio.timeout(10):
            assert await reader.read() == SENT  # to its end: the relay closes what is closed
        writer.close()


async def test_the_end_of_the_block_cuts_what_is_open() -> None:
    async with await asyncio.start_server(_echo, "127.0.0.1", 0) as server:
        async with delay_relay(server.sockets[0].getsockname(), DELAY_MS) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"?")
            assert await reader.readexactly(1) == b"?"
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()


async def test_nobody_behind_it() -> None:
    async with await asyncio.start_server(_echo, "127.0.0.1", 0) as server:
        gone = server.sockets[0].getsockname()
    async with delay_relay(gone, DELAY_MS) as address:
        reader, writer = await asyncio.open_connection(*address)
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()
