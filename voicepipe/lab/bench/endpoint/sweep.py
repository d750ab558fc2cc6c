"""Scores policies: false cut-offs against the wait, over a sweep of each policy's waits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from voicepipe.dialog.options import Endpointing, TurnOptions
from voicepipe.lab.bench.endpoint.replay import EndJudge, Outcome, Session, replay
from voicepipe.ledger.percentiles import percentile
from voicepipe.session.turn_detection import COST_POWER

SCALES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5)
"""Factors on all waits of a policy; 1 is how it is shipped."""

LEVELS = (0.05, 0.1, 0.2)
"""False cut-offs at which policies are compared."""


@dataclass(frozen=True, slots=True)
class Point:
    """One policy with its waits scaled by `scale`. Rates are shares of turns, or of pauses."""

    scale: float
    turns: int
    cut_off_rate: float  # turns ended at least once although the user went on
    felt_rate: float  # ... and heard more than a moment of the agent before it was silent
    pause_cut_rate: float  # marked pauses that ended a turn
    wait_p50_ms: float | None  # from the true end to the endpoint; None: no turn has one
    wait_p95_ms: float | None
    wait_mean_ms: float | None
    unanswered: int  # not heard, or the rest of a cut-off turn was taken for a backchannel
    discards_per_turn: float  # replies prepared at a eager end and thrown away
    discard_rate: float  # ... as a share of those prepared


def sweep(
    name: Endpointing,
    sessions: Sequence[Session],
    base: TurnOptions,
    asr_delay_ms: int,
    judge: EndJudge | None = None,
    scales: Sequence[float] = SCALES,
    on_point: Callable[[], None] = lambda: None,
) -> list[Point]:
    """All points of one policy, in the order of `scales`."""
    points = []
    for scale in scales:
        options = scaled(base, name, scale)
        outcomes = [
            outcome
            for session in sessions
            for outcome in replay(session, options, asr_delay_ms, judge)
        ]
        points.append(point(scale, outcomes))
        on_point()
    return points


def scaled(base: TurnOptions, name: Endpointing, scale: float) -> TurnOptions:
    """The options of policy `name` with every wait times `scale`; the eager end never after it."""
    waits = {
        wait: round(getattr(base, wait) * scale)
        for wait in (
            "endpoint_complete_ms",
            "endpoint_unknown_ms",
            "endpoint_incomplete_ms",
            "endpoint_min_ms",
            "endpoint_max_ms",
        )
    }
    cost_ms = round(base.cut_off_cost_ms * scale**COST_POWER)
    return replace(base, endpointing=name, endpoint_fixed_ms=None, cut_off_cost_ms=cost_ms, **waits)


def point(scale: float, outcomes: Sequence[Outcome]) -> Point:
    """The figures of one run."""
    turns, pauses = len(outcomes), sum(o.pauses for o in outcomes)
    waits = [o.wait_ms for o in outcomes if o.wait_ms is not None]
    discards, eager_ends = sum(o.discards for o in outcomes), sum(o.eager_ends for o in outcomes)
    return Point(
        scale=scale,
        turns=turns,
        cut_off_rate=sum(o.cut_offs > 0 for o in outcomes) / turns,
        felt_rate=sum(o.felt > 0 for o in outcomes) / turns,
        pause_cut_rate=sum(o.cut_offs for o in outcomes) / max(1, pauses),
        wait_p50_ms=percentile(waits, 0.5) if waits else None,
        wait_p95_ms=percentile(waits, 0.95) if waits else None,
        wait_mean_ms=sum(waits) / len(waits) if waits else None,
        unanswered=sum(o.wait_ms is None for o in outcomes),
        discards_per_turn=discards / turns,
        discard_rate=discards / max(1, eager_ends),
    )


def at_level(points: Sequence[Point], level: float) -> dict[str, float] | None:
    """The waits at which a policy cuts off `level` of the turns, between the two nearest points;
    None: the sweep does not reach it."""
    waited = [one for one in points if one.wait_p50_ms is not None]
    for before, after in itertools.pairwise(waited):
        if before.cut_off_rate >= level >= after.cut_off_rate:
            drop = before.cut_off_rate - after.cut_off_rate
            share = 0.0 if drop == 0 else (before.cut_off_rate - level) / drop
            return {
                name: getattr(before, name) + share * (getattr(after, name) - getattr(before, name))
                for name in ("scale", "wait_p50_ms", "wait_p95_ms", "wait_mean_ms")
            }
    return None


def report(curves: dict[str, list[Point]], setup: dict[str, Any]) -> dict[str, Any]:
    """Everything, as JSON can hold it."""
    return {
        "setup": setup,
        "policies": {
            name: {
                "points": [asdict(one) for one in points],
                "at": {f"{level:g}": at_level(points, level) for level in LEVELS},
            }
            for name, points in curves.items()
        },
    }
