"""A long way to a server, without root: a relay of TCP connections that delays all bytes, both
ways. They arrive late, and as fast as before; how much waits is bounded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

PIECE = 65_536
PIECES_ON_THE_WAY = 256
"""Of each direction; more are read once these have arrived."""


@asynccontextmanager
async def delay_relay(
    target: tuple[str, int], delay_ms: float, port: int = 0
) -> AsyncIterator[tuple[str, int]]:
    """Where to connect to in place of `target`: each direction takes `delay_ms` longer."""
    connections: set[asyncio.Task[None]] = set()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        task.add_done_callback(connections.discard)
        with suppress(OSError, asyncio.CancelledError):
            await _connect_through(reader, writer, target, delay_ms / 1000)

    server = await asyncio.start_server(carry, "127.0.0.1", port)
    try:
        host, taken = server.sockets[0].getsockname()
        yield host, taken
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()


async def _connect_through(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    target: tuple[str, int],
    delay_s: float,
) -> None:
    try:
        there, back = await asyncio.open_connection(*target)
        try:
            async with asyncio.TaskGroup() as both:
                for source, sink in ((reader, back), (there, writer)):
                    _carry_one_way(both.create_task, source, sink, delay_s)
        except* OSError:
            pass  # one end is gone, so the other goes
        finally:
            back.close()
    finally:
        writer.close()


def _carry_one_way(
    start: Callable[..., Awaitable[None]],
    source: asyncio.StreamReader,
    sink: asyncio.StreamWriter,
    delay_s: float,
) -> None:
    """A reader that notes when each piece is due, and a writer that waits for that."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(PIECES_ON_THE_WAY)

    async def take() -> None:
        while True:
            piece = await source.read(PIECE)
            await pieces.put((loop.time() + delay_s, piece))
            if not piece:
                return

    async def give() -> None:
        while True:
            due, piece = await pieces.get()
            await asyncio.sleep(due - loop.time())
            if not piece:
                with suppress(OSError):
                    sink.write_eof()
                return
            sink.write(piece)
            await sink.drain()

    start(take())
    start(give())
