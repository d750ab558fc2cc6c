"""How well an audio model tells pauses from ends, before any policy makes something of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from voicepipe.lab.bench.endpoint.calibration import Part, calibration
from voicepipe.lab.bench.endpoint.replay import EndJudge
from voicepipe.lab.bench.endpoint.turns import MarkedTurn

ASKED_MS = 160
"""After the last of the speech: what a detector makes 100 ms of silence."""


@dataclass(frozen=True, slots=True)
class Insight:
    """`auc`: chance that an end is called likelier to be one than a pause; with its 95 % interval
    (Hanley and McNeil's). 0.5 knows nothing."""

    pauses: int
    ends: int
    auc: float
    low: float
    high: float
    calibration: list[Part]


def insight(turns: Sequence[MarkedTurn], judge: EndJudge) -> Insight:
    """Of the model, asked after each marked pause and end."""
    pauses = [_asked(turn, judge, start) for turn in turns for start, _ in turn.pauses]
    ends = [_asked(turn, judge, turn.end_ms) for turn in turns]
    auc = area(np.array(pauses), np.array(ends)) if pauses else 0.5
    spread = 1.96 * _error(auc, len(pauses), len(ends)) if pauses else 0.5
    low, high = max(0.0, auc - spread), min(1.0, auc + spread)
    return Insight(len(pauses), len(ends), auc, low, high, calibration(pauses, ends))


def area(pauses: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]) -> float:
    """Share of all pairs in which the end scores higher; ties count half."""
    below = np.searchsorted(np.sort(pauses), ends, "left")
    not_above = np.searchsorted(np.sort(pauses), ends, "right")
    return float((below + not_above).mean() / 2 / pauses.size)


def _error(auc: float, pauses: int, ends: int) -> float:
    one, two = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    pairs = auc * (1 - auc) + (ends - 1) * (one - auc * auc) + (pauses - 1) * (two - auc * auc)
    return sqrt(max(0.0, pairs) / (pauses * ends))


def _asked(turn: MarkedTurn, judge: EndJudge, speech_end_ms: float) -> float:
    begun_ms = round(turn.segments[0].start_ms)
    return judge.probability(turn, begun_ms, round(speech_end_ms) + ASKED_MS)
