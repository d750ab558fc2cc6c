"""GStreamer's webrtcbin, which has an RSA certificate, calls by WHIP's path and the other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.server.harness import running_server

PYTHON = "/usr/bin/python3"  # bindings belong to the system's own
SCRIPT = Path(__file__).with_name("gstreamer_call.py")
LIMIT_S = 20


@pytest.mark.parametrize("path", ["/whip", "/v1/realtime/calls"])
async def test_webrtcbin_hears_the_agent(path: str) -> None:
    async with running_server() as server:
        process = await asyncio.create_subprocess_exec(
            PYTHON, str(SCRIPT), server.http + path, str(LIMIT_S), stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(LIMIT_S + 10):
            said, _ = await process.communicate()
    assert said.decode().strip() == "heard"
