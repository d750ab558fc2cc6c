"""`voicepipe bench processes`: whether twice the processes hold twice the calls."""

from __future__ import annotations

import json
import os
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from voicepipe.cli import results
from voicepipe.cli.options import SetOption
from voicepipe.cli.results import AssertOption, JsonOption, QuestionsOption
from voicepipe.lab.bench import recordings
from voicepipe.lab.bench.bounds import Bound
from voicepipe.lab.bench.child_server import child_server
from voicepipe.lab.bench.load import Plan, socket_load
from voicepipe.lab.bench.results import report
from voicepipe.lab.cli.bench_table import turn_progress
from voicepipe.lab.cli.stopping import stoppable
from voicepipe.runtime import event_loop

FIGURES = ("lost_turns", "p50_overhead_ms", "p99_overhead_ms", "p99_overhead_growth")
"""What `--assert` knows: lost turns of all runs, overhead of the last, and how many times the
overhead of the first that is."""


def bench_processes(
    processes: Annotated[
        int, typer.Option("--processes", min=2, help="Gateways of the second run.")
    ] = 2,
    calls: Annotated[
        int, typer.Option("--calls", "-n", min=1, help="Callers at once, for each gateway.")
    ] = 200,
    turns: Annotated[int, typer.Option("--turns", "-t", min=1, help="Questions of each.")] = 3,
    stagger: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=0, help="Spread the callers' starts."),
    ] = None,
    questions: QuestionsOption = None,
    json_file: JsonOption = None,
    asserts: AssertOption = None,
    assignments: SetOption = None,
) -> None:
    """Callers on WebSockets speak to one process, then, so many times as many, to several.

    Engines are simulated: what is measured is the gateways. The callers take CPU time as well, in
    a process of their own on the same machine. Exit status 1: a bound was broken.
    """
    bounds = [Bound.parse(text, FIGURES) for text in asserts or ()]
    asked = recordings.load(questions)
    runs = []
    for count in (1, processes):
        plan = Plan(asked, calls * count, turns, stagger_s=stagger)
        runs.append(event_loop.run(_run(plan, count, assignments or [])))
        if runs[-1]["setup"]["interrupted"]:
            break
    summary = _summary(runs)
    Console().print(_table(runs))
    found = {"cores": os.cpu_count(), "runs": runs, "summary": summary}
    results.write(found, (json_file, json.dumps))
    results.hold(bounds, summary)


async def _run(plan: Plan, count: int, assignments: list[str]) -> dict[str, Any]:
    told = [word for one in assignments for word in ("--set", one)]
    limit = ("--set", f"limits.max_sessions={plan.sessions}")
    server = ("--profile", "simulated", "--processes", str(count), *limit, *told)
    async with child_server(server) as child:
        with turn_progress(plan.sessions * plan.turns) as on_turn:
            outcome = await stoppable(
                lambda on_turn: socket_load(plan, child.url, None, on_turn, child.pid), on_turn
            )
    found = report(plan, outcome, {"mode": "websocket", "processes": count})
    return {name: found[name] for name in ("setup", "summary", "problems")}


def _summary(runs: list[dict[str, Any]]) -> dict[str, float]:
    first, last = runs[0]["summary"], runs[-1]["summary"]
    found = {name: last[name] for name in ("p50_overhead_ms", "p99_overhead_ms") if name in last}
    if first is not last and first.get("p99_overhead_ms") and "p99_overhead_ms" in last:
        growth = last["p99_overhead_ms"] / first["p99_overhead_ms"]
        found["p99_overhead_growth"] = round(growth, 3)
    return {**found, "lost_turns": sum(run["summary"]["lost_turns"] for run in runs)}


def _table(runs: list[dict[str, Any]]) -> Table:
    title = "calls held by gateways: overhead in ms, CPU in % of a core a call"
    table = Table(box=box.SIMPLE, title=title)
    columns = ("processes", "calls", "turns", "lost", "p50", "p95", "p99", "late p99")
    for column in (*columns, "server %", "callers %"):
        table.add_column(column, justify="right")
    for run in runs:
        setup, summary = run["setup"], run["summary"]
        figures = [f"{p}_overhead_ms" for p in ("p50", "p95", "p99")] + ["p99_client_late_ms"]
        shown = [f"{summary[name]:.1f}" if name in summary else "" for name in figures]
        counts = (setup["processes"], setup["sessions"], summary["turns"], summary["lost_turns"])
        table.add_row(*map(str, counts), *shown, *_cpu(summary))
    return table


def _cpu(summary: dict[str, float]) -> tuple[str, str]:
    """Of the server's processes together, and of the callers; "" where it could not be read."""
    own = [summary.get(f"{name}cpu_percent_per_session") for name in ("", "workers_")]
    server = [share for share in own if share is not None]
    callers = summary.get("callers_cpu_percent_per_session")
    return (
        f"{sum(server):.2f}" if server else "",
        "" if callers is None else f"{callers:.2f}",
    )
