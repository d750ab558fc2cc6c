"""`voicepipe lab capacity`: how many of what for so many calls, and what a minute costs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from voicepipe.cli import results
from voicepipe.cli.results import JsonOption, SvgOption
from voicepipe.lab.bench.virtual_time import run_virtual
from voicepipe.lab.capacity import check as checking
from voicepipe.lab.capacity import find as finding
from voicepipe.lab.capacity.picture import picture
from voicepipe.lab.capacity.plan import Plan, read_plan
from voicepipe.lab.capacity.simulate import TURNS
from voicepipe.lab.capacity.sizing import sizes
from voicepipe.lab.capacity.table import as_dict, table
from voicepipe.runtime import event_loop
from voicepipe.runtime.gc_tuning import spared

CALLS = (100, 1_000, 10_000)


def capacity(
    plan_file: Annotated[
        Path | None,
        typer.Argument(metavar="[PLAN.toml]", help="Traffic, times, prices, target."),
    ] = None,
    calls: Annotated[
        list[int] | None,
        typer.Option("--calls", "-n", min=1, help="At once; repeatable. Default: 100 to 10,000."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Another one: other luck.")] = 1,
    turns: Annotated[
        int, typer.Option(min=100, help="Measured of each fleet; fewer know the p99 less well.")
    ] = TURNS,
    check: Annotated[
        bool,
        typer.Option("--check", help="Predict three small loads, measure them, compare (5 min)."),
    ] = False,
    virtual: Annotated[
        bool, typer.Option("--virtual", help="With --check: in virtual time, without a machine.")
    ] = False,
    find: Annotated[
        bool, typer.Option("--find", help="Measure how many calls one process holds here.")
    ] = False,
    limit_ms: Annotated[
        float, typer.Option(min=0.1, help="With --find: what may be added to a turn, at p99.")
    ] = 40.0,
    most: Annotated[int, typer.Option(min=1, help="With --find: no more callers.")] = 800,
    json_file: JsonOption = None,
    svg_file: SvgOption = None,
) -> None:
    """Size a fleet by simulation, check the simulation, or find what one process holds.

    Without PLAN.toml: assumed times, to see what it does. The figures are as good as those of the
    plan; docs/capacity.md says which of its samples were measured.
    """
    if (check or find) and (plan_file or calls or svg_file):
        raise typer.BadParameter("--check and --find measure here: leave out the plan and --calls")
    if check and find:
        raise typer.BadParameter("--check and --find are two measurements: make one at a time")
    if virtual and not check:
        raise typer.BadParameter("--virtual is for --check")
    if check:
        _check(json_file, virtual=virtual)
    elif find:
        _find(limit_ms, most, json_file)
    else:
        plan = read_plan(plan_file) if plan_file else Plan(name="assumed times")
        _size(plan, calls or CALLS, seed, turns, json_file, svg_file)


def _size(
    plan: Plan,
    calls: Sequence[int],
    seed: int,
    turns: int,
    json_file: Path | None,
    svg_file: Path | None,
) -> None:
    console = Console(stderr=True)
    with console.status("simulating") as status, spared():
        fleets = sizes(plan, sorted(set(calls)), seed=seed, turns=turns, told=status.update)
    Console().print(table(plan, fleets))
    results.write(
        (plan, fleets),
        (json_file, lambda found: json.dumps(as_dict(*found))),
        (svg_file, lambda found: picture(*found)),
    )


def _check(json_file: Path | None, *, virtual: bool) -> None:
    found = []
    for callers, turns in checking.LOADS.items():
        typer.echo(f"{callers} callers, {turns} turns each ...", err=True)
        if virtual:
            measured = run_virtual(checking.in_virtual_time(callers, turns))
        else:
            measured = event_loop.run(checking.in_real_time(callers, turns))
        found.append(checking.compared(callers, measured, virtual=virtual))
    Console().print(_checked(found))
    results.write([checking.as_dict(one) for one in found], (json_file, json.dumps))
    if not all(one.right for one in found):
        typer.echo("broken: p50 is to be right to 10 %, p95 and p99 to 25 %", err=True)
        raise typer.Exit(1)


def _checked(found: Sequence[checking.Compared]) -> Table:
    shown = Table(box=box.SIMPLE_HEAD, title="voice to voice, ms: predicted / measured")
    for head in ("callers", "turns", *checking.PERCENTILES):
        shown.add_column(head, justify="right")
    for one in found:
        cells = [
            f"{one.predicted[name]:.0f} / {one.measured[name]:.0f} = {one.ratio(name):.2f}"
            for name in checking.PERCENTILES
        ]
        shown.add_row(str(one.callers), str(one.turns), *cells)
    return shown


def _find(limit_ms: float, most: int, json_file: Path | None) -> None:
    def told(step: finding.Step) -> None:
        held = "held" if step.held(limit_ms) else "too many"
        typer.echo(
            f"{step.callers:5} calls: adds p50 {step.p50_overhead_ms:.1f}, "
            f"p99 {step.p99_overhead_ms:.1f} ms; {step.lost} lost; {step.cpu_share:.2%} of a core "
            f"each; callers late by p99 {step.late_ms:.1f} ms: {held}"
        )

    measure = finding.on_a_server(["--profile", "simulated"])
    found, steps = event_loop.run(finding.find(measure, limit_ms, most, told))
    typer.echo(f"One process holds {found} calls here.")
    results.write(finding.as_dict(limit_ms, found, steps), (json_file, json.dumps))
