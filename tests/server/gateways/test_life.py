"""From the start of a server of several processes to its end."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from tests.forked import voicepipe
from tests.server.gateways.harness import DEADLINE_S, OWNER, Server, apart, gateways, talker
from tests.serving import free_port
from voicepipe.cli.gateways import _shared_folder
from voicepipe.config import Settings
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.gateways.listeners import http_listener

SETTINGS = """
profile = "builtin"
[server]
api_key = "the-owners-key"
processes = 2
drain_s = 30
[asr]
engine = "simulated"
[asr.second]
engine = ""
[tts]
engine = "simulated"
[keys.hour]
key = "key-of-an-hour"
minutes_a_day = 0.0001
[calls]
enabled = true
[agents.bar]
greeting = "Hello."
# {audiosocket}
"""
"""The language model is real, and so lies in the process that holds heavy engines."""


async def refused(server: Server, key: str) -> tuple[int, str]:
    with pytest.raises(InvalidStatus) as raised:
        async with talker(server, key=key):
            pass
    answer = raised.value.response
    return answer.status_code, (answer.body or b"").decode()


async def until_refused(server: Server, key: str) -> None:
    """As one that stops: the gateway without a call may hear of it a little later."""
    refusals: list[int] = []
    async with asyncio.timeout(DEADLINE_S):
        while not refusals:
            try:
                async with talker(server, key=key):
                    await asyncio.sleep(0.05)
            except InvalidStatus as error:
                refusals.append(error.response.status_code)
    assert refusals == [503]


def engines_pid(folder: Path) -> int:
    """The process that listens at the engines' socket."""
    (path,) = folder.glob("voicepipe-*/engines.sock")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(path))
        credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[:4], "little")


async def until_in_log(folder: Path, text: str, count: int = 1) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while (folder / "log.txt").read_text().count(text) < count:
            await asyncio.sleep(0.05)


def number_in(database: Path, question: str) -> float:
    """0 where there is nothing yet."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        try:
            ((number,),) = connection.execute(question)
        except sqlite3.OperationalError:
            return 0.0
    return float(number or 0)


def kept_seconds(folder: Path) -> float:
    """Of the key, in what a restart leaves."""
    file = folder / "voicepipe" / "key_use.sqlite3"
    return number_in(file, "SELECT sum(seconds) FROM used WHERE key = 'hour'")


async def test_engines_are_replaced_agents_loaded_calls_drained_and_minutes_kept(
    tmp_path: Path,
) -> None:
    with gateways(tmp_path, settings=SETTINGS) as server:
        async with apart(server) as (one, other):
            await asyncio.gather(one.turn(), other.turn())
            os.kill(engines_pid(tmp_path), signal.SIGKILL)
            await until_in_log(tmp_path, "the engines' process was ended by SIGKILL")
            await until_in_log(tmp_path, "engines ready, at", 2)
            async with asyncio.timeout(DEADLINE_S):
                while not (await server.get("/readyz"))["ready"]:
                    await asyncio.sleep(0.05)
            await asyncio.gather(one.turn(), other.turn())
        async with talker(server, key="key-of-an-hour") as short:
            await short.turn()
            await asyncio.sleep(0.07)  # longer than its minutes, however quick the answer was
        async with asyncio.timeout(DEADLINE_S):
            while kept_seconds(tmp_path) < 0.006:
                await asyncio.sleep(0.05)
        for _ in range(2):  # each gateway once
            assert (await refused(server, "key-of-an-hour"))[0] == 429
        with (tmp_path / "voicepipe.toml").open("a") as file:
            file.write('[agents.desk]\ngreeting = "Good day."\n')
        server.process.send_signal(signal.SIGHUP)
        await until_in_log(tmp_path, "agents loaded anew: bar, desk", 2)
        async with talker(server) as last:
            server.process.send_signal(signal.SIGTERM)
            await until_in_log(tmp_path, "1 calls go on, for 30 s at most")
            await until_refused(server, "the-owners-key")
            await last.turn()
    calls = tmp_path / "voicepipe" / "calls.sqlite3"
    assert number_in(calls, "SELECT count(*) FROM calls WHERE ended_at IS NOT NULL") >= 4
    assert number_in(calls, "SELECT count(*) FROM calls WHERE ended_at IS NULL") == 0


async def answers(server: Server, over: asyncio.Event) -> list[bytes]:
    """To requests without end, each by a connection of its own."""
    found: list[bytes] = []
    while not over.is_set():
        async with asyncio.timeout(DEADLINE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            await asyncio.sleep(0.02)  # from afar
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            try:
                found.append((await reader.read()).partition(b"\r\n")[0])
            except ConnectionResetError:
                found.append(b"")
            writer.close()
    return found


async def test_a_gateway_that_ends_takes_no_connection_along(tmp_path: Path) -> None:
    with gateways(tmp_path) as server:
        over = asyncio.Event()
        asking = [asyncio.create_task(answers(server, over)) for _ in range(8)]
        for _ in range(3):
            before = {one["pid"] for one in await server.gateways()}
            victim = before.pop()
            os.kill(victim, signal.SIGTERM)

            def replaced(found: list[dict[str, Any]], gone: int = victim) -> bool:
                return len(found) == 2 and gone not in [one["pid"] for one in found]

            await server.until(replaced)
        over.set()
        found = [answer for each in await asyncio.gather(*asking) for answer in each]
    assert set(found) == {b"HTTP/1.1 200 OK"}, f"{found.count(b'')} of {len(found)}"


def test_a_port_that_is_taken_is_said_before_anything_loads(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        chosen = ("--port", str(free_port()), "--set", f"telephony.audiosocket.port={port}")
        done = voicepipe("serve", "--processes", "2", *chosen, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"voicepipe: error: port {port} of 127.0.0.1 is in use")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("host", ["voice..example.com", "x" * 70, "no such host"])
def test_a_host_that_is_none_is_said_in_one_line(host: str) -> None:
    with pytest.raises(ConfigError, match=f"^cannot listen on {host}, port 8080: .+$"):
        http_listener(Settings(server={"host": host}))


def test_what_keeps_gateways_from_starting_is_said_once(tmp_path: Path) -> None:
    done = voicepipe(
        *("serve", "--processes", "2", "--profile", "simulated", "--port", str(free_port())),
        *("--set", "calls.record_audio=true"),
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr.count("calls.enabled is off") == 1, done.stderr
    missing = voicepipe(  # in the engines' process
        *("serve", "--processes", "2", "--port", str(free_port()), "--no-pull"),
        *("--set", f"llm.model={tmp_path / 'nowhere'}"),
        cwd=tmp_path,
    )
    assert missing.returncode == 2
    assert missing.stderr.count(str(tmp_path / "nowhere")) == 1, missing.stderr
    assert not list(tmp_path.glob("voicepipe-*"))


def test_a_folder_too_deep_for_sockets_is_said_in_one_line(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    chosen = ("--processes", "2", "--profile", "simulated", "--port", str(free_port()))
    done = voicepipe("serve", *chosen, cwd=tmp_path, env={"TMPDIR": str(deep)})
    assert done.returncode == 2
    assert done.stderr.count("the path of a socket may have 107 bytes at most") == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert not list(deep.glob("voicepipe-*"))


def test_a_disk_that_is_full_is_said_and_nothing_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(ConfigError, match="set TMPDIR to another"), _shared_folder():
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="No such file"), _shared_folder():
        pass


async def test_gateways_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    with gateways(tmp_path, is_killed=True) as server:
        pids = [one["pid"] for one in await server.gateways()]
        server.process.kill()
        server.process.wait()
        async with asyncio.timeout(DEADLINE_S):
            while any(_lives(pid) for pid in pids):
                await asyncio.sleep(0.05)
        with pytest.raises(httpx.ConnectError):
            async with httpx.AsyncClient(base_url=server.http, headers=OWNER) as http:
                await http.get("/healthz")


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
