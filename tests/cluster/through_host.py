"""An engine behind a real Unix socket, standing in for itself in the tests of its contract."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from voicepipe.cluster.host import EngineHost
from voicepipe.cluster.link import Link
from voicepipe.cluster.pool_engines import REMOTE
from voicepipe.cluster.served import ServedEngine
from voicepipe.cluster.unix_socket import bound, link_to
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    TextDelta,
)

NONE = LatencySettings(mean_ms=0)
SETTINGS = SimulatedSettings(
    asr=NONE, llm_first_token=NONE, llm_per_token=NONE, tts=NONE, transcript="what time is it"
)


class Endless:
    """A model that never stops, and counts what it was asked for."""

    name = "endless"

    def __init__(self) -> None:
        self.made = 0
        self.dropped = 0

    async def start(self) -> None: ...

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        while True:
            self.made += 1
            yield TextDelta("a")

    async def aclose(self) -> None: ...


def is_running(name: str) -> bool:
    """Whether a task of this name is."""
    return any(task.get_name() == name for task in asyncio.all_tasks())


def served(engines: dict[str, Any]) -> list[ServedEngine]:
    return [ServedEngine(name, engine) for name, engine in engines.items()]


class Rig:
    """A host and a link to it, in one process; `adapter` makes the engine's other end."""

    def __init__(self, host: EngineHost, link: Link, path: Path) -> None:
        self.host, self.link, self.path = host, link, path

    def adapter(self, name: str, **options: Any) -> Any:
        return REMOTE[name.partition(".")[0]](self.link, name, **options)


@asynccontextmanager
async def hosting(**engines: Any) -> AsyncIterator[Rig]:
    """A host with these engines, already started, listening."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s", "engines")
        host, link = EngineHost(served(engines)), link_to(path)
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(host.accept, sock=bound(path))
        try:
            await host.start()
            await link.start(host)
            for name in engines:
                await link.facts(name)
            yield Rig(host, link, path)
        finally:
            await link.aclose(host)
            server.close()
            await host.aclose()


class Through:
    """An adapter that also lets tests look into the engine on the other side."""

    def __init__(self, adapter: Any, engine: Any) -> None:
        object.__setattr__(self, "_adapter", adapter)
        object.__setattr__(self, "_engine", engine)

    def __getattr__(self, name: str) -> Any:
        own = name in ("name", "sample_rate", "problem", "open", "stream", "warm", "voices")
        return getattr(self._adapter if own else self._engine, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._engine, name, value)


@asynccontextmanager
async def through_host(stage: str, engine: Any) -> AsyncIterator[Any]:
    """`engine`, started by its test, as gateways have it."""
    engine_start, engine.start = engine.start, _nothing
    async with hosting(**{stage: engine}) as rig:
        engine.start = engine_start
        adapter = rig.adapter(stage)
        await adapter.start()
        try:
            yield Through(adapter, engine)
        finally:
            await adapter.aclose()


async def _nothing() -> None:
    """It runs already."""
