"""Fleets of one plan side by side: what a call-minute costs and what callers wait. An SVG that
stands alone and follows the reader's light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from voicepipe.lab.bench.svg import ticks
from voicepipe.lab.capacity.plan import Plan
from voicepipe.lab.capacity.sizing import Sized

WIDTH, HEIGHT = 720, 330
LEFT, RIGHT, TOP, BOTTOM, GAP = 66, 14, 64, 42, 64
PARTS = {
    "llm": "language model",
    "asr": "recognition",
    "tts": "speech",
    "gateway": "gateways",
}
PERCENTILES = ("p50", "p95", "p99")

_STYLE = """
  svg { --ink: #1c2330; --soft: #667085; --paper: #ffffff; --rule: #dfe3ea; --limit: #b42318;
        --llm: #2563eb; --asr: #15803d; --tts: #c2600a; --gateway: #7a8394; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6e9f0; --soft: #98a2b3; --paper: #14171d; --rule: #333a46; --limit: #ff8a7a;
          --llm: #7aa7ff; --asr: #4ade80; --tts: #f0a35e; --gateway: #98a2b3; } }
  text { font: 12px system-ui, sans-serif; fill: var(--soft); }
  .title { font-size: 14px; font-weight: 600; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .grid { stroke: var(--rule); }
  .limit { stroke: var(--limit); stroke-width: 1.5; stroke-dasharray: 5 4; }
  .wait { stroke: var(--llm); stroke-width: 2; fill: var(--paper); }
  .llm { fill: var(--llm); } .asr { fill: var(--asr); }
  .tts { fill: var(--tts); } .gateway { fill: var(--gateway); }
"""

_MIDDLE = (LEFT + WIDTH - RIGHT) / 2


def picture(plan: Plan, fleets: Sequence[Sized]) -> str:
    """Left the price by part, right p50, p95 and p99 with the target; a column for each fleet."""
    title = f"{plan.name or 'A fleet'}: {plan.traffic.pattern} calls"
    body = [
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
        f'<text class="title" x="14" y="22">{escape(title)}</text>',
        _prices(plan, fleets, LEFT, _MIDDLE - GAP / 2),
        _waits(plan, fleets, _MIDDLE + GAP / 2, WIDTH - RIGHT),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}"><style>{_STYLE}</style>' + "".join(body) + "</svg>\n"
    )


def _prices(plan: Plan, fleets: Sequence[Sized], left: float, right: float) -> str:
    most = max(max(one.call_minute for one in fleets) * 1.15, 1e-9)
    parts = [_axis(most, left, right, f"{plan.currency} for a call-minute, by calls at once")]
    at = left
    for name, words in PARTS.items():
        parts.append(f'<rect class="{name}" x="{at:.1f}" y="34" width="9" height="9"/>')
        parts.append(_text(at + 13, 43, words, "start"))
        at += 24 + 6.8 * len(words)
    for x, width, sized in _columns(fleets, left, right):
        below = 0.0
        for name, words in PARTS.items():
            top, foot = _y(below + sized.parts[name], most), _y(below, most)
            parts.append(
                f'<rect class="{name}" x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" '
                f'height="{foot - top:.1f}"><title>{words}: {sized.parts[name]:.6f}</title>'
                "</rect>"
            )
            below += sized.parts[name]
        parts.append(_text(x + width / 2, _y(below, most) - 5, f"{below:.5f}", "middle"))
        parts.append(_calls(x + width / 2, sized))
    return "".join(parts)


def _waits(plan: Plan, fleets: Sequence[Sized], left: float, right: float) -> str:
    limit = plan.target.p99_ms
    most = max([limit, *(one.result.p99_ms for one in fleets if one.result.turns)]) * 1.15
    y = _y(limit, most)
    parts = [
        _axis(most, left, right, "voice to voice, ms: p50, p95, p99, target"),
        f'<line class="limit" x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
    ]
    for x, width, sized in _columns(fleets, left, right):
        middle = x + width / 2
        parts.append(_calls(middle, sized))
        if not sized.result.turns:
            parts.append(_text(middle, TOP + 14, "none answered", "middle"))
            continue
        at = [(_y(getattr(sized.result, f"{name}_ms"), most), name) for name in PERCENTILES]
        parts.append(
            f'<line class="wait" x1="{middle:.1f}" x2="{middle:.1f}" y1="{at[0][0]:.1f}" '
            f'y2="{at[-1][0]:.1f}"/>'
        )
        for height, name in at:
            ms = getattr(sized.result, f"{name}_ms")
            parts.append(
                f'<circle class="wait" cx="{middle:.1f}" cy="{height:.1f}" r="4">'
                f"<title>{name} {ms:.0f} ms</title></circle>"
            )
            if name != "p95":  # it is mostly too near for a figure of its own
                parts.append(_text(middle + 9, height + 4, f"{ms:.0f}", "start"))
    return "".join(parts)


def _calls(middle: float, sized: Sized) -> str:
    return _text(middle, HEIGHT - BOTTOM + 18, f"{sized.result.calls:,}", "middle")


def _columns(
    fleets: Sequence[Sized], left: float, right: float
) -> list[tuple[float, float, Sized]]:
    """Left edge and width of each."""
    each = (right - left) / len(fleets)
    width = min(46.0, each * 0.5)
    return [
        (left + (number + 0.5) * each - width / 2, width, sized)
        for number, sized in enumerate(fleets)
    ]


def _axis(most: float, left: float, right: float, words: str) -> str:
    parts = [_text(left, TOP - 4, words, "start")]
    for value in ticks(0, most, 5):
        y = _y(value, most)
        parts.append(
            f'<line class="grid" x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(_text(left - 6, y + 4, f"{value:.4g}", "end"))
    return "".join(parts)


def _y(value: float, most: float) -> float:
    return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM - 8)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
