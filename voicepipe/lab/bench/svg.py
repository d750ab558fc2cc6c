"""Small pictures as inline SVG. Colours come from the page's CSS classes, so that light and dark
both work; nothing is loaded from anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 60, 12, 10, 34


@dataclass(frozen=True, slots=True)
class Series:
    """Values under one name; `css` is its colour's class."""

    name: str
    values: Sequence[float]
    css: str


def ticks(low: float, high: float, wanted: int = 6) -> list[float]:
    """At most about `wanted` round numbers within `low`..`high` (low < high)."""
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [n * step for n in range(first, last + 1)]


def cumulative(series: Sequence[Series], unit: str, line_at: float | None = None) -> str:
    """Share of turns at or below each value: one stepped line per series. `line_at`: a limit."""
    values = [v for s in series for v in s.values]
    low, high = _range(values, line_at)
    body = [_grid(ticks(low, high), low, high, unit)]
    for share in (0.0, 0.5, 0.95, 1.0):
        y = _y(share)
        body.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        body.append(_text(LEFT - 6, y + 4, f"{share:.0%}", "end"))
    for one in series:
        ordered = sorted(one.values)
        points, before = [], 0.0
        for number, value in enumerate(ordered, 1):
            x = _x(value, low, high)
            points.append(f"{x:.1f},{_y(before):.1f} {x:.1f},{_y(number / len(ordered)):.1f}")
            before = number / len(ordered)
        body.append(f'<polyline class="line {one.css}" points="{" ".join(points)}"/>')
    if line_at is not None:
        body.append(_limit(line_at, low, high))
    return _svg(body, HEIGHT) + _legend(series)


def histogram(series: Series, unit: str, bins: int = 40, line_at: float | None = None) -> str:
    """How many turns fell into each of `bins` equal ranges."""
    low, high = _range(series.values, line_at)
    counts = [0] * bins
    width = (high - low) / bins
    for value in series.values:
        counts[min(bins - 1, int((value - low) / width))] += 1
    most = max(counts)
    body = [_grid(ticks(low, high), low, high, unit)]
    for number, count in enumerate(counts):
        if count:
            x, top = _x(low + number * width, low, high), _y(count / most)
            size = max(1.0, (WIDTH - LEFT - RIGHT) / bins - 1)
            body.append(
                f'<rect class="bar {series.css}" x="{x:.1f}" y="{top:.1f}" width="{size:.1f}" '
                f'height="{_y(0) - top:.1f}"><title>{count}</title></rect>'
            )
    body += [_text(LEFT - 6, _y(1) + 8, str(most), "end"), _text(LEFT - 6, _y(0), "0", "end")]
    if line_at is not None:
        body.append(_limit(line_at, low, high))
    return _svg(body, HEIGHT)


@dataclass(frozen=True, slots=True)
class Bar:
    """A stage in a waterfall: when it worked, and the part of it the caller waited for, in ms."""

    name: str
    work: tuple[float, float]
    critical: tuple[float, float]
    over: bool


def waterfall(bars: Sequence[Bar], total: float) -> str:
    """One row a stage on a common axis from the end of speech to the first answer sample."""
    row, high = 26, max(total, 1.0)
    height = TOP + row * len(bars) + BOTTOM
    low = min(0.0, *(bar.work[0] for bar in bars))
    body = [_grid(ticks(low, high), low, high, "ms", height)]
    for number, bar in enumerate(bars):
        y = TOP + number * row
        body.append(_text(LEFT - 6, y + 16, bar.name, "end"))
        for kind, (start, end) in (("work", bar.work), ("critical", bar.critical)):
            if end <= start:
                continue
            x, until = _x(start, low, high), _x(end, low, high)
            css = "over" if bar.over and kind == "critical" else kind
            body.append(
                f'<rect class="{css}" x="{x:.1f}" y="{y + 4}" width="{max(until - x, 1):.1f}" '
                f'height="{row - 8}"><title>{kind} {end - start:.1f} ms</title></rect>'
            )
    return _svg(body, height)


def _range(values: Sequence[float], also: float | None) -> tuple[float, float]:
    low, high = min(values), max(values)
    if also is not None:
        low, high = min(low, also), max(high, also)
    margin = max((high - low) * 0.03, 0.05)
    return low - margin, high + margin


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


def _grid(at: Sequence[float], low: float, high: float, unit: str, height: int = HEIGHT) -> str:
    parts = []
    for value in at:
        x = _x(value, low, high)
        parts.append(
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{height - BOTTOM}"/>'
            + _text(x, height - BOTTOM + 15, f"{value:g}", "middle")
        )
    parts.append(_text(WIDTH - RIGHT, height - 4, unit, "end"))
    return "".join(parts)


def _limit(value: float, low: float, high: float) -> str:
    x = _x(value, low, high)
    return f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _legend(series: Sequence[Series]) -> str:
    items = "".join(f'<span class="{s.css}">&#9632;</span> {escape(s.name)} ' for s in series)
    return f'<p class="legend">{items}</p>'


def _svg(body: Sequence[str], height: int) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg">'
        + "".join(body)
        + "</svg>"
    )
