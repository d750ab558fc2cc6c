"""A bench at the terminal: its progress and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from voicepipe.lab.bench.caller import CallerTurn
from voicepipe.lab.bench.load import OnTurn
from voicepipe.lab.bench.results import FEWEST_TURNS, PROMISE_MS

_PERCENTILES = ("p50", "p95", "p99", "max")
_LINES = (
    ("voice to voice, heard", "client_v2v"),
    ("voice to voice, server", "v2v"),
    ("  endpoint", "endpoint"),
    ("  asr", "asr"),
    ("  llm", "llm"),
    ("  tool", "tool"),
    ("  clause", "clause"),
    ("  tts", "tts"),
    ("  output", "output"),
    ("silence to final text", "final_text"),
    ("added by the server", "overhead"),
    ("caller's own lateness", "client_late"),
)


@contextmanager
def turn_progress(total: int) -> Iterator[OnTurn]:
    """A bar on stderr that grows with each finished turn."""
    columns = (TextColumn("turns"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    lost_column = TextColumn("[red]{task.fields[lost]}")
    console = Console(stderr=True)
    with Progress(*columns, lost_column, console=console, refresh_per_second=2) as progress:
        task = progress.add_task("turns", total=total, lost="")
        lost = 0

        def on_turn(turn: CallerTurn) -> None:
            nonlocal lost
            lost += turn.lost is not None
            progress.update(task, advance=1, lost=f"{lost} lost" if lost else "")

        yield on_turn


def bench_table(report: Mapping[str, Any]) -> RenderableType:
    """The figures of a report as `results.report` makes it."""
    summary, stages, setup = report["summary"], report["stages"], report["setup"]
    table = Table(box=box.SIMPLE_HEAD, title=escape(_title(setup)), padding=(0, 1, 0, 0))
    table.add_column("ms", no_wrap=True)
    for name in (*_PERCENTILES, "budget", "over"):
        table.add_column(name, justify="right", no_wrap=True)
    for label, name in _LINES:
        if f"p50_{name}_ms" not in summary:
            continue
        figures = [
            f"{summary[f'{p}_{name}_ms']:.1f}"
            if summary["turns"] >= FEWEST_TURNS.get(p, 0)
            else "·"
            for p in _PERCENTILES
        ]
        budget, over = "", ""
        if name in stages:
            budget = f"{stages[name]['budget_ms']:.0f}"
            over = f"{stages[name]['over']:.0f}"
        elif name == "v2v":
            budget, over = f"{PROMISE_MS:.0f}", str(summary["over_promise_turns"])
        table.add_row(label, *figures, budget, Text(over, "red" if over not in ("", "0") else ""))
    return Group(table, _facts(summary), *_troubles(report))


def _title(setup: Mapping[str, Any]) -> str:
    where = setup.get("url") or f"profile {setup.get('profile')}"
    stopped = ", stopped by hand" if setup.get("interrupted") else ""
    planned = f"{setup['sessions']} x {setup['turns_per_session']} turns"
    return f"{planned}, {setup['mode']}, {where}{stopped}"


def _facts(summary: Mapping[str, Any]) -> Text:
    lost = summary["lost_turns"]
    text = Text(f"{summary['answered_turns']} of {summary['turns']} turns answered, ")
    text.append(f"{lost} lost", "bold red" if lost else "green")
    text.append(
        f"; preemption: {summary['preemptive_hits']} hits, {summary['preemptive_misses']} "
        f"misses, {summary['discards']} discards; {summary['extra_replies']} extra replies"
    )
    if checked := summary["checked_answers"]:
        wrong = summary["wrong_answers"]
        text.append(f"\n{wrong} of {checked} checked answers lack the words that were wanted")
    if "cpu_s" in summary:
        text.append(
            f"\nserver: {summary['cpu_percent_per_session']:.2f} % of a core per session "
            f"({summary['cpu_percent']:.0f} % in all), {summary['rss_mb']:.0f} MB"
        )
        if summary["workers_rss_mb"]:
            text.append(
                f"; its workers {summary['workers_cpu_s']:.1f} CPU s, "
                f"{summary['workers_rss_mb']:.0f} MB"
            )
    if "startup_s" in summary:
        text.append(f"; ready after {summary['startup_s']:.1f} s")
    factors = [
        f"{name.upper()} {summary[f'{name}_rtf']:.3f}"
        for name in ("asr", "tts")
        if f"{name}_rtf" in summary
    ]
    if factors:
        text.append(f"\nreal-time factor: {', '.join(factors)}")
    return text


def _troubles(report: Mapping[str, Any]) -> list[Text]:
    lost = [row for row in report["turns"] if row["lost"]][:5]
    found = [
        Text(f"lost: session {row['session']} turn {row['turn']}: {row['lost']}", "red")
        for row in lost
    ]
    found += [
        Text(
            f"wrong answer: session {row['session']} turn {row['turn']} to {row['question']}", "red"
        )
        for row in report["turns"]
        if row["is_right"] is False
    ][:5]
    found += [
        Text(f"{count} x {problem}", "yellow") for problem, count in report["problems"].items()
    ]
    return found
