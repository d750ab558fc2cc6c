"""`voicepipe serve`: the server, and where to go next."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated

import typer
from rich.console import Console
from rich.logging import RichHandler

from voicepipe.cli.diagnosis import with_all_missing
from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.cli.progress import engine_progress
from voicepipe.config import ServerSettings, Settings
from voicepipe.runtime import event_loop
from voicepipe.runtime import gc_tuning as collector
from voicepipe.runtime.errors import ConfigError, EngineUnavailable, VoicepipeError
from voicepipe.server.app import create_app
from voicepipe.server.hosts import is_loopback
from voicepipe.server.run import uvicorn_server
from voicepipe.server.service import Service

app = typer.Typer(add_completion=False)

POLL_S = 0.05
"""uvicorn tells nobody when it has begun to listen; so we look."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [127.0.0.1].")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on [8080].")] = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond this machine without a key.")
    ] = False,
) -> None:
    """Run the server that browsers and SDKs talk to."""
    settings = settings_from(
        profile,
        config,
        assignments,
        server__host=host,
        server__port=port,
        server__insecure=insecure or None,
    )
    refuse_open_server(settings.server)
    console = Console(stderr=True)
    logging.basicConfig(
        level=settings.server.log_level.upper(),
        format="%(message)s",
        datefmt="%H:%M:%S",
        handlers=[RichHandler(console=console, show_path=False)],
    )
    for chatty in ("httpx", "httpcore", "faster_whisper", "uvicorn.error", "aioice", "aiortc"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    try:
        failure = event_loop.run(_serve(settings, console))
    except EngineUnavailable as error:  # a model that is not there is told before anything starts
        failure = error
    if failure is not None:
        raise with_all_missing(failure, settings)


def refuse_open_server(server: ServerSettings) -> None:
    """Raises ConfigError where everybody on the network could use the engines."""
    if server.api_key is None and not server.insecure and not is_loopback(server.host):
        raise ConfigError(
            f"server.host is {server.host}, so others reach this server, and no key is asked of "
            "them: set server.api_key (VOICEPIPE_SERVER__API_KEY=...), or say --insecure"
        )


async def _serve(settings: Settings, console: Console) -> VoicepipeError | None:
    service = Service(settings)
    failed: list[VoicepipeError] = []

    def give_up(error: VoicepipeError) -> None:
        failed.append(error)
        server.should_exit = True

    with engine_progress() as progress:
        server = uvicorn_server(
            create_app(service, progress=progress, on_failure=give_up), settings
        )
        serving = asyncio.create_task(server.serve(), name="uvicorn")
        while not (serving.done() or (server.started and service.ready) or failed):  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)
    if service.ready and server.started and not serving.done():
        collector.spare()
        _say_where_to_go(settings, server.servers[0].sockets[0].getsockname()[1], console)
    await serving
    return failed[0] if failed else None


def _say_where_to_go(settings: Settings, port: int, console: Console) -> None:
    host = settings.server.host
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    console.print(f"[bold green]voicepipe is listening[/] (profile {settings.profile})")
    console.print(f"  page       http://{host}:{port}/")
    console.print(f"  realtime   ws://{host}:{port}/v1/realtime   (any OpenAI Realtime client)")
    console.print(f"  turns      http://{host}:{port}/v1/turns    (where each millisecond went)")
    console.print("  stop       Ctrl-C", highlight=False)
