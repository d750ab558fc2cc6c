"""Memory and descriptors over the run, with the faults: an SVG that stands alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voicepipe.lab.bench.svg import ticks
from voicepipe.lab.soak.run import Result
from voicepipe.lab.soak.watch import Sample

WIDTH, ROW = 720, 150
LEFT, RIGHT, TOP, GAP, BOTTOM = 64, 20, 40, 34, 46

_STYLE = """
  svg { --ink: #1c2330; --soft: #667085; --paper: #ffffff; --rule: #dfe3ea; --line: #2563eb;
        --fault: #c2600a; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6e9f0; --soft: #98a2b3; --paper: #14171d; --rule: #333a46; --line: #7aa7ff;
          --fault: #f0a35e; } }
  text { font: 12px system-ui, sans-serif; fill: var(--soft); }
  .title { font-size: 14px; font-weight: 600; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .grid { stroke: var(--rule); }
  .fault { stroke: var(--fault); stroke-width: 2; opacity: .7; }
  polyline { fill: none; stroke: var(--line); stroke-width: 2; stroke-linejoin: round; }
"""

_ROWS: tuple[tuple[str, Callable[[Sample], float]], ...] = (
    ("resident memory of the server, MB", lambda sample: sample.rss_mb),
    ("open descriptors", lambda sample: sample.descriptors),
)


def picture(result: Result) -> str:
    """One row for each quantity; ticks at the foot mark when a fault began."""
    height = TOP + len(_ROWS) * (ROW + GAP) + BOTTOM - GAP
    until_s = max(result.seconds, 1.0)
    title = (
        f"{sum(result.callers.values())} callers for {result.seconds / 60:.0f} minutes, "
        f"{len(result.struck)} faults, {result.lost} turns lost"
    )
    body = [
        f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>',
        f'<text class="title" x="14" y="22">{title}</text>',
    ]
    for number, (name, value) in enumerate(_ROWS):
        top = TOP + number * (ROW + GAP)
        body.append(_row(name, [(s.at_s, value(s)) for s in result.samples], until_s, top))
    foot = height - BOTTOM
    for one in result.struck:
        x = _x(one.at_s, until_s)
        body.append(
            f'<line class="fault" x1="{x:.1f}" x2="{x:.1f}" y1="{foot - 7}" y2="{foot}">'
            f"<title>{one.fault.replace('_', ' ')}</title></line>"
        )
    for minutes in ticks(0, until_s / 60, 8):
        x = _x(minutes * 60, until_s)
        body.append(_text(x, foot + 18, f"{minutes:g}", "middle"))
    body.append(
        _text((LEFT + WIDTH - RIGHT) / 2, height - 8, "minutes; ticks are faults", "middle")
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{title}"><style>{_STYLE}</style>' + "".join(body) + "</svg>\n"
    )


def _row(name: str, points: Sequence[tuple[float, float]], until_s: float, top: int) -> str:
    most = max((value for _, value in points), default=1.0) * 1.15

    def y(value: float) -> float:
        return top + ROW - value / most * (ROW - 18)

    parts = [_text(LEFT, top + 8, name, "start")]
    for value in ticks(0, most, 4):
        at = y(value)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
            + _text(LEFT - 8, at + 4, f"{value:g}", "end")
        )
    line = " ".join(f"{_x(at_s, until_s):.1f},{y(value):.1f}" for at_s, value in points)
    return "".join(parts) + f'<polyline points="{line}"/>'


def _x(at_s: float, until_s: float) -> float:
    return LEFT + at_s / until_s * (WIDTH - LEFT - RIGHT)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'
