"""Does an audio model mean what it says? Of the silences to which it gives a chance of 20 %, the
speaker should go on after a fifth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from voicepipe.lab.bench.svg import ticks
from voicepipe.lab.hearing_score import Rate

PARTS = 8
"""Silences are put into so many parts of the same size, by the chance that they were given."""

SIZE, LEFT, TOP, BOTTOM, RIGHT = 420, 58, 46, 52, 20
SURE = 0.005

_STYLE = """
  svg { --ink: #1c2330; --soft: #667085; --paper: #ffffff; --rule: #dfe3ea; --line: #b4236a; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6e9f0; --soft: #98a2b3; --paper: #14171d; --rule: #333a46; --line: #ff7ab2; } }
  text { font: 12px system-ui, sans-serif; fill: var(--soft); }
  .title { font-size: 14px; font-weight: 600; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .grid, .even { stroke: var(--rule); }
  .even { stroke-dasharray: 5 4; stroke-width: 2; }
  .found { stroke: var(--line); stroke-width: 2; }
  circle { fill: var(--line); }
"""


@dataclass(frozen=True, slots=True)
class Part:
    """Silences of about one chance: what they were given on average, what came of them."""

    silences: int
    given: float
    went_on: float
    low: float
    high: float


def calibration(pauses: Sequence[float], ends: Sequence[float]) -> list[Part]:
    """Of the probabilities of an end that the model gave at marked pauses and at ends. It knows no
    prior, so the recordings' own is put in: their share of pauses."""
    if not pauses or not ends:
        return []
    end = np.clip(np.concatenate((pauses, ends)), SURE, 1 - SURE)
    odds = (1 - end) / end * len(pauses) / len(ends)
    given, went_on = odds / (1 + odds), np.arange(end.size) < len(pauses)
    parts = np.array_split(np.argsort(given, kind="stable"), min(PARTS, end.size))
    return [_part(given[part], went_on[part]) for part in parts]


def picture(parts: Sequence[dict[str, Any]]) -> str:
    """`parts`, as dictionaries, as an SVG that stands alone and follows light and dark."""
    marks = []
    for one in parts:
        x, text = _x(one["given"]), f"{one['given']:.0%} given, {one['went_on']:.0%} went on"
        marks.append(
            f'<line class="found" x1="{x:.1f}" x2="{x:.1f}" y1="{_y(one["low"]):.1f}" '
            f'y2="{_y(one["high"]):.1f}"/><circle cx="{x:.1f}" cy="{_y(one["went_on"]):.1f}" '
            f'r="4.5"><title>{text}, of {one["silences"]}</title></circle>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" role="img" '
        'aria-label="Share of silences after which the speaker went on, against the chance that '
        f'was given"><style>{_STYLE}</style><rect class="paper" width="{SIZE}" height="{SIZE}" '
        'rx="8"/><text class="title" x="14" y="22">Silences after which the speaker went on</text>'
        + "".join(_grid(percent / 100) for percent in ticks(0, 100, 6))
        + f'<line class="even" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>'
        + "".join(marks)
        + f'<text x="{_x(0.5)}" y="{SIZE - 12}" text-anchor="middle">chance that it gave</text>'
        "</svg>\n"
    )


def _part(given: np.ndarray[Any, Any], went_on: np.ndarray[Any, Any]) -> Part:
    count = int(went_on.sum())
    low, high = Rate(count, went_on.size).interval
    return Part(went_on.size, float(given.mean()), count / went_on.size, low, high)


def _grid(share: float) -> str:
    x, y, text = _x(share), _y(share), f"{share:.0%}"
    return (
        f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{_y(0)}"/>'
        f'<line class="grid" x1="{LEFT}" x2="{_x(1)}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{x:.1f}" y="{_y(0) + 18}" text-anchor="middle">{text}</text>'
        f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )


def _x(share: float) -> float:
    return LEFT + share * (SIZE - LEFT - RIGHT)


def _y(share: float) -> float:
    return SIZE - BOTTOM - share * (SIZE - TOP - BOTTOM)
