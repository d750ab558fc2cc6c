"""How many calls one process holds here: `bench turns` with more and more callers, until what the
server adds to a turn is too much at the 99th percentile.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from voicepipe.lab.bench import recordings
from voicepipe.lab.bench.child_server import child_server
from voicepipe.lab.bench.load import Plan, socket_load
from voicepipe.lab.bench.results import report
from voicepipe.lab.bench.socket_line import ConnectError
from voicepipe.lab.capacity.json_numbers import finite

FIRST = 25
NEAR = 0.1  # the answer is known to a tenth
TURNS = 4


@dataclass(frozen=True, slots=True)
class Step:
    """One load. `cpu_share`: of a core, for each call."""

    callers: int
    p50_overhead_ms: float
    p99_overhead_ms: float
    lost: int
    cpu_share: float
    late_ms: float  # p99 of the callers' own lateness: large, the load client had no CPU

    def held(self, limit_ms: float) -> bool:
        """Nothing was lost, and nothing too late."""
        return not self.lost and self.p99_overhead_ms <= limit_ms


Measure = Callable[[int], Awaitable[Step]]


async def find(
    measure: Measure, limit_ms: float, most: int, told: Callable[[Step], None]
) -> tuple[int, list[Step]]:
    """The most calls that were held, 0 if not even the first step was, and all steps: doubled
    while they are held, then halved between the last two. More callers than can connect are not
    held. Raises ConnectError where nobody could."""
    steps: list[Step] = []

    async def held(callers: int) -> bool:
        try:
            steps.append(await measure(callers))
        except ConnectError:
            if not good:
                raise  # it is no matter of how many
            steps.append(_step(callers, {"lost_turns": callers}))
        told(steps[-1])
        return steps[-1].held(limit_ms)

    good, bad = 0, min(FIRST, most)
    while await held(bad):
        good = bad
        if bad == most:
            return good, steps
        bad = min(bad * 2, most)
    while bad - good > max(1, good * NEAR):
        middle = (good + bad) // 2
        if await held(middle):
            good = middle
        else:
            bad = middle
    return good, steps


def on_a_server(arguments: Sequence[str], turns: int = TURNS) -> Measure:
    """A server of its own for each step, as `voicepipe serve ARGUMENTS` starts it."""

    async def measure(callers: int) -> Step:
        plan = Plan(recordings.load(None), callers, turns)
        given = [*arguments, "--set", f"limits.max_sessions={callers}"]
        async with child_server(given) as server:
            outcome = await socket_load(plan, server.url, server_pid=server.pid)
        return _step(callers, report(plan, outcome, {})["summary"])

    return measure


def as_dict(limit_ms: float, found: int, steps: Sequence[Step]) -> dict[str, Any]:
    """For --json; `gateway` is what a plan's section of that name takes."""
    step = next((one for one in reversed(steps) if one.callers == found), steps[0])
    gateway = {"calls": found, "turn_ms": step.p50_overhead_ms, "cpu_share": step.cpu_share}
    found_here = {"limit_ms": limit_ms, "gateway": gateway, "steps": list(map(asdict, steps))}
    return dict(finite(found_here))


def _step(callers: int, summary: dict[str, Any]) -> Step:
    return Step(
        callers,
        summary.get("p50_overhead_ms", float("inf")),
        summary.get("p99_overhead_ms", float("inf")),
        summary["lost_turns"],
        summary.get("cpu_percent_per_session", 0.0) / 100,
        summary.get("p99_client_late_ms", float("inf")),
    )
