"""`voicepipe serve`: the server, and where to go next."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.logging import RichHandler
from rich.markup import escape

from voicepipe.cli.diagnosis import with_all_missing
from voicepipe.cli.first_fit import fitted
from voicepipe.cli.first_start import (
    HubUnreachable,
    builtin_models,
    fetch_missing,
    offers_builtin,
)
from voicepipe.cli.gateways import how_many, serve_by_gateways
from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.cli.progress import engine_progress
from voicepipe.config import ServerSettings, Settings
from voicepipe.models.at_work import better_models
from voicepipe.runtime import event_loop
from voicepipe.runtime.errors import ConfigError, EngineUnavailable, VoicepipeError
from voicepipe.server.gateways.listeners import http_listener
from voicepipe.server.hosts import is_loopback
from voicepipe.server.log_lines import JsonLines, text_lines, whole_lines
from voicepipe.server.service import Service
from voicepipe.server.serving import Serving

app = typer.Typer(add_completion=False)
log = logging.getLogger(__name__)

CHATTY = (
    "httpx", "httpcore", "httpx2", "httpcore2", "faster_whisper", "uvicorn.error", "aioice",
    "aiortc",
)  # fmt: skip
"""Libraries that log each request with its address, or each packet."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [127.0.0.1].")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on [8080].")] = None,
    processes: Annotated[
        str | None,
        typer.Option(metavar="N", help="Processes that hold calls [1]; auto: one for each core."),
    ] = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
    tools: Annotated[
        list[Path] | None,
        typer.Option(help="A Python file whose async functions are tools; may be repeated."),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Certificate chain, PEM: serve TLS.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Its key, PEM, without a password.")
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option(metavar="DIR|URL", help="Fetch missing models from a copied models folder."),
    ] = None,
    pull: Annotated[bool, typer.Option(help="Fetch models that are missing.")] = True,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond this machine without a key.")
    ] = False,
) -> None:
    """Run the server that browsers and SDKs talk to.

    Models that the profile needs and that are not here are fetched first.
    """
    flags = {
        "server__host": host,
        "server__port": port,
        "server__processes": 0 if processes == "auto" else processes,
        "server__insecure": insecure or None,
        "server__tls_cert": tls_cert,
        "server__tls_key": tls_key,
        "tools__files": [str(path) for path in tools] if tools else None,
    }
    settings = settings_from(profile, config, assignments, **flags)
    refuse_open_server(settings.server)
    asked_for = config
    if pull and (chosen := fitted(settings, config, mirror)):
        config = chosen
        settings = settings_from(profile, config, assignments, **flags)
    if pull:
        try:
            fetch_missing(settings, mirror)
        except HubUnreachable as error:
            if not offers_builtin(error):
                raise
            profile, config = "builtin", asked_for
            settings = settings_from(profile, config, assignments, **flags, **builtin_models())
            refuse_open_server(settings.server)

    def again() -> Settings:
        return settings_from(profile, config, assignments)

    console = Console(stderr=True)
    _log_to(console, settings.server)
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)
    if settings.server.log_level != "debug":
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its errors quote what a server sent
    try:
        _run(settings, console, again)
    except EngineUnavailable as error:
        raise with_all_missing(error, settings) from None


def _log_to(console: Console, server: ServerSettings) -> None:
    handler: logging.Handler
    if server.log_format == "json":
        handler = logging.StreamHandler()
        handler.setFormatter(JsonLines())
    elif console.is_terminal:
        handler = RichHandler(console=console, show_path=False)
        handler.setFormatter(text_lines())
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(whole_lines())
    logging.basicConfig(
        level=server.log_level.upper(),
        handlers=[handler],
    )


def refuse_open_server(server: ServerSettings) -> None:
    """Raises ConfigError where everybody on the network could use the engines."""
    if server.api_key is None and not server.insecure and not is_loopback(server.host):
        raise ConfigError(
            f"server.host is {server.host}, so others reach this server, and no key is asked of "
            "them: set server.api_key (VOICEPIPE_SERVER__API_KEY=...), or say --insecure"
        )


def _run(settings: Settings, console: Console, again: Callable[[], Settings]) -> None:
    """Until a signal ends it. Raises VoicepipeError where it cannot start."""

    def listening(port: int) -> None:
        _say_where_to_go(settings, port, console)

    count = how_many(settings)
    if count > 1:
        serve_by_gateways(settings, count, again, listening)
        return
    failure = event_loop.run(_serve_alone(settings, again, listening))
    if failure is not None:
        raise failure


async def _serve_alone(
    settings: Settings, again: Callable[[], Settings], listening: Callable[[int], None]
) -> VoicepipeError | None:
    listener = http_listener(settings)
    port = listener.getsockname()[1]
    with listener, ExitStack() as progress_shown:
        service = Service(settings)  # says what is missing before there is progress to be shown
        progress = progress_shown.enter_context(engine_progress())
        serving = Serving(service, progress, again)

        def on_ready() -> None:
            progress_shown.close()
            listening(port)

        return await serving.run(listener, on_ready=on_ready)


def _say_where_to_go(settings: Settings, port: int, console: Console) -> None:
    host = settings.server.host
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    if ":" in host:
        host = escape(f"[{host}]")  # or what begins with a letter is a style to rich
    secure = "s" if settings.server.tls_cert is not None else ""
    console.print(f"[bold green]voicepipe is listening[/] (profile {settings.profile})")
    http, ws = f"http{secure}://{host}:{port}", f"ws{secure}://{host}:{port}"
    console.print(f"  page       {http}/")
    console.print(f"  realtime   {ws}/v1/realtime   (any OpenAI Realtime client)")
    console.print(f"  turns      {http}/v1/turns    (where each millisecond went)")
    if better := better_models(settings):
        console.print(f"  models     {better}   (better ones; voicepipe doctor tells their limits)")
    console.print("  stop       Ctrl-C", highlight=False)
