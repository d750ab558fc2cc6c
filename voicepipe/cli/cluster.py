"""`voicepipe cluster`: pools of engines on Ray Serve, put up and looked at."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from math import ceil
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.cluster.listing import Listing, Place
from voicepipe.config import PoolSettings, Settings
from voicepipe.runtime.errors import ConfigError, VoicepipeError
from voicepipe.server.shared_engines import pooled_engines

app = typer.Typer(add_completion=False, no_args_is_help=True)

DEFAULT_ADDRESS = "http://127.0.0.1:8000"


@app.command()
def up(
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
    ray_address: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="A Ray cluster that runs; else one is started."),
    ] = None,
) -> None:
    """Load the settings' heavy engines into pools, until Ctrl-C.

    Gateways with the same settings and `cluster.address` use them.
    """
    settings = settings_from(profile, config, assignments)
    if find_spec("ray") is None:
        raise ConfigError(
            "Ray is not installed: install voicepipe with the extra [cluster] (about 75 MB)"
        )
    _up(settings, ray_address, Console(stderr=True))


@app.command()
def status(
    profile: ProfileOption = None, config: ConfigOption = None, assignments: SetOption = None
) -> None:
    """Show the pools: replicas, work, waits, cache hits."""
    settings = settings_from(profile, config, assignments)
    places = asyncio.run(_places(settings.cluster.address or (DEFAULT_ADDRESS,)))
    Console().print(_table(places))


def _up(settings: Settings, ray_address: str | None, console: Console) -> None:
    import ray
    from ray import serve

    for name in ("ray", "ray.serve"):
        logging.getLogger(name).setLevel(logging.WARNING)

    from voicepipe.server.ray_pools import APP, ROUTE, application, take_down

    address = (settings.cluster.address or (DEFAULT_ADDRESS,))[0]
    pools = application(settings)
    ended = threading.Event()
    ray.init(
        address=ray_address,
        namespace=APP,
        log_to_driver=settings.server.log_level == "debug",
        logging_level=logging.WARNING,
        include_dashboard=None if ray_address else False,
        num_cpus=None if ray_address else _cpus(settings),
    )
    try:
        parts = urlsplit(address)
        http = {"host": parts.hostname or "127.0.0.1", "port": parts.port or 80}
        serve.start(http_options=http, proxy_location="EveryNode")
        try:
            serve.run(pools, name=APP, route_prefix=ROUTE)
        except RuntimeError as error:
            raise VoicepipeError(f"the pools did not start: {error}") from None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        console.print(f"[bold green]the pools are up[/] at {address}")
        console.print(f"  gateways   voicepipe serve --set cluster.address={address}")
        console.print("  status     voicepipe cluster status")
        console.print("  stop       Ctrl-C", highlight=False)
        ended.wait()
        take_down()
    finally:
        if ray_address is None:
            serve.shutdown()  # type: ignore[no-untyped-call]
        ray.shutdown()


def _cpus(settings: Settings) -> int:
    """That Ray may reserve here: it only counts, and pools that ask for more never start."""
    pools = [settings.cluster.pools.get(n, PoolSettings()) for n in pooled_engines(settings)]
    return max(os.cpu_count() or 1, ceil(sum(pool.min_replicas * pool.cpus for pool in pools)))


async def _places(addresses: Iterable[str]) -> list[Place]:
    listing = Listing(tuple(addresses))
    try:
        return await listing.fetch()
    finally:
        await listing.aclose()


def _table(places: list[Place]) -> Table:
    """`calls`: under way, and how many an engine works on; `wait`, `first`: p95 of the last minute
    until an engine began with a call, and until its first item; `hits`: prompt tokens not
    recomputed."""
    table = Table("pool", "replica", "node", "state", box=None, padding=(0, 1))
    for name in ("calls", "wait", "first", "served", "failed", "hits"):
        table.add_column(name, justify="right", no_wrap=True)
    for place in sorted(places, key=lambda place: (place.pool, place.node, place.replica)):
        table.add_row(*map(escape, _row(place)))
    return table


def _row(place: Place) -> tuple[str, ...]:
    load = place.load
    return (
        place.pool,
        place.replica,
        place.node,
        "leaving" if place.leaving else place.state,
        f"{_whole(load.get('ongoing'))}/{_whole(load.get('at_once'))}",
        _ms(load.get("queue_ms")),
        _ms(load.get("first_ms")),
        str(load.get("served", 0)),
        str(load.get("failed", 0)),
        _hits(load),
    )


def _whole(value: object) -> str:
    """As the table shows it; a report of another version may not say it."""
    return str(value) if isinstance(value, int) else "-"


def _ms(value: object) -> str:
    return f"{value:.0f} ms" if isinstance(value, int | float) else "-"


def _hits(load: Mapping[str, Any]) -> str:
    prompt, cached = load.get("prompt_tokens"), load.get("cached_tokens", 0)
    if not isinstance(prompt, int) or not isinstance(cached, int) or not prompt:
        return "-"
    return f"{cached / prompt:.0%}"
