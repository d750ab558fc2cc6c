"""A Redis small enough for tests: RESP over a real socket, GET and SET with PX, and trouble."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class RespServer:
    """`trouble`: "" answers, "hang" does not, "error" answers with one."""

    port: int = 0
    values: dict[bytes, bytes] = field(default_factory=dict)
    lifetimes_ms: dict[bytes, int] = field(default_factory=dict)
    trouble: str = ""
    commands: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def answer(self, command: list[bytes]) -> bytes:
        name = command[0].upper()
        self.commands.append(name)
        if self.trouble == "error" and name in (b"GET", b"SET"):
            return b"-LOADING the dataset is being loaded\r\n"
        if name == b"GET":
            value = self.values.get(command[1])
            return b"_\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
        if name == b"SET":
            self.values[command[1]] = command[2]
            assert command[3].upper() == b"PX"
            self.lifetimes_ms[command[1]] = int(command[4])
            return b"+OK\r\n"
        if name == b"HELLO":  # the client asks for RESP3 from then on
            return b"%1\r\n$5\r\nproto\r\n:3\r\n"
        return b"+OK\r\n"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while header := await reader.readline():
                command = []
                for _ in range(int(header[1:])):
                    size = int((await reader.readline())[1:])
                    command.append((await reader.readexactly(size + 2))[:size])
                if self.trouble == "hang" and command[0].upper() in (b"GET", b"SET"):
                    continue
                writer.write(self.answer(command))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went
        finally:
            writer.close()


@asynccontextmanager
async def resp_server() -> AsyncIterator[RespServer]:
    state = RespServer()
    server = await asyncio.start_server(state.serve, "127.0.0.1", 0)
    state.port = server.sockets[0].getsockname()[1]
    try:
        yield state
    finally:
        server.close()
        await asyncio.sleep(0.01)
