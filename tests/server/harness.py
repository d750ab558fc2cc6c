"""A real server on a free loopback port, for the length of a block."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette

from tests.quick_server import QuickServer
from tests.session.harness import SIMULATED, LoudnessDetector
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.config import LatencySettings, Settings, SimulatedSettings
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.app import create_app
from voicepipe.server.run import Server, uvicorn_server
from voicepipe.server.service import Service
from voicepipe.server.tls import tls_files
from voicepipe.session.engines import Engines
from voicepipe.tts.engines.simulated import SimulatedSynthesizer

FAST = SimulatedSettings(
    asr=LatencySettings(mean_ms=5),
    llm_first_token=LatencySettings(mean_ms=5),
    llm_per_token=LatencySettings(mean_ms=1),
    tts=LatencySettings(mean_ms=5),
)


class OurServer(Server, QuickServer):
    """The product's, which stops as soon as it has nothing to wait for."""


@dataclass(slots=True)
class RunningServer:
    service: Service
    port: int
    app: Starlette

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.port}/v1"


def simulated_engines(
    settings: SimulatedSettings = FAST,
    heard: Sequence[str] = ("what time is it",),
    answers: Sequence[Answer | str] = ("It is half past seven. Can I do more for you?",),
) -> Engines:
    return Engines(
        recognizer=SimulatedRecognizer(settings, heard, MonotonicClock()),
        model=SimulatedModel(settings, answers),
        synthesizer=SimulatedSynthesizer(settings),
        new_detector=LoudnessDetector,
    )


@asynccontextmanager
async def running_server(
    engines: Engines | None = None, *, wait_ready: bool = True, **sections: Any
) -> AsyncIterator[RunningServer]:
    """`sections`: settings by section, such as `limits={"max_sessions": 1}`."""
    sections.setdefault("server", {})
    sections["server"] = {"port": 0, **sections["server"]}
    settings = Settings(**sections)
    service = Service(settings, engines or simulated_engines())
    app = create_app(service)
    config = uvicorn_server(app, settings).config
    server = OurServer(config, service, tls_files(settings.server))
    task = asyncio.create_task(server.serve(), name="uvicorn")
    try:
        async with asyncio.timeout(60):
            while not (server.started and (service.ready or not wait_ready)):
                if task.done():
                    task.result()
                    raise RuntimeError("the server ended while starting")
                await asyncio.sleep(0.01)
        yield RunningServer(service, server.servers[0].sockets[0].getsockname()[1], app)
    finally:
        await server.stop(task)


__all__ = ["FAST", "SIMULATED", "RunningServer", "running_server", "simulated_engines"]
