"""The curves as a picture: an SVG that stands alone and follows the reader's light or dark, and a
page around it. No scripts, nothing fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from voicepipe.lab.bench.svg import ticks

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 58, 20, 46, 52
SHOWN_TO = 0.4  # false cut-offs beyond this are no service: the axis ends here

LABELS = {
    "fixed": "silence only",
    "text": "text",
    "learned": "learned from pauses",
    "fused": "fused: sound, text, pauses",
    "smart_turn": "smart-turn",
}

_STYLE = """
  svg { --ink: #1c2330; --soft: #667085; --paper: #ffffff; --rule: #dfe3ea;
        --fixed: #7a8394; --text: #2563eb; --learned: #15803d;
        --fused: #b4236a; --smart_turn: #c2600a; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6e9f0; --soft: #98a2b3; --paper: #14171d; --rule: #333a46;
          --fixed: #98a2b3; --text: #7aa7ff; --learned: #4ade80;
          --fused: #ff7ab2; --smart_turn: #f0a35e; } }
  text { font: 12px system-ui, sans-serif; fill: var(--soft); }
  .title { font-size: 14px; font-weight: 600; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .grid { stroke: var(--rule); }
  polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  .fixed { stroke-dasharray: 6 4; }
"""


def curves(found: Mapping[str, Any]) -> str:
    """False cut-offs against the median wait, one line per policy of a `sweep.report`."""
    policies: Mapping[str, Any] = found["policies"]
    waits = [p["wait_p50_ms"] or 0.0 for one in policies.values() for p in one["points"]]
    most_ms = max(*waits, 1.0) * 1.04
    rates = [p["cut_off_rate"] for one in policies.values() for p in one["points"]]
    top = min(SHOWN_TO, max(*rates, 0.05) * 1.08)
    body = [
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
        _grid(most_ms, top),
        _legend(list(policies)),
        '<clipPath id="plot">'
        f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" '
        f'height="{HEIGHT - TOP - BOTTOM + 6}"/></clipPath><g clip-path="url(#plot)">',
        *(_curve(name, one["points"], most_ms, top) for name, one in policies.items()),
        "</g>",
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-label="False cut-offs against the median wait, by endpointing policy">'
        f"<style>{_STYLE}</style>" + "".join(body) + "</svg>\n"
    )


def page(found: Mapping[str, Any]) -> str:
    """The picture and all figures as one HTML page."""
    setup: Mapping[str, Any] = found["setup"]
    lead = (
        f"{setup['turns']} turns of {setup['speakers']} speakers with {setup['pauses']} marked "
        f"pauses; text known {setup['asr_delay_ms']} ms after it was said."
    )
    tables = "".join(
        f"<h2>{escape(LABELS.get(name, name))}</h2>{_table(one['points'])}"
        for name, one in found["policies"].items()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>voicepipe bench endpoint</title>'
        f"<style>{_PAGE_STYLE}</style><h1>When is a turn over?</h1><p>{escape(lead)} Nearer to the "
        "lower left is better; the large dots are the waits as shipped.</p>"
        f"{curves(found)}{tables}</html>\n"
    )


def rounded(wait_ms: float | None) -> str:
    """`-` where there is none: that is not the shortest."""
    return "-" if wait_ms is None else f"{wait_ms:.0f}"


def _curve(name: str, every: Sequence[Mapping[str, Any]], most_ms: float, top: float) -> str:
    points = [p for p in every if p["wait_p50_ms"] is not None]
    at = [(_x(p["wait_p50_ms"], most_ms), _y(p["cut_off_rate"], top)) for p in points]
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{6 if p["scale"] == 1 else 2.5}" '
        f'style="fill:var(--{name})"><title>{escape(_words(p))}</title></circle>'
        for (x, y), p in zip(at, points, strict=True)
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    return f'<polyline class="{name}" style="stroke:var(--{name})" points="{line}"/>{dots}'


def _words(point: Mapping[str, Any]) -> str:
    return (
        f"waits x {point['scale']:g}: {point['cut_off_rate']:.1%} cut off, wait "
        f"{point['wait_p50_ms']:.0f} ms (p95 {point['wait_p95_ms']:.0f})"
    )


def _grid(most_ms: float, top: float) -> str:
    parts = ['<text class="title" x="14" y="22">False cut-offs against the median wait</text>']
    for ms in ticks(0, most_ms, 8):
        x = _x(ms, most_ms)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{_y(0, 1)}"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 18, f"{ms:g}", "middle"))
    for percent in ticks(0, top * 100, 8):
        y = _y(percent / 100, top)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(_text(LEFT - 8, y + 4, f"{percent:g} %", "end"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    axis = "median wait from the true end of the turn to the endpoint, ms"
    return "".join([*parts, _text(middle, HEIGHT - 12, axis, "middle")])


def _legend(names: Sequence[str]) -> str:
    parts, y = [], TOP + 18
    for name in names:
        x = WIDTH - RIGHT - 220
        parts.append(
            f'<line class="{name}" x1="{x}" x2="{x + 26}" y1="{y}" y2="{y}" '
            f'style="stroke:var(--{name});stroke-width:2.5"/>'
            + _text(x + 34, y + 4, LABELS.get(name, name), "start")
        )
        y += 20
    return "".join(parts)


def _table(points: Sequence[Mapping[str, Any]]) -> str:
    head = ("waits", "cut off", "pauses cut", "wait p50 ms", "p95", "mean", "discards a turn")
    rows = "".join(
        f"<tr><td>x {p['scale']:g}</td><td>{p['cut_off_rate']:.1%}</td>"
        f"<td>{p['pause_cut_rate']:.1%}</td>{_cells(p)}"
        f"<td>{p['discards_per_turn']:.2f}</td></tr>"
        for p in points
    )
    return "<table><tr>" + "".join(f"<th>{h}</th>" for h in head) + f"</tr>{rows}</table>"


def _cells(point: Mapping[str, Any]) -> str:
    waits = (rounded(point[f"wait_{figure}_ms"]) for figure in ("p50", "p95", "mean"))
    return "".join(f"<td>{wait}</td>" for wait in waits)


def _x(ms: float, most_ms: float) -> float:
    return LEFT + ms / most_ms * (WIDTH - LEFT - RIGHT)


def _y(rate: float, top: float) -> float:
    return TOP + (1 - rate / top) * (HEIGHT - TOP - BOTTOM)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


_PAGE_STYLE = """
  :root { color-scheme: light dark; }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto;
         padding: 0 1rem; }
  svg { width: 100%; height: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: .2rem .9rem .2rem 0; text-align: left; border-bottom: 1px solid #8884; }
"""
