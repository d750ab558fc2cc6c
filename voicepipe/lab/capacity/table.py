"""Sized fleets as a table: for the terminal, and for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from voicepipe.lab.capacity.json_numbers import finite
from voicepipe.lab.capacity.plan import Plan
from voicepipe.lab.capacity.simulate import POOLS
from voicepipe.lab.capacity.sizing import Sized

HEADS = (
    *("calls", "gateways", "asr", "llm", "tts", "p50 / p95 / p99, ms"),
    *("busy asr / llm / tts", "a call-minute", "bottleneck"),
)
MORE = ("thrown away", "prefix found")


def row(plan: Plan, sized: Sized) -> list[str]:
    """One fleet's cells, under `HEADS`."""
    found, fleet = sized.result, sized.result.fleet
    return [
        f"{found.calls:,}",
        *(f"{count:,}" for count in (fleet.gateways, fleet.asr, fleet.llm, fleet.tts)),
        f"{found.p50_ms:.0f} / {found.p95_ms:.0f} / {found.p99_ms:.0f}"
        + ("" if sized.kept else " (too late)"),
        " / ".join(f"{found.busy[name]:.0%}" for name in POOLS),
        f"{sized.call_minute:.5f} {plan.currency}",
        _bottleneck(sized),
    ]


def _bottleneck(sized: Sized) -> str:
    """What made the slowest turns slow, and where that is no queue, the pool nearest to one."""
    found = sized.result
    fullest = max(POOLS, key=lambda name: found.busy[name])
    waited = found.bottleneck.startswith(POOLS) and "slot" in found.bottleneck
    return found.bottleneck if waited else f"{found.bottleneck}; the fullest pool is {fullest}"


def table(plan: Plan, fleets: Sequence[Sized]) -> Table:
    """For the terminal."""
    shown = Table(box=box.SIMPLE_HEAD, title=escape(plan.name), padding=(0, 1, 0, 0))
    for head in HEADS:
        shown.add_column(head, justify="left" if head == "bottleneck" else "right")
    for sized in fleets:
        shown.add_row(*map(escape, row(plan, sized)))
    return shown


def markdown(plan: Plan, fleets: Sequence[Sized]) -> str:
    """For a page, with what was thrown away of the work for prepared replies, and how often a
    conversation found its prefix."""
    heads = [*HEADS, *MORE]
    rows = [heads, ["---"] * len(heads), *(_whole(plan, sized) for sized in fleets)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _whole(plan: Plan, sized: Sized) -> list[str]:
    found = sized.result
    return [*row(plan, sized), f"{max(found.wasted.values()):.1%}", f"{found.prefix_hits:.1%}"]


def as_dict(plan: Plan, fleets: Sequence[Sized]) -> dict[str, Any]:
    """Everything, for --json."""
    return {
        "plan": plan.model_dump(mode="json"),
        "fleets": [finite(asdict(sized)) for sized in fleets],
    }
