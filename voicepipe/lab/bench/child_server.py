"""A server of our own to measure, in a process of its own on a free port."""

from __future__ import annotations

import asyncio
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from voicepipe.runtime.errors import VoicepipeError

START_DEADLINE_S = 120.0
STOP_DEADLINE_S = 15.0
_LOG_TAIL = 2000  # characters of its output that are shown when it fails


class ServerFailed(VoicepipeError):
    """The server did not come up; the message ends with what it said."""


@dataclass(frozen=True, slots=True)
class ChildServer:
    url: str  # for `socket_line.connect`
    pid: int
    startup_s: float  # from the start of the process to a warm /readyz


@asynccontextmanager
async def child_server(arguments: Sequence[str]) -> AsyncIterator[ChildServer]:
    """`voicepipe serve ARGUMENTS` for the length of the block. Raises ServerFailed."""
    port = _free_port()
    command = ("serve", "--host", "127.0.0.1", "--port", str(port), *arguments)
    with tempfile.TemporaryFile() as log:
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "voicepipe", *command, stdin=None, stdout=log, stderr=log
        )
        try:
            if not await _warm(process, f"http://127.0.0.1:{port}/readyz"):
                log.seek(0)
                said = log.read().decode(errors="replace").strip()[-_LOG_TAIL:]
                raise ServerFailed(f"the server did not come up; it said:\n{said}")
            yield ChildServer(f"ws://127.0.0.1:{port}/v1", process.pid, time.monotonic() - began)
        finally:
            await _stop(process)


async def _warm(process: asyncio.subprocess.Process, url: str) -> bool:
    deadline = time.monotonic() + START_DEADLINE_S
    async with httpx.AsyncClient(trust_env=False) as client:
        while process.returncode is None and time.monotonic() < deadline:
            try:
                if (await client.get(url, timeout=5)).status_code == 200:
                    return True
            except httpx.TransportError:
                pass  # it does not listen yet
            await asyncio.sleep(0.05)
    return False


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(STOP_DEADLINE_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
