"""`voicepipe bench`: what a caller waits, measured from outside or in process."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from voicepipe.cli import results
from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.cli.progress import engine_progress
from voicepipe.cli.results import (
    AssertOption,
    HtmlOption,
    JsonOption,
    QuestionsOption,
    serve_arguments,
)
from voicepipe.config import Settings
from voicepipe.lab.bench import recordings
from voicepipe.lab.bench.bounds import Bound
from voicepipe.lab.bench.child_server import child_server
from voicepipe.lab.bench.html_report import html_report
from voicepipe.lab.bench.load import (
    OnTurn,
    Outcome,
    Plan,
    in_process_load,
    socket_load,
    webrtc_load,
)
from voicepipe.lab.bench.results import FIGURES, report
from voicepipe.lab.cli.bench_endpoint import bench_endpoint
from voicepipe.lab.cli.bench_preemption import bench_preemption
from voicepipe.lab.cli.bench_processes import bench_processes
from voicepipe.lab.cli.bench_table import bench_table, turn_progress
from voicepipe.lab.cli.stopping import stoppable
from voicepipe.lab.relay import Weather
from voicepipe.runtime import event_loop
from voicepipe.server.service import Service

app = typer.Typer(add_completion=False)
app.command("endpoint")(bench_endpoint)
app.command("preemption")(bench_preemption)
app.command("processes")(bench_processes)


@app.callback()
def bench() -> None:
    """Measure what a caller waits, under load."""


@app.command("turns")
def bench_turns(
    url: Annotated[
        str | None,
        typer.Option(metavar="WS_URL", help="A running server, e.g. ws://127.0.0.1:8080/v1."),
    ] = None,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="No server and no socket: sessions in here.")
    ] = False,
    webrtc: Annotated[
        bool, typer.Option("--webrtc", help="Callers by WebRTC in place of WebSockets.")
    ] = False,
    loss: Annotated[
        float, typer.Option(min=0, max=90, help="With --webrtc: per cent of packets lost.")
    ] = 0.0,
    delay_ms: Annotated[
        float, typer.Option("--delay-ms", min=0, help="With --webrtc: each way.")
    ] = 0.0,
    jitter_ms: Annotated[
        float, typer.Option("--jitter-ms", min=0, help="With --webrtc: up to so much more.")
    ] = 0.0,
    sessions: Annotated[int, typer.Option("--sessions", "-n", min=1, help="Callers at once.")] = 1,
    turns: Annotated[int, typer.Option("--turns", "-t", min=1, help="Questions of each.")] = 3,
    questions: QuestionsOption = None,
    answer_timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=1, help="No answer for so long: a lost turn.")
    ] = 15.0,
    stagger: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", min=0, help="Spread the callers' starts; default: over one turn."
        ),
    ] = None,
    key: Annotated[
        str | None, typer.Option(envvar="VOICEPIPE_API_KEY", help="API key of the --url server.")
    ] = None,
    json_file: JsonOption = None,
    html_file: HtmlOption = None,
    asserts: AssertOption = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Callers speak to the server in real time; reports what they waited and where it went.

    Without --url and --in-process a server is started in a process of its own for the length of the
    run. Exit status 1: a bound was broken.
    """
    if url is not None and (in_process or profile or config or assignments):
        raise typer.BadParameter(
            "with --url the server has its own settings: leave out --in-process, --profile, "
            "--config and --set"
        )
    if webrtc and in_process:
        raise typer.BadParameter("--webrtc needs a server: leave out --in-process")
    weather = Weather(loss / 100, delay_ms, jitter_ms)
    if not weather.fair and (url or not webrtc):
        raise typer.BadParameter(
            "--loss, --delay-ms and --jitter-ms need --webrtc and a server on this machine: "
            "leave out --url"
        )
    load = webrtc_load if webrtc else socket_load
    bounds = [Bound.parse(text, FIGURES) for text in asserts or ()]
    plan = Plan(recordings.load(questions), sessions, turns, answer_timeout, stagger, weather)
    if url is not None:
        outcome, setup = event_loop.run(_at_url(plan, url, key, load))
    else:
        settings = settings_from(profile, config, assignments)
        if settings.limits.max_sessions < sessions:  # asked for, so it shall be tried
            assignments = [*(assignments or ()), f"limits.max_sessions={sessions}"]
            settings = settings_from(profile, config, assignments)
        if in_process:
            outcome, setup = event_loop.run(_in_process(plan, settings))
        else:
            arguments = serve_arguments(profile, config, assignments)
            outcome, setup = event_loop.run(_own_server(plan, settings, arguments, load))
    _show(report(plan, outcome, setup), bounds, json_file, html_file)


Measured = tuple[Outcome, dict[str, Any]]
RemoteLoad = Callable[..., Awaitable[Outcome]]
MODES: dict[RemoteLoad, str] = {socket_load: "websocket", webrtc_load: "webrtc"}
"""How callers reach a server, and its name in reports."""


async def _at_url(plan: Plan, url: str, key: str | None, load: RemoteLoad) -> Measured:
    outcome = await _with_progress(plan, lambda on_turn: load(plan, url, key, on_turn))
    return outcome, {"mode": MODES[load], "url": url}


async def _own_server(
    plan: Plan, settings: Settings, arguments: Sequence[str], load: RemoteLoad
) -> Measured:
    secret = settings.server.api_key
    key = None if secret is None else secret.get_secret_value()
    async with AsyncExitStack() as stack:
        with engine_progress() as progress:
            progress("server", "starting")
            server = await stack.enter_async_context(child_server(arguments))
            progress("server", "ready")
        outcome = await _with_progress(
            plan, lambda on_turn: load(plan, server.url, key, on_turn, server.pid)
        )
    setup = {"mode": MODES[load], "profile": settings.profile, "startup_s": server.startup_s}
    return outcome, setup


async def _in_process(plan: Plan, settings: Settings) -> Measured:
    service = Service(settings)
    began = service.clock.now()
    try:
        with engine_progress() as progress:
            await service.start(progress)
        startup_s = service.clock.now() - began
        outcome = await _with_progress(
            plan, lambda on_turn: in_process_load(plan, service, on_turn)
        )
    finally:
        await service.aclose()
    return outcome, {"mode": "in process", "profile": settings.profile, "startup_s": startup_s}


async def _with_progress(plan: Plan, load: Callable[[OnTurn], Awaitable[Outcome]]) -> Outcome:
    with turn_progress(plan.sessions * plan.turns) as on_turn:
        return await stoppable(load, on_turn)


def _show(
    found: dict[str, Any], bounds: Sequence[Bound], json_file: Path | None, html_file: Path | None
) -> None:
    Console().print(bench_table(found))
    results.write(found, (json_file, json.dumps), (html_file, html_report))
    results.hold(bounds, found["summary"])
