"""An alarm reaches somebody: Prometheus and Alertmanager themselves (Debian's), with our files."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from tests.deploy.test_prometheus import prometheus
from tests.serving import free_port

ROOT = Path(__file__).parents[2]
FILE = ROOT / "deploy" / "alertmanager" / "alertmanager.yml"
NOBODY = "http://127.0.0.1:9/nobody"
DEADLINE_S = 60.0


@contextlib.asynccontextmanager
async def somebody() -> AsyncIterator[tuple[str, asyncio.Queue[Any]]]:
    """Whoever is told: an address, and what was posted there."""
    told: asyncio.Queue[Any] = asyncio.Queue()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        (length,) = re.findall(r"(?i)content-length: (\d+)", head)
        told.put_nowait(json.loads(await reader.readexactly(int(length))))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/alarms", told


@contextlib.asynccontextmanager
async def alertmanager(folder: Path, tells: str) -> AsyncIterator[str]:
    """One with our file that tells `tells`, and does not wait for more alarms; its address."""
    text = FILE.read_text()
    assert NOBODY in text
    file = folder / "alertmanager.yml"
    file.write_text(text.replace(NOBODY, tells).replace("group_wait: 10s", "group_wait: 0s"))
    address = f"127.0.0.1:{free_port()}"
    process = await asyncio.create_subprocess_exec(
        "prometheus-alertmanager",
        f"--config.file={file}",
        f"--storage.path={folder}/alertmanager",
        f"--web.listen-address={address}",
        "--cluster.listen-address=",
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield address
    finally:
        process.terminate()
        await process.wait()


async def test_a_server_that_does_not_answer_is_told(tmp_path: Path) -> None:
    gone = f"127.0.0.1:{free_port()}"
    async with somebody() as (url, told), alertmanager(tmp_path, url) as address:
        async with prometheus(tmp_path, gone, alarms_to=address):
            async with asyncio.timeout(DEADLINE_S):
                news = await told.get()
    (alarm,) = news["alerts"]
    assert alarm["labels"]["alertname"] == "VoicepipeDown"
    assert gone in alarm["annotations"]["summary"]


def test_alertmanager_reads_the_file() -> None:
    checked = subprocess.run(
        ["amtool", "check-config", str(FILE)], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_compose_tells_whom_the_settings_name(tmp_path: Path) -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    (command,) = services["alertmanager"]["command"]
    write, _, start = command.replace("$$", "$").partition(" && ")
    assert start.startswith("exec ")
    there, here = tmp_path / "given.yml", tmp_path / "made.yml"
    there.write_text(FILE.read_text())
    write = write.replace("/etc/alertmanager/alertmanager.yml", str(there))
    write = write.replace("/tmp/alertmanager.yml", str(here))
    address = "https://alarms.example.com/a?key=1&room=2"
    subprocess.run(["sh", "-c", write], env={**os.environ, "ALARMS_TO": address}, check=True)
    (receiver,) = yaml.safe_load(here.read_text())["receivers"]
    assert receiver["webhook_configs"] == [{"url": address}]
    config = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
    (told,) = config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"]
    assert told.split(":")[0] in services
