"""`voicepipe call`: ring the server from the desk, as a carrier would; once, or many at a time."""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from voicepipe.audio import files
from voicepipe.audio.pcm import Int16
from voicepipe.cli import results
from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.cli.progress import engine_progress, step_progress
from voicepipe.cli.results import AssertOption, JsonOption, QuestionsOption, serve_arguments
from voicepipe.cli.waterfall import waterfall
from voicepipe.config import Settings
from voicepipe.lab.bench import recordings
from voicepipe.lab.bench.bounds import Bound
from voicepipe.lab.bench.child_server import ChildServer, child_server
from voicepipe.lab.bench.phone import PhoneCall, make_call, stream_url, turns_of
from voicepipe.lab.bench.phone_load import FIGURES, CallPlan, load_average, phone_load, summary
from voicepipe.lab.carriers.carriers import CARRIERS
from voicepipe.lab.carriers.carriers import carrier as emulated_carrier
from voicepipe.lab.carriers.dialect import CALLED, CallDetails
from voicepipe.protocols.telephony.messages import DIGITS
from voicepipe.runtime import event_loop

UNSIGNED = "telephony.insecure=true"
"""An emulated carrier signs nothing; the server it rings is its own, on the loopback."""

LEDGER_TURNS = 1000
"""The most that /v1/turns tells."""

app = typer.Typer(add_completion=False)


@app.callback()
def call() -> None:
    """Telephone calls without a telephone."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What a caller says (int16 [n] at 16 kHz), and the keys that they press then."""

    recordings: Sequence[Int16]
    keys: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Result:
    call: PhoneCall
    turns: Sequence[Mapping[str, Any]]


@app.command("simulate")
def simulate(
    recordings: Annotated[
        list[Path] | None,
        typer.Argument(metavar="IN.wav...", help="What the caller says, one after the other."),
    ] = None,
    keys: Annotated[
        list[str] | None,
        typer.Option(metavar="KEYS", help="Keys pressed then, such as 12#; repeatable."),
    ] = None,
    carrier: Annotated[
        str,
        typer.Option(help=f"One of {', '.join(CARRIERS)}."),
    ] = "twilio",
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="A running server, e.g. ws://127.0.0.1:8080; default: one of ours."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="OUT.wav", help="Write what the caller heard here."),
    ] = None,
    key: Annotated[
        str | None, typer.Option(envvar="VOICEPIPE_API_KEY", help="API key of the --url server.")
    ] = None,
    called: Annotated[
        str, typer.Option(metavar="NUMBER", help="Who is called, where the stream says so.")
    ] = CALLED,
    wait: Annotated[
        float, typer.Option(metavar="SECONDS", min=1, help="How long to wait for an answer.")
    ] = 20.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Ring the server with an emulated carrier, speak recordings, press keys, and show where the
    time went. Each of them waits for the end of the answer to the one before.

    Without --url a server is started in a process of its own; it takes calls without signatures.
    """
    if url is not None and (profile or config or assignments):
        raise typer.BadParameter(
            "with --url the server has its own settings: leave out --profile, --config and --set"
        )
    if not recordings and not keys:
        raise typer.BadParameter("name a recording to speak, or --keys to press")
    for pressed in keys or ():
        if not pressed or not set(pressed) <= set(DIGITS):
            raise typer.BadParameter(f"--keys {pressed!r}: a telephone has 0 to 9, * and #, A to D")
    steps = Steps([files.read(one) for one in recordings or ()], keys or ())
    emulated_carrier(carrier)  # a wrong name is an error now, not when the server is up
    if url is None:
        own = settings_from(profile, config, assignments)  # a wrong one is an error here
        key = _key_of(own)
    arguments = serve_arguments(profile, config, [UNSIGNED, *(assignments or ())])
    details = CallDetails(called=called)
    result = event_loop.run(_simulate(steps, carrier, url, key, wait, arguments, details))
    if out is not None:
        files.write_wav(out, result.call.heard.samples, result.call.heard.rate)
    if as_json:
        typer.echo(json.dumps(_as_dict(result, out), indent=2))
    else:
        _show(result, out)
    if not result.call.answered or result.call.problems:
        raise typer.Exit(1)


@app.command("bench")
def bench(
    carrier: Annotated[str, typer.Option(help="As for simulate.")] = "twilio",
    calls: Annotated[int, typer.Option("--calls", "-n", min=1, help="Calls at once.")] = 30,
    turns: Annotated[int, typer.Option("--turns", "-t", min=1, help="Questions of each.")] = 3,
    questions: QuestionsOption = None,
    json_file: JsonOption = None,
    asserts: AssertOption = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Many emulated calls at once to a server in a process of its own; the figures are the server's
    ledger and what the callers heard. Exit status 1: a bound was broken.
    """
    emulated_carrier(carrier)
    key = _key_of(settings_from(profile, config, assignments))
    bounds = [Bound.parse(text, FIGURES) for text in asserts or ()]
    plan = CallPlan(recordings.load(questions), calls, turns)
    limit = ["--set", f"limits.max_sessions={max(100, calls)}"]
    arguments = [*serve_arguments(profile, config, [UNSIGNED, *(assignments or ())]), *limit]
    found, problems = event_loop.run(_bench(plan, carrier, arguments, key))
    table = Table("figure", "value", title=f"{calls} calls at once, {carrier}")
    for name, value in found.items():
        table.add_row(name, f"{value:g}")
    Console().print(table)
    if calls * turns > LEDGER_TURNS:
        told = f"the last {LEDGER_TURNS} of {calls * turns} turns"
        typer.echo(f"v2v, overhead and ledger_turns are of {told}", err=True)
    for text, count in problems.most_common(10):
        typer.echo(f"{count} x {text}", err=True)
    results.write(found, (json_file, lambda figures: json.dumps(figures, indent=2)))
    results.hold(bounds, found)


def _key_of(settings: Settings) -> str | None:
    """What a server of these settings asks of those who want to know its turns."""
    secret = settings.server.api_key
    return None if secret is None else secret.get_secret_value()


async def _bench(
    plan: CallPlan, name: str, arguments: list[str], key: str | None
) -> tuple[dict[str, float], Counter[str]]:
    load_before = load_average()
    async with _own_server(name, arguments) as (server, target):
        with step_progress("turns", plan.calls * plan.turns) as on_turn:
            heard = await phone_load(plan, name, target, server.pid, on_turn, key=key)
        ledger = await turns_of(server.url, key, limit=LEDGER_TURNS)
    return summary(plan, heard, ledger, load_before), heard.problems


@asynccontextmanager
async def _own_server(name: str, arguments: list[str]) -> AsyncIterator[tuple[ChildServer, str]]:
    """A server in a process of its own, and the address that carrier `name` rings there."""
    port = _free_port() if name == "audiosocket" else None
    if port is not None:
        arguments = [*arguments, "--set", f"telephony.audiosocket.port={port}"]
    async with AsyncExitStack() as stack:
        with engine_progress() as progress:
            progress("server", "starting")
            server = await stack.enter_async_context(child_server(arguments))
            progress("server", "ready")
        yield server, stream_url(server.url, name, port)


async def _simulate(
    steps: Steps,
    name: str,
    url: str | None,
    key: str | None,
    wait: float,
    arguments: list[str],
    details: CallDetails,
) -> _Result:
    async with AsyncExitStack() as stack:
        if url is None:
            own, target = await stack.enter_async_context(_own_server(name, arguments))
            server = own.url
        else:
            server, target = url, stream_url(url, name)
        before = {turn["turn_id"] for turn in await turns_of(server, key)}
        with Console(stderr=True).status("") as status:
            made = await make_call(
                name,
                target,
                steps.recordings,
                keys=steps.keys,
                key=key,
                wait_s=wait,
                on_step=lambda step: status.update(escape(step)),
                details=details,
            )
        after = await turns_of(server, key)
    return _Result(made, [turn for turn in after if turn["turn_id"] not in before])


def _waited_ms(call: PhoneCall) -> float | None:
    """From the end of the last recording, or key, to the first sound, at the caller's ear."""
    at = call.heard.sound_after(call.spoken_at)
    return None if at is None else (at - call.spoken_at) * 1000


def _as_dict(result: _Result, out: Path | None) -> dict[str, Any]:
    call = result.call
    return {
        "answered": call.answered,
        "waited_ms": _waited_ms(call),
        "heard_s": round(sum(end - start for start, end in call.heard.spans()), 3),
        "problems": list(call.problems),
        "out": str(out) if out else None,
        "turns": list(result.turns),
    }


def _show(result: _Result, out: Path | None) -> None:
    console, call = Console(), result.call
    for turn in result.turns:
        console.print(waterfall(turn))
    waited_ms = _waited_ms(call)
    if waited_ms is None:
        console.print("[bold red]No answer was heard.[/]")
    else:
        console.print(
            f"At the caller's ear: sound {waited_ms:.0f} ms after the end of what was said last, "
            "silence at its end included."
        )
    for problem in call.problems:
        console.print(f"[bold red]the carrier would complain:[/] {escape(problem)}")
    if out is not None:
        seconds = call.heard.samples.size / call.heard.rate
        console.print(f"what the caller heard is in {escape(str(out))} ({seconds:.1f} s)")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
