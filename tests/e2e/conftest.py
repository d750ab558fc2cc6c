"""One real server process on the built-in profile, shared by the end-to-end tests."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

START_DEADLINE_S = 90.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def builtin_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`host:port` of `voicepipe serve`, warm."""
    port = free_port()
    log_path: Path = tmp_path_factory.mktemp("server") / "serve.log"
    with log_path.open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "voicepipe", "serve", "--port", str(port)],
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        try:
            _await_health(server, port, log_path)
            yield f"127.0.0.1:{port}"
        finally:
            server.terminate()
            status = server.wait(timeout=20)
    text = log_path.read_text()
    assert status == 0, text
    assert "Traceback" not in text, text


def _await_health(server: subprocess.Popen[bytes], port: int, log_path: Path) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"the server ended at start:\n{log_path.read_text()}")
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"not healthy after {START_DEADLINE_S} s:\n{log_path.read_text()}")
