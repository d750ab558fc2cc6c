"""GStreamer's webrtcbin, which has an RSA certificate, calls by WHIP's path and the other.

NOT RUN where the system has no GStreamer with Python bindings (Debian: gir1.2-gst-plugins-bad-1.0,
gstreamer1.0-plugins-good, gstreamer1.0-nice, python3-gi).
"""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.server.harness import running_server

PYTHON = "/usr/bin/python3"  # bindings belong to the system's own
SCRIPT = Path(__file__).with_name("gstreamer_call.py")
LIMIT_S = 20

HAS_GSTREAMER = """
import gi
gi.require_version("GstWebRTC", "1.0")
from gi.repository import Gst, GstWebRTC
Gst.init(None)
wanted = ["webrtcbin", "nicesrc", "dtlsdec", "srtpdec", "opusenc", "rtpopuspay", "level"]
assert all(Gst.ElementFactory.find(name) for name in wanted)
"""


def _has_gstreamer() -> bool:
    if not Path(PYTHON).exists():
        return False
    asked = subprocess.run([PYTHON, "-c", HAS_GSTREAMER], check=False, capture_output=True)
    return asked.returncode == 0


@pytest.mark.parametrize("path", ["/whip", "/v1/realtime/calls"])
async def test_webrtcbin_hears_the_agent(path: str) -> None:
    if not _has_gstreamer():
        pytest.skip("NOT RUN: this system has no GStreamer with webrtcbin and Python bindings")
    async with running_server() as server:
        process = await asyncio.create_subprocess_exec(
            PYTHON, str(SCRIPT), server.http + path, str(LIMIT_S), stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(LIMIT_S + 10):
            said, _ = await process.communicate()
    assert said.decode().strip() == "heard"
