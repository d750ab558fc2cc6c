"""A what-if at the terminal: the figures side by side, and the two distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from voicepipe.lab.whatif.figures import PROMISE_MS

_PERCENTILES = ("p50", "p95", "p99")
BAR_WIDTH = 28  # characters of the longest bar; two of them fit a terminal of 80
BINS = 14


def comparison(found: Mapping[str, Any]) -> RenderableType:
    """`found` as `whatif.compare` makes it."""
    before, after = found["recorded"], found["predicted"]
    changes = ", ".join(found["changes"]) or "nothing changed"
    table = Table(box=box.SIMPLE_HEAD, title=f"what if: {changes}", padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for name in ("recorded", "predicted", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in _PERCENTILES:
        table.add_row(f"voice to voice {name}, ms", *_ms(before["v2v_ms"], after["v2v_ms"], name))
    for segment in before["critical_ms"]:
        for name in ("p50", "p95"):
            cells = _ms(before["critical_ms"][segment], after["critical_ms"][segment], name)
            table.add_row(f"  {segment} {name}", *cells)
    for label, key in (
        ("turns with a stage over budget", "over_budget_share"),
        (f"turns over {PROMISE_MS:.0f} ms", "over_promise_share"),
        ("false cut-offs, of all turns", "false_cut_off_share"),
    ):
        table.add_row(label, *_percent(before[key], after[key]))
    for label, key in (
        ("false cut-offs", "false_cut_offs"),
        ("replies discarded", "discards"),
        ("wasted engine time, ms", "wasted_engine_ms"),
    ):
        change = after[key] - before[key]
        table.add_row(label, f"{before[key]:.0f}", f"{after[key]:.0f}", f"{change:+.0f}")
    parts: list[RenderableType] = [table]
    if found["recorded_v2v_ms"] and found["predicted_v2v_ms"]:
        parts.append(histogram(found["recorded_v2v_ms"], found["predicted_v2v_ms"]))
    return Group(*parts, _trust(found))


def histogram(before: Sequence[float], after: Sequence[float]) -> RenderableType:
    """Both distributions of voice to voice, one row for each range of ms."""
    low, high = min(*before, *after), max(*before, *after)
    width = max((high - low) / BINS, 1.0)
    counts = [[0] * BINS, [0] * BINS]
    for side, values in enumerate((before, after)):
        for value in values:
            counts[side][min(BINS - 1, int((value - low) / width))] += 1
    shares = [[n / max(1, sum(side)) for n in side] for side in counts]
    most = max(*shares[0], *shares[1])
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("ms", justify="right", no_wrap=True)
    table.add_column("recorded", no_wrap=True, min_width=BAR_WIDTH)
    table.add_column("predicted", no_wrap=True, min_width=BAR_WIDTH)
    for number in range(BINS):
        start = low + number * width
        bars = [
            Text(_bar(side[number] / most), style)
            for side, style in zip(shares, ("cyan", "green"), strict=True)
        ]
        table.add_row(f"{start:.0f}-{start + width:.0f}", *bars)
    return table


def _bar(share: float) -> str:
    eighths = round(share * BAR_WIDTH * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _ms(before: Mapping[str, float], after: Mapping[str, float], name: str) -> list[str]:
    if name not in before or name not in after:
        return [_figure(before.get(name)), _figure(after.get(name)), ""]
    change = after[name] - before[name]
    return [_figure(before[name]), _figure(after[name]), f"{change:+.0f}"]


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _percent(before: float | None, after: float | None) -> list[str]:
    if before is None or after is None:
        return ["-" if v is None else f"{v:.1%}" for v in (before, after)] + [""]
    return [f"{before:.1%}", f"{after:.1%}", f"{(after - before) * 100:+.1f} points"]


def _trust(found: Mapping[str, Any]) -> Text:
    """How well the replay of what was recorded gives what was recorded."""
    before, again, after = found["recorded"], found["replayed"], found["predicted"]
    text = Text(f"{before['turns']} turns, {before['answered_turns']} of them answered aloud")
    for why, count in found["left_out"].items():
        text.append(f"; left out: {count} {why}", "yellow")
    if after["unnoticed_turns"]:
        text.append(f"; {after['unnoticed_turns']} would not have been noticed", "yellow")
    if "p50" in before["v2v_ms"] and "p50" in again["v2v_ms"]:
        errors = [
            f"{name} {again['v2v_ms'][name] / max(before['v2v_ms'][name], 0.001) - 1:+.1%}"
            for name in ("p50", "p95")
        ]
        text.append(f"\nreplayed without changes, against the record: {', '.join(errors)}", "dim")
    return text
