#!/usr/bin/env python3
"""Two servers behind Caddy are restarted one after the other while people call: no turn is lost.

    python -m scripts.rolling_restart [--callers 50]

Callers come and go all the time, two turns each. Exit status 1: a turn was lost, or a caller was
not let in. Needs `caddy` (Debian has it)."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from voicepipe.lab.bench import recordings
from voicepipe.lab.bench.load import Plan, socket_load
from voicepipe.runtime.errors import VoicepipeError

CADDYFILE = """{{
	admin off
	auto_https off
}}
http://127.0.0.1:{port} {{
	reverse_proxy {servers} {{
		health_uri /readyz
		health_interval 1s
		lb_policy least_conn
		lb_try_duration 10s
	}}
}}
"""
STOPPING = {"LAME_DUCK_S": "4", "DRAIN_S": "120", "SHUTDOWN_S": "5"}
READY_S = 120.0
BEFORE_S = 8.0
"""Of calls before the first restart, and after each."""

TURNS = 2


@dataclass(slots=True)
class Outcome:
    """What the callers had; `restarts`: seconds from SIGTERM until the process had ended."""

    turns: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    restarts_s: list[float] = field(default_factory=list)


async def roll(callers: int, say: Callable[[str], None]) -> Outcome:
    """Start all, call, restart each server once, stop calling."""
    outcome, over = Outcome(), asyncio.Event()
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = [_Server(_free_port()) for _ in range(2)]
        for server in servers:
            await server.start()
            stack.push_async_callback(server.stop)
        front = await stack.enter_async_context(_caddy(folder, [s.port for s in servers]))
        calling = asyncio.gather(*(_call(front, n, over, outcome) for n in range(callers)))
        try:
            await asyncio.sleep(BEFORE_S)
            for number, server in enumerate(servers, 1):
                say(f"server {number} is told to stop after {outcome.turns} turns")
                outcome.restarts_s.append(await server.stop())
                await server.start()
                say(f"server {number} is back, {outcome.restarts_s[-1]:.0f} s to the old one's end")
                await asyncio.sleep(BEFORE_S)
        finally:
            over.set()
            await calling
    return outcome


class _Server:
    def __init__(self, port: int) -> None:
        self.port = port
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        stopping = {f"VOICEPIPE_SERVER__{name}": value for name, value in STOPPING.items()}
        command = ("serve", "--profile", "simulated", "--port", str(self.port))
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "voicepipe", *command),
            env={**os.environ, **stopping, "VOICEPIPE_LIMITS__MAX_SESSIONS": "1000"},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await _answers(f"http://127.0.0.1:{self.port}/readyz")

    async def stop(self) -> float:
        """Seconds from SIGTERM to its end."""
        process, self._process = self._process, None
        began = time.monotonic()
        if process is not None and process.returncode is None:
            process.terminate()
            await process.wait()
        return time.monotonic() - began


async def _call(url: str, number: int, over: asyncio.Event, outcome: Outcome) -> None:
    """One caller after the other."""
    await asyncio.sleep(BEFORE_S * (number % 16) / 16)
    plan = Plan(recordings.load(None), 1, TURNS)
    while not over.is_set():
        try:
            heard = await socket_load(plan, url)
        except VoicepipeError as error:
            outcome.turns += TURNS
            outcome.lost[str(error)] += TURNS
            continue
        outcome.turns += len(heard.turns)
        outcome.lost.update(turn.lost for turn in heard.turns if turn.lost is not None)


@contextlib.asynccontextmanager
async def _caddy(folder: Path, ports: list[int]) -> AsyncIterator[str]:
    port, file = _free_port(), folder / "Caddyfile"
    servers = " ".join(f"127.0.0.1:{one}" for one in ports)
    file.write_text(CADDYFILE.format(port=port, servers=servers))
    process = await asyncio.create_subprocess_exec(
        *("caddy", "run", "--adapter", "caddyfile", "--config", str(file)),
        env={**os.environ, "XDG_DATA_HOME": str(folder), "HOME": str(folder)},
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _answers(f"http://127.0.0.1:{port}/readyz")
        yield f"ws://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        await process.wait()


async def _answers(url: str) -> None:
    async with asyncio.timeout(READY_S), httpx.AsyncClient(trust_env=False) as http:
        while True:
            with contextlib.suppress(httpx.TransportError):
                if (await http.get(url)).status_code == httpx.codes.OK:
                    return
            await asyncio.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main() -> int:
    parser = argparse.ArgumentParser(description="Restart servers one by one under calls.")
    parser.add_argument("--callers", type=int, default=50, help="at once")
    options = parser.parse_args()
    began = time.monotonic()
    outcome = asyncio.run(
        roll(options.callers, lambda what: print(f"{time.monotonic() - began:6.1f} s  {what}"))
    )
    lost = outcome.lost.total()
    print(f"{options.callers} callers at once, {outcome.turns} turns, {lost} lost")
    for why, count in outcome.lost.most_common():
        print(f"  {count} x {why}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
