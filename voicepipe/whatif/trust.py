"""How far a prediction can be believed: by the replay of the same turns with nothing changed. Pure.

A change is what the prediction says beyond that replay, never beyond the record: else the error of
the model would be reported as the effect of the setting.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voicepipe.ledger.percentiles import percentile

ALLOWED = 0.02
"""Share by which the unchanged replay's percentiles may miss the record's."""

NEEDED = {"p50": 1, "p95": 20, "p99": 100}
"""Turns below which a percentile is only the slowest of a few, and is not said."""

ENOUGH = 5
"""Turns on each side from which the difference of two medians has an interval."""

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Trust:
    """What the unchanged replay got wrong."""

    errors: Mapping[str, float]  # percentile to the share it is off by; only where n allows it
    invented_cut_offs: int  # that the record does not have; negative: not found again
    unanswered: bool = False  # there are answers in the record, and none in the replay

    @property
    def given(self) -> bool:
        """The prediction may be believed."""
        off = any(abs(error) > ALLOWED for error in self.errors.values())
        return not off and self.invented_cut_offs == 0 and not self.unanswered

    def as_dict(self) -> dict[str, Any]:
        return {
            "given": self.given,
            "errors": {name: round(error, 4) for name, error in self.errors.items()},
            "invented_cut_offs": self.invented_cut_offs,
        }


def trust(recorded: Mapping[str, Any], replayed: Mapping[str, Any]) -> Trust:
    """Both as `figures` makes them."""
    before, again = recorded["v2v_ms"], replayed["v2v_ms"]
    names = [name for name in NEEDED if said(before, name) and said(again, name)]
    errors = {name: again[name] / max(before[name], 0.001) - 1 for name in names}
    invented = replayed["false_cut_offs"] - recorded["false_cut_offs"]
    return Trust(errors, invented, unanswered=bool(before["n"]) and not again["n"])


def said(summary: Mapping[str, float], name: str) -> bool:
    """There are turns enough for this percentile."""
    return name in summary and summary["n"] >= NEEDED[name]


def interval_ms(before: Sequence[float], after: Sequence[float]) -> tuple[float, float] | None:
    """Where the change of the median lies, 95 times of 100, by drawing again from both; None with
    too few of either."""
    if min(len(before), len(after)) < ENOUGH:
        return None
    draw = random.Random(0)  # seeded: the same figures give the same interval
    changes = sorted(
        percentile(draw.choices(after, k=len(after)), 0.5)
        - percentile(draw.choices(before, k=len(before)), 0.5)
        for _ in range(RESAMPLES)
    )
    return percentile(changes, 0.025), percentile(changes, 0.975)
