"""What goes wrong around a server that runs for long, one thing after the other."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import resource
import signal
import sqlite3
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from voicepipe.lab.bench import recordings, socket_line
from voicepipe.lab.bench.usage import descendants

UNTIDY = 4
"""Callers at once that are cut off or do not read."""


@dataclass(frozen=True, slots=True)
class Target:
    """A server on this machine that may be harmed."""

    url: str  # ws://host:port/v1
    pid: int
    database: Path  # of its call log, SQLite
    luck: random.Random


async def kill_worker(target: Target) -> None:
    """An engine's process dies."""
    _signal(_worker(target), signal.SIGKILL)


async def freeze_worker(target: Target) -> None:
    """An engine's process stands still for a second."""
    await _frozen(_worker(target), 1.0)


async def freeze_server(target: Target) -> None:
    """The server itself stands still for 0.3 s, as on a machine that swaps."""
    await _frozen(target.pid, 0.3)


async def cut_connections(target: Target) -> None:
    """Callers vanish in the middle of a word: no close, no goodbye."""

    async def one() -> None:
        async with _connected(target) as ws:
            await _speak(ws)
            ws.transport.abort()

    await _at_once(one)


async def slow_readers(target: Target) -> None:
    """Callers ask for long answers and read nothing."""

    async def one() -> None:
        async with _connected(target) as ws:
            ws.transport.pause_reading()
            for _ in range(5):
                await _speak(ws)
                await ws.send('{"type": "response.create"}')
                await asyncio.sleep(1)
            ws.transport.abort()

    await _at_once(one)


async def offers_without_calls(target: Target) -> None:
    """WebRTC offers that nobody follows up."""
    from aiortc import RTCPeerConnection

    base = target.url.replace("ws", "http", 1)
    async with httpx.AsyncClient(trust_env=False) as http:
        for _ in range(UNTIDY):
            peer = RTCPeerConnection()
            peer.addTransceiver("audio")
            peer.createDataChannel("oai-events")
            await peer.setLocalDescription(await peer.createOffer())
            offer = peer.localDescription.sdp
            headers = {"Content-Type": "application/sdp"}
            await http.post(f"{base}/realtime/calls", content=offer, headers=headers)
            await peer.close()


async def full_disk(target: Target) -> None:
    """Files cannot grow for four seconds: the database and the recordings fail to be written."""
    before = resource.prlimit(target.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(target.pid, resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        await asyncio.sleep(4)
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(target.pid, resource.RLIMIT_FSIZE, before)


async def locked_database(target: Target) -> None:
    """Somebody else holds the call log's database for four seconds."""
    await asyncio.to_thread(_hold_database, target.database, 4.0)


Fault = Callable[[Target], Awaitable[None]]

FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        kill_worker,
        freeze_worker,
        freeze_server,
        cut_connections,
        slow_readers,
        offers_without_calls,
        full_disk,
        locked_database,
    )
}


@contextlib.asynccontextmanager
async def _connected(target: Target):  # type: ignore[no-untyped-def]  # what connect gives
    async with connect(f"{target.url}/realtime?model=m", max_size=None) as ws:
        with contextlib.suppress(WebSocketException, OSError):
            yield ws


async def _at_once(caller: Callable[[], Awaitable[None]]) -> None:
    """All to their end, so that none is left for the next fault; then raises what the first met."""
    ends = await asyncio.gather(*(caller() for _ in range(UNTIDY)), return_exceptions=True)
    for end in ends:
        if isinstance(end, BaseException):
            raise end


async def _speak(ws: ClientConnection) -> None:
    for frame in recordings.buzz(600).frames:
        await ws.send(socket_line.message(frame))


def _worker(target: Target) -> int | None:
    return target.luck.choice(found) if (found := descendants(target.pid)) else None


async def _frozen(pid: int | None, seconds: float) -> None:
    _signal(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(seconds)
    finally:
        _signal(pid, signal.SIGCONT)


def _signal(pid: int | None, what: signal.Signals) -> None:
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, what)


def _hold_database(path: Path, seconds: float) -> None:
    with contextlib.closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        time.sleep(seconds)
        database.execute("ROLLBACK")
