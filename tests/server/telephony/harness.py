"""Emulated carriers that ring a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np

from tests.server.harness import RunningServer, running_server
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.lab.carriers.call import EmulatedCall, ring
from voicepipe.lab.carriers.carriers import carrier
from voicepipe.lab.carriers.dialect import CallDetails, Dialect
from voicepipe.lab.carriers.fault_injection import Mischief
from voicepipe.session.engines import Engines

PATHS = {"plain": "/v1/pcm", "asterisk": "/telephony/asterisk"}
OPEN = {"insecure": True, "silence_ms": 0}
"""Telephony settings of most tests: nobody signs, nobody is asked whether they are there."""


def tone(ms: int, hz: float = 250.0) -> Int16:
    """What `LoudnessDetector` takes for speech."""
    at = np.arange(SAMPLE_RATE * ms // 1000) / SAMPLE_RATE
    return (9000 * np.sin(2 * np.pi * hz * at)).astype(np.int16)


def stream_url(server: RunningServer, name: str) -> str:
    if name == "audiosocket":
        listener: Any = server.app.state.audiosocket
        return f"tcp://127.0.0.1:{listener.port}"
    path = PATHS.get(name, f"/telephony/{name}")
    return f"ws://127.0.0.1:{server.port}{path}"


@asynccontextmanager
async def phone_server(
    engines: Engines | None = None, telephony: dict[str, Any] | None = None, **sections: Any
) -> AsyncIterator[RunningServer]:
    """A server that takes unsigned calls, AudioSocket's included."""
    settings = {**OPEN, "audiosocket": {"port": 0}, **(telephony or {})}
    async with running_server(engines, telephony=settings, **sections) as server:
        yield server


@asynccontextmanager
async def call(
    server: RunningServer,
    name: str = "twilio",
    *,
    mischief: Mischief | None = None,
    details: CallDetails | None = None,
    dialect: Dialect | None = None,
) -> AsyncIterator[EmulatedCall]:
    """A call that is up; `dialect`: instead of the carrier's as it comes."""
    ours = dialect or carrier(name, details)
    async with ring(ours, stream_url(server, name), mischief=mischief) as up:
        yield up
