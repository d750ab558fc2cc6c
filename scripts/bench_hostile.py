"""What other callers notice of one hostile client at each limit.

    python -m scripts.bench_hostile [--profile builtin] [--callers 6] [--attack NAME ...]

Callers speak to a server of its own in real time, first alone ("calm"), then beside each attack.
The figures are what voicepipe itself added to their turns (the ledger's overhead). The hostile
client has a process of its own and competes for this machine's cores; the server's CPU time (in per
cent of one core) says what it costs on a machine that has more of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from voicepipe.lab.bench import recordings
from voicepipe.lab.bench.child_server import ChildServer, child_server
from voicepipe.lab.bench.load import Plan, socket_load
from voicepipe.lab.bench.results import report
from voicepipe.lab.hostile.attacks import ATTACKS, attack

TARGET_MS = 30.0
STRIKE_S = 600.0  # killed long before
Figures = dict[str, float | int | None]


async def measure(server: ChildServer, plan: Plan, name: str | None) -> Figures:
    """One load, beside an attack."""
    hostile = None
    if name is not None:
        hostile = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "scripts.bench_hostile", "--strike", name, server.url
        )
        await asyncio.sleep(2)
    try:
        outcome = await socket_load(plan, server.url, server_pid=server.pid)
    finally:
        if hostile is not None:
            hostile.kill()
            await hostile.wait()
    found = report(plan, outcome, {"mode": "websocket"})["summary"]
    wanted = ("p50_overhead_ms", "p95_overhead_ms", "p99_overhead_ms", "max_overhead_ms")
    names = ("turns", "lost_turns", *wanted, "p99_v2v_ms", "peak_rss_mb", "cpu_percent")
    return {key: found.get(key) for key in names}


async def run(options: argparse.Namespace) -> dict[str, Figures]:
    plan = Plan(recordings.load(None), options.callers, options.turns)
    results: dict[str, Figures] = {}
    async with child_server(["--profile", options.profile]) as server:
        for name in ("calm", *(options.attack or ATTACKS)):
            results[name] = await measure(server, plan, None if name == "calm" else name)
            _show(name, results[name], results["calm"])
    return results


def _show(name: str, figures: Figures, calm: Figures) -> None:
    p99, before = figures["p99_overhead_ms"], calm["p99_overhead_ms"]
    ratio = f"{p99 / before:.1f}x" if p99 is not None and before else "-"
    over = "OVER" if p99 is None or p99 > TARGET_MS else ""
    shown = (_ms(figures[f"{p}_overhead_ms"]) for p in ("p50", "p95", "p99"))
    print(
        f"{name:22} {figures['turns']:5} {figures['lost_turns']:5} {' '.join(shown)} {ratio:>7}"
        f" {_ms(figures['p99_v2v_ms'])} {_ms(figures['peak_rss_mb'])}"
        f" {_ms(figures['cpu_percent'])} {over}",
        flush=True,
    )


def _ms(value: float | int | None) -> str:
    return "      -" if value is None else f"{value:7.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default="builtin")
    parser.add_argument("--callers", type=int, default=6)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--attack", action="append", choices=sorted(ATTACKS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--strike", nargs=2, metavar=("NAME", "URL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.strike:
        name, url = options.strike
        asyncio.run(attack(name, url, STRIKE_S))
        return
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}; target p99 <= {TARGET_MS:.0f} ms", flush=True)
    heads = (
        "turns",
        "lost",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "to calm",
        "v2v p99",
        "peak MB",
        "cpu %",
    )
    print(f"{'overhead of others':22}", *(f"{h:>{5 if n < 2 else 7}}" for n, h in enumerate(heads)))
    results = asyncio.run(run(options))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
