"""Engines that are loaded once for all gateway processes of a machine, in a process of their own.

Who supervises the gateways runs `run_engine_host`; each gateway makes its engines with
`build_engines(settings, clock, shared_engines(path))`. What is light (a client of a server
elsewhere, a simulation) stays in the gateways, and so do fallbacks, cascades, breakers and caches:
they decide close to the call, and act on a host that is gone as on any engine that fails.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voicepipe.cluster.channel import Channel
from voicepipe.cluster.host import EngineHost
from voicepipe.cluster.pool_engines import REMOTE, pool_of, remote
from voicepipe.cluster.served import ServedEngine
from voicepipe.cluster.unix_socket import bound, forget, link_to
from voicepipe.config import Settings, catalogue
from voicepipe.runtime import event_loop
from voicepipe.runtime.clock import Clock, MonotonicClock
from voicepipe.server.engine_factory import CreateEngine
from voicepipe.server.second_engine import second_engines, second_settings
from voicepipe.server.voices import local_engine

log = logging.getLogger(__name__)

DRAIN_S = 5.0
"""What is under way when the host is told to stop may take so long to end."""


def is_heavy(name: str, settings: Settings) -> bool:
    """Whether the engine loads something worth sharing: those that need packages do."""
    stage: Any = name.partition(".")[0]
    return bool(catalogue.find(stage, getattr(settings, stage).engine).packages)


def settings_by_name(settings: Settings) -> dict[str, Settings]:
    """Every engine that the settings name: "asr", "llm.fallback" ..., each with the settings that
    make it."""
    found = dict.fromkeys(REMOTE, settings)
    for stage, section in second_engines(settings):
        found[f"{stage}.{section}"] = second_settings(settings, stage, section)
    return found


def heavy_engines(settings: Settings, clock: Clock) -> dict[str, Any]:
    """Those that a host holds, not yet started. Raises ConfigError, EngineUnavailable."""
    return {
        name: local_engine(name, its, clock)
        for name, its in settings_by_name(settings).items()
        if is_heavy(name, its)
    }


def has_heavy(settings: Settings) -> bool:
    """Whether an engine host is needed at all; a cluster's pools are one already."""
    return not settings.cluster.address and any(
        is_heavy(name, its) for name, its in settings_by_name(settings).items()
    )


def pooled_engines(settings: Settings) -> dict[str, Settings]:
    """Those that belong in the cluster's pools, and the settings that make each: the heavy ones,
    and what [cluster.pools] names besides."""
    return {name: its for name, its in settings_by_name(settings).items() if _pooled(name, its)}


def _pooled(name: str, settings: Settings) -> bool:
    return is_heavy(name, settings) or name in settings.cluster.pools


def through(
    channel: Channel, elsewhere: Callable[[str, Settings], bool] = is_heavy
) -> CreateEngine:
    """Makes engines for a gateway: those that are `elsewhere` are reached by `channel`, the others
    are its own."""

    def create(name: str, settings: Settings, clock: Clock) -> Any:
        if not elsewhere(name, settings):
            return local_engine(name, settings, clock)
        return remote(name, channel, settings.cluster)

    return create


def through_pools(settings: Settings) -> CreateEngine:
    """For `build_engines`: engines in the pools of the cluster that `cluster.address` names."""
    return through(pool_of(settings.cluster), _pooled)


def shared_engines(path: Path) -> CreateEngine:
    """For `build_engines`: heavy engines are those of the host that listens at `path`."""
    return through(link_to(path))


async def serve_engines(
    settings: Settings, path: Path, stop: asyncio.Event, started: Callable[[], None] = lambda: None
) -> None:
    """Hold the heavy engines and serve them at `path` until `stop`. Gateways may come before they
    are loaded. Raises ConfigError (the socket), EngineUnavailable (an engine)."""
    heavy = heavy_engines(settings, MonotonicClock())
    host = EngineHost(ServedEngine(name, engine) for name, engine in heavy.items())
    loop = asyncio.get_running_loop()
    server = await loop.create_unix_server(host.accept, sock=bound(path))
    try:
        await _start_unless(host, stop)
        if not stop.is_set():
            started()
        await stop.wait()
        server.close()
        await host.drain(DRAIN_S)
    finally:
        server.close()
        forget(path)
        await host.aclose()


async def _start_unless(host: EngineHost, stop: asyncio.Event) -> None:
    """Whoever tells it to stop while it loads does not wait for that."""
    starting = asyncio.create_task(host.start(), name="start engines")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    try:
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            starting.result()
    finally:
        for task in (starting, stopping):
            task.cancel()
        await asyncio.gather(starting, stopping, return_exceptions=True)


def run_engine_host(settings: Settings, path: Path) -> None:
    """The whole life of an engine host's process, to SIGTERM or SIGINT. Raises as
    `serve_engines`."""

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        await serve_engines(
            settings, path, stop, lambda: log.info("engines ready, at %s", path.name)
        )

    event_loop.run(main())
