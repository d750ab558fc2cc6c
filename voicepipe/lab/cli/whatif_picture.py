"""Two distributions as one SVG file that stands alone, in light and dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from voicepipe.lab.bench.svg import ticks
from voicepipe.whatif.figures import PROMISE_MS

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 20, 20, 64, 40
BINS = 36

_STYLE = """
  svg { color-scheme: light dark; }
  text { font: 13px system-ui, sans-serif; fill: #667085; }
  .title { font-size: 16px; fill: #1c2330; } .paper { fill: #fbfbfd; }
  .grid { stroke: #d8dce5; } .limit { stroke: #dc2626; stroke-dasharray: 5 4; }
  .before { fill: #2563eb; fill-opacity: .35; stroke: #2563eb; stroke-width: 1.5; }
  .after { fill: #c2600a; fill-opacity: .35; stroke: #c2600a; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #98a2b3; } .title { fill: #e6e9f0; } .paper { fill: #14171d; }
    .grid { stroke: #333a46; } .limit { stroke: #f87171; }
    .before { fill: #7aa7ff; stroke: #7aa7ff; } .after { fill: #f0a35e; stroke: #f0a35e; }
  }
"""


def distributions(found: Mapping[str, Any]) -> str:
    """`found` as `whatif.compare` makes it: recorded and, if it is said, predicted voice to
    voice."""
    before, after = found["recorded_v2v_ms"], found["predicted_v2v_ms"] or []
    values = [*before, *after] or [0.0]
    low, high = min(values), max(values)
    if high > PROMISE_MS * 0.8:
        high = max(high, PROMISE_MS)
    margin = max((high - low) * 0.03, 1.0)
    low, high = low - margin, high + margin
    shares = [_shares(side, low, high) for side in (before, after)]
    most = max(*shares[0], *shares[1], 0.001)
    changes = ", ".join(found["changes"]) or "nothing changed"
    body = [
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        _text(LEFT, 26, f"Voice to voice, ms; what if: {changes}", "title"),
        *_axis(low, high),
        _outline(shares[0], most, "before"),
        *([_outline(shares[1], most, "after")] if found["predicted"] else []),
        *_legend(found),
    ]
    if low < PROMISE_MS < high:
        x = _x((PROMISE_MS - low) / (high - low))
        body.append(_line(x, "limit"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<style>{_STYLE}</style>{''.join(body)}</svg>\n"
    )


def _shares(values: Sequence[float], low: float, high: float) -> list[float]:
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int((value - low) / (high - low) * BINS))] += 1
    return [count / max(1, len(values)) for count in counts]


def _outline(shares: Sequence[float], most: float, css: str) -> str:
    floor = HEIGHT - BOTTOM
    points = [f"{_x(0):.1f},{floor}"]
    for number, share in enumerate(shares):
        y = floor - share / most * (floor - TOP)
        points += [f"{_x(n / BINS):.1f},{y:.1f}" for n in (number, number + 1)]
    points.append(f"{_x(1):.1f},{floor}")
    kept = [points[0], *(new for old, new in pairwise(points) if new != old)]
    return f'<polygon class="{css}" points="{" ".join(kept)}"/>'


def _axis(low: float, high: float) -> list[str]:
    parts = []
    for value in ticks(low, high):
        x = _x((value - low) / (high - low))
        if LEFT <= x <= WIDTH - RIGHT:
            parts += [_line(x, "grid"), _text(x, HEIGHT - BOTTOM + 18, f"{value:g}", "", "middle")]
    return parts


def _legend(found: Mapping[str, Any]) -> list[str]:
    parts, x = [], LEFT
    for name, css, key in (("recorded", "before", "recorded"), ("predicted", "after", "predicted")):
        if found[key] is None:
            continue
        summary = found[key]["v2v_ms"]
        figures = ", ".join(f"{p} {summary[p]:.0f}" for p in ("p50", "p95", "p99") if p in summary)
        parts.append(f'<rect class="{css}" x="{x}" y="38" width="12" height="12"/>')
        parts.append(_text(x + 18, 49, f"{name}: {figures or 'no answers'}"))
        x += WIDTH // 2
    return parts


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _line(x: float, css: str) -> str:
    return f'<line class="{css}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'


def _text(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> str:
    return (
        f'<text class="{css}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )
