"""Gain above, waste below, as an SVG that stands alone and follows the reader's light or dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from voicepipe.lab.bench.preemption.figures import REASONS
from voicepipe.lab.bench.svg import ticks

WIDTH, HEIGHT = 720, 512
LEFT, RIGHT = 118, 20
TOP, FLOOR = 66, 290  # of the curves
BARS, BAR, GAP = 356, 24, 12
LEGEND_COLUMNS = 3
SHOWN_TO = 0.99  # of the turns: the slowest percent would squeeze all others

_STYLE = """
  svg { --ink: #1c2330; --soft: #667085; --paper: #ffffff; --rule: #dfe3ea;
        --off: #7a8394; --eager_end: #2563eb; --stable_text: #15803d;
        --went_on: #f2b36b; --more_words: #e2763a; --other_words: #b42318; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6e9f0; --soft: #98a2b3; --paper: #14171d; --rule: #333a46;
          --off: #98a2b3; --eager_end: #7aa7ff; --stable_text: #4ade80;
          --went_on: #f2b36b; --more_words: #f0803c; --other_words: #f97066; } }
  text { font: 12px system-ui, sans-serif; fill: var(--soft); }
  .title { font-size: 14px; font-weight: 600; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .grid { stroke: var(--rule); }
  polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  .off { stroke-dasharray: 6 4; }
"""


def picture(found: Mapping[str, Any]) -> str:
    """A `figures.report`: how soon turns are answered, and what is generated for each, by mode."""
    modes: Mapping[str, Any] = found["modes"]
    body = [
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
        *_curves(modes),
        *_bars(modes),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-label="Voice to voice and wasted tokens, by mode of preemption">'
        f"<style>{_STYLE}</style>" + "".join(body) + "</svg>\n"
    )


def _curves(modes: Mapping[str, Any]) -> list[str]:
    answered = {
        name: sorted(ms for ms in one["each_voice_to_voice_ms"] if ms is not None)
        for name, one in modes.items()
    }
    shown = [v for values in answered.values() for v in values[: _rank(values)]] or [0.0, 1.0]
    low, high = min(shown) - 20, max(shown) + 20
    parts = [_text(14, 24, "Answered within so many ms of the true end of speech", css="title")]
    for ms in ticks(low, high, 8):
        x = _x((ms - low) / (high - low))
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{FLOOR}"/>')
        parts.append(_text(x, FLOOR + 18, f"{ms:g}", "middle"))
    for share in (0.0, 0.5, 0.95):
        y = _y(share)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(_text(LEFT - 8, y + 4, f"{share:.0%} of turns", "end"))
    for number, (name, values) in enumerate(answered.items()):
        parts.append(_curve(name, values, low, high))
        x, y = LEFT + 170 * number, TOP - 20
        parts.append(
            f'<line class="{name}" x1="{x}" x2="{x + 26}" y1="{y}" y2="{y}" '
            f'style="stroke:var(--{name});stroke-width:2.5"/>' + _text(x + 34, y + 4, name)
        )
    return parts


def _curve(name: str, values: Sequence[float], low: float, high: float) -> str:
    points, before = [], 0.0
    for number, value in enumerate(values[: _rank(values)], 1):
        x, share = _x((value - low) / (high - low)), number / len(values)
        points.append(f"{x:.1f},{_y(before):.1f} {x:.1f},{_y(share):.1f}")
        before = share
    return f'<polyline class="{name}" style="stroke:var(--{name})" points="{" ".join(points)}"/>'


def _rank(values: Sequence[float]) -> int:
    return max(1, int(len(values) * SHOWN_TO))


def _bars(modes: Mapping[str, Any]) -> list[str]:
    totals = {name: _tokens(one) for name, one in modes.items()}
    most = max(1.0, *(sum(parts.values()) for parts in totals.values()))
    parts = [_text(14, BARS - 16, "Tokens generated for each turn", css="title")]
    colours = {"heard": "--rule", "cut_off": "--off"}
    for number, (name, tokens) in enumerate(totals.items()):
        y, at = BARS + number * (BAR + GAP), 0.0
        parts.append(_text(LEFT - 8, y + 16, name, "end"))
        for kind, count in tokens.items():
            x, width = _x(at / most), count / most * (WIDTH - LEFT - RIGHT)
            at += count
            if count:
                colour = colours.get(kind, f"--{kind}")
                parts.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" '
                    f'style="fill:var({colour})"><title>{count:.1f} tokens</title></rect>'
                )
    unspoken = {str(reason): f"unspoken: {words}" for reason, words in REASONS.items()}
    legend = {"heard": "spoken", "cut_off": "spoken too early", **unspoken}
    for number, (kind, words) in enumerate(legend.items()):
        x = LEFT + 195 * (number % LEGEND_COLUMNS)
        y = BARS + len(totals) * (BAR + GAP) + 14 + 20 * (number // LEGEND_COLUMNS)
        colour = colours.get(kind, f"--{kind}")
        parts.append(
            f'<rect x="{x}" y="{y - 10}" width="12" height="12" style="fill:var({colour})"/>'
            + _text(x + 17, y, words)
        )
    return parts


def _tokens(mode: Mapping[str, Any]) -> dict[str, float]:
    """Per turn, by what became of them."""
    turns = max(1, mode["turns"])
    works = {"heard": mode["answers"], "cut_off": mode["cut_off"], **mode["discarded"]}
    return {kind: work["tokens"] / turns for kind, work in works.items()}


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return TOP + (1 - share) * (FLOOR - TOP)


def _text(x: float, y: float, text: str, anchor: str = "start", css: str = "") -> str:
    name = f' class="{css}"' if css else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
