"""`examples/voicepipe-acme`, installed by pip into a folder of its own, answers a real call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.serving import serving

ROOT = Path(__file__).parents[2]
PIECES = ("It is half past ", "nine in Acme Town.")


class Acme(BaseHTTPRequestHandler):
    """The service: it knows one model, and wants its key."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str, dict[str, Any]]]

    def do_GET(self) -> None:
        self._answer(200 if self.path == "/us/models/acme-large-2" else 404, b"{}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers["Authorization"], body))
        lines = [*({"text": piece} for piece in PIECES), {"end": "stop"}]
        self._answer(200, b"".join(json.dumps(line).encode() + b"\n" for line in lines))

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


@contextmanager
def acme() -> Iterator[tuple[str, list[tuple[str, str, dict[str, Any]]]]]:
    """Where it listens, and what it was asked."""
    asked: list[tuple[str, str, dict[str, Any]]] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), type("One", (Acme,), {"asked": asked})) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/{{region}}", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pip installed the example into. The build is ours: no index is asked."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    package = source / "voicepipe-acme"
    subprocess.run(["cp", "-r", ROOT / "examples" / "voicepipe-acme", package], check=True)
    how = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(target)]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *how, str(package)]
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
    return target


def environment(installed: Path, url: str) -> dict[str, str]:
    paths = [str(installed), str(ROOT)]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "VOICEPIPE_LLM__ENGINE": "acme",
        "VOICEPIPE_LLM__MODEL": "acme-large-2",
        "VOICEPIPE_LLM__ACME__API_KEY": "a key",
        "VOICEPIPE_LLM__ACME__URL": url,
    }


def ask(address: str, text: str) -> str:
    """What the agent answers, in text."""
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    said = ""
    event: dict[str, Any]
    with connect(f"ws://{address}/v1/realtime") as line:
        for event in (
            {"type": "conversation.item.create", "item": item},
            {"type": "response.create", "response": {"output_modalities": ["text"]}},
        ):
            line.send(json.dumps(event))
        while (event := json.loads(line.recv(timeout=30)))["type"] != "response.done":
            said += event.get("delta", "") if event["type"] == "response.output_text.delta" else ""
    assert event["response"]["status"] == "completed", event
    return said


def test_a_server_speaks_with_the_engine_of_an_installed_package(
    installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "voicepipe.toml").write_text('[llm.acme]\nregion = "us"\n')
    options = ("--profile", "simulated")
    with (
        acme() as (url, asked),
        serving(
            tmp_path / "log", *options, cwd=tmp_path, env=environment(installed, url)
        ) as address,
    ):
        assert ask(address, "What time is it there?") == "".join(PIECES)
    path, key, body = asked[-1]
    assert (path, key, body["model"]) == ("/us/answers", "Bearer a key", "acme-large-2")
    assert body["messages"][-1] == {"role": "user", "content": "What time is it there?"}
    assert "a key" not in (tmp_path / "log").read_text()


def test_what_it_needs_and_does_not_get_is_said_in_one_line(
    installed: Path, tmp_path: Path
) -> None:
    env = environment(installed, "http://127.0.0.1:9")
    del env["VOICEPIPE_LLM__ACME__API_KEY"]
    serve = [sys.executable, "-m", "voicepipe", "serve", "--profile", "simulated", "--port", "0"]
    ended = subprocess.run(
        serve, check=False, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode != 0
    assert "llm.acme.api_key: must be given" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
