"""`voicepipe tail` at a real server: what was, what comes, and who is let in."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import httpx
import pytest
from typer.testing import CliRunner

from tests.forked import ROOT, voicepipe
from tests.server.harness import running_server
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone
from voicepipe.cli.main import app
from voicepipe.cli.tail import BAR, Seen, Unreachable, _ask, turn_line

START_S = 90


async def a_turn(server: Any) -> None:
    async with raw(server) as ws:
        await send(ws, type="input_audio_buffer.append", audio=tone(600))
        await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
        await next_of(ws, "response.done")
        await ws.close()


@contextlib.asynccontextmanager
async def tailing(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voicepipe", "tail", url),
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def until(process: asyncio.subprocess.Process, wanted: str) -> None:
    assert process.stdout is not None
    async with asyncio.timeout(START_S):
        while wanted not in (await process.stdout.readline()).decode():
            assert not process.stdout.at_eof()


async def test_turns_are_shown_as_they_end_and_ctrl_c_ends_it_quietly() -> None:
    async with running_server() as server:
        await a_turn(server)
        async with tailing(server.http) as process:
            await until(process, " ms █")
            await a_turn(server)
            await until(process, " ms █")
            process.send_signal(signal.SIGINT)
            assert process.stdout is not None
            rest = (await process.stdout.read()).decode()
            assert await process.wait() == 0
            assert "Traceback" not in rest
            assert "calls open" in rest


async def test_once_shows_the_latest_and_their_percentiles(tmp_path: Path) -> None:
    async with running_server() as server:
        await a_turn(server)
        done = await asyncio.to_thread(voicepipe, "tail", server.http, "--once", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert " ms █" in first
    assert "last 1 answers: p50" in last


async def test_who_has_no_key_and_who_is_no_server_are_told(tmp_path: Path) -> None:
    async with running_server(server={"api_key": "secret"}) as server:
        refused = await asyncio.to_thread(voicepipe, "tail", server.http, "--once", cwd=tmp_path)
        let_in = await asyncio.to_thread(
            voicepipe, "tail", server.http, "--once", "--key", "secret", cwd=tmp_path
        )
        gone = server.http
    assert refused.returncode == 2
    assert "wants its key: give --key" in refused.stderr
    assert let_in.returncode == 0
    nobody = voicepipe("tail", gone, "--once", cwd=tmp_path)
    assert nobody.returncode == 2
    assert "No voicepipe answers at" in nobody.stderr


class Listener(BaseHTTPRequestHandler):
    """Of a server: it has no turns, and keeps the keys that it was given."""

    keys: ClassVar[list[bytes]] = []

    def do_GET(self) -> None:
        self.keys.append(self.headers["Authorization"].encode("latin-1"))
        ready = {"sessions": 0, "max_sessions": 9, "problem": "", "drift": []}
        body = json.dumps(ready).encode() if self.path == "/readyz" else b""
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def test_a_key_of_any_letters_is_sent_as_the_server_reads_it() -> None:
    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        done = CliRunner().invoke(app, ["tail", url, "--once", "--key", "Schlüssel-мост"])
        server.shutdown()
    assert done.exit_code == 0, done.output
    assert set(Listener.keys) == {"Bearer Schlüssel-мост".encode()}


def turn(**critical: float) -> dict[str, Any]:
    return {
        "turn_id": "turn_1",
        "session_id": "sess_0123456789",
        "voice_to_voice_ms": sum(critical.values()) or None,
        "critical_ms": critical or None,
        "end": "completed" if critical else "no_speech",
        "over_budget": ["llm"] if critical.get("llm", 0) > 100 else [],
        "tools": [{"name": "look_up", "failed": True}] if "tool" in critical else [],
    }


def test_a_line_shows_the_wait_in_proportion_and_says_what_was_over() -> None:
    line = turn_line(turn(endpoint=300, llm=200)).plain
    assert line.startswith("456789     500 ms " + "█" * (BAR // 2) + " ")
    assert line.endswith("completed, over: llm")
    long = turn_line(turn(endpoint=300, tool=5000)).plain
    assert "█" * (BAR - 1) + "▸ completed, look_up failed" in long
    assert "-" in turn_line(turn()).plain


def test_a_turn_is_shown_once() -> None:
    seen = Seen()
    assert len(list(seen.new([turn(llm=1)]))) == 1
    assert list(seen.new([turn(llm=1)])) == []


@pytest.mark.parametrize(
    ("ready", "turns"), [("null", ""), ("7", ""), ('{"sessions": 1}', "<html>"), ("{}", "")]
)
def test_another_program_at_that_port_is_said_to_be_one(ready: str, turns: str) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text=ready if request.url.path == "/readyz" else turns)

    transport = httpx.MockTransport(answer)
    with (
        httpx.Client(base_url="http://localhost:8080", transport=transport) as http,
        pytest.raises(Unreachable, match="is no voicepipe"),
    ):
        _ask(http)


def test_what_is_no_address_is_said_to_be_none() -> None:
    done = CliRunner().invoke(app, ["tail", "--once", "http://[::1"])
    assert done.exit_code == 2
    assert "http://[::1 is no address" in done.stderr
