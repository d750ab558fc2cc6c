"""A real `voicepipe serve` process on a free port, for tests that knock at its doors."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from tests.forked import Voicepipe

START_DEADLINE_S = 240.0  # on a busy machine

Server = Voicepipe | subprocess.Popen[bytes]


def free_port() -> int:
    """Below those that the kernel gives to whoever asks for any: no other test is given it before a
    server has it. Chosen by no seed, which others might share."""
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def serving(
    log_path: Path,
    *options: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    start_s: float = START_DEADLINE_S,
) -> Iterator[str]:
    """`host:port` of `voicepipe serve OPTIONS`, warm. Its end must be clean and without traceback;
    what it says goes to `log_path`. `env`: its whole environment; it is really started then, by a
    Python of its own, not forked."""
    port = free_port()
    words = ("serve", "--port", str(port), *options)
    if env is None:
        server: Server = Voicepipe(*words, output=log_path, cwd=cwd)
    else:
        server = _started(words, log_path, cwd, env)
    try:
        _await_health(server, port, log_path, start_s)
        yield f"127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            status = server.wait(timeout=60)
        finally:
            server.kill()  # or the end of all tests waits for it
    text = log_path.read_text()
    assert status == 0, text
    assert "Traceback" not in text, text


def _started(
    words: Sequence[str], log_path: Path, cwd: Path | None, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    with log_path.open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "voicepipe", *words],
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=cwd,
            env=env,
        )


def _await_health(server: Server, port: int, log_path: Path, start_s: float) -> None:
    deadline = time.monotonic() + start_s
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"the server ended at start:\n{log_path.read_text()}")
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"not healthy after {start_s:g} s:\n{log_path.read_text()}")
