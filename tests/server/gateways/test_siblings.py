"""What one gateway asks the others for, and what of their answers it takes."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from voicepipe.server.gateways.siblings import ask_siblings


def request(folder: Path, others: list[str]) -> Request:
    """One to /v1/calls of a gateway that has these beside it."""
    shared = SimpleNamespace(others=lambda: others, own_door=lambda name: folder / name)
    app = SimpleNamespace(state=SimpleNamespace(service=SimpleNamespace(shared=shared)))
    scope = {"type": "http", "path": "/v1/calls", "query_string": b"limit=3", "headers": []}
    return Request({**scope, "app": app, "server": ("gateway", 80), "scheme": "http"})


async def test_a_refusal_is_no_part_of_the_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[bytes] = []

    def answers(status: str, body: str) -> Any:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked.append(await reader.readuntil(b"\r\n\r\n"))
            head = f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
            writer.write(f"{head}{body}".encode())
            writer.close()

        return answer

    well = await asyncio.start_unix_server(answers("200 OK", '[{"id": "a"}]'), tmp_path / "one")
    badly = answers("503 Service Unavailable", '{"error": {"code": "state_unavailable"}}')
    refusing = await asyncio.start_unix_server(badly, tmp_path / "two")
    async with well, refusing:
        with caplog.at_level(logging.WARNING):
            parts = await ask_siblings(request(tmp_path, ["one", "two", "gone"]))
    assert parts == {"one": [{"id": "a"}]}
    assert all(line.startswith(b"GET /v1/calls?limit=3 ") for line in asked)
    assert "gateway two has not told its part: HTTPStatusError" in caplog.text
    assert "gateway gone has not told its part: ConnectError" in caplog.text
