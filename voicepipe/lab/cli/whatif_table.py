"""A what-if at the terminal: the figures side by side, and the two distributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from voicepipe.whatif.figures import PROMISE_MS
from voicepipe.whatif.trust import ALLOWED, NEEDED, said

BAR_WIDTH = 28  # characters of the longest bar; two of them fit a terminal of 80
BINS = 14

_PERCENTS = (
    ("turns with a stage over budget", "over_budget_share"),
    (f"turns over {PROMISE_MS:.0f} ms", "over_promise_share"),
    ("false cut-offs, of all turns", "false_cut_off_share"),
)
_COUNTS = (
    ("false cut-offs", "false_cut_offs"),
    ("replies discarded", "discards"),
    ("wasted engine time, ms", "wasted_engine_ms"),
)

Figures = Mapping[str, Any]


def comparison(found: Figures, *, predicts: bool) -> RenderableType:
    """`found` as `whatif.comparison` makes it; without `predicts` only how well the replay does."""
    sides = [found["recorded"], found["replayed"], *([found["predicted"]] if predicts else [])]
    changes = ", ".join(found["changes"]) or "nothing changed"
    table = Table(box=box.SIMPLE_HEAD, title=f"what if: {changes}", padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for name in ("recorded", "replayed", "predicted", "change")[: 4 if predicts else 2]:
        table.add_column(name, justify="right", no_wrap=True)
    for label, cells in _rows(sides):
        table.add_row(label, *cells)
    parts: list[RenderableType] = [table]
    if predicts and found["recorded_v2v_ms"] and found["predicted_v2v_ms"]:
        parts.append(histogram(found["recorded_v2v_ms"], found["predicted_v2v_ms"]))
    return Group(*parts, _trust(found), *_interval(found, predicts))


def _rows(sides: Sequence[Figures]) -> Iterator[tuple[str, list[str]]]:
    for name in NEEDED:
        yield f"voice to voice {name}, ms", _ms([side["v2v_ms"] for side in sides], name)
    for segment in sides[0]["critical_ms"]:
        for name in ("p50", "p95"):
            yield f"  {segment} {name}", _ms([side["critical_ms"][segment] for side in sides], name)
    for label, key in _PERCENTS:
        yield label, _percent([side[key] for side in sides])
    for label, key in _COUNTS:
        yield label, [*(f"{side[key]:.0f}" for side in sides), *_change([s[key] for s in sides])]


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


def _ms(sides: Sequence[Mapping[str, float]], name: str) -> list[str]:
    """A percentile of each side, where there are turns enough for it."""
    if not all(said(side, name) for side in sides):
        return ["-" for _ in sides] + [""] * (len(sides) > 2)
    return [*(f"{side[name]:.0f}" for side in sides), *_change([side[name] for side in sides])]


def _change(values: Sequence[float]) -> list[str]:
    """What the prediction says beyond the replay of the same turns unchanged."""
    return [f"{values[2] - values[1]:+.0f}"] if len(values) > 2 else []


def _percent(values: Sequence[float | None]) -> list[str]:
    cells = ["-" if value is None else f"{value:.1%}" for value in values]
    if len(values) < 3:
        return cells
    _, again, after = values
    if again is None or after is None:
        return [*cells, ""]
    return [*cells, f"{(after - again) * 100:+.1f} points"]


def _trust(found: Figures) -> Text:
    """How well the replay of what was recorded gives what was recorded."""
    before, after, trust = found["recorded"], found["predicted"], found["trust"]
    text = Text(f"{before['turns']} turns, {before['answered_turns']} of them answered aloud")
    for why, count in found["left_out"].items():
        text.append(f"; left out: {count} {why}", "yellow")
    if after["unnoticed_turns"]:
        text.append(f"; {after['unnoticed_turns']} would not have been noticed", "yellow")
    errors = ", ".join(f"{name} {error:+.1%}" for name, error in trust["errors"].items())
    style = "dim" if trust["given"] else "bold red"
    text.append(f"\nreplayed without changes, against the record: {errors or 'no figures'}", style)
    if trust["invented_cut_offs"]:
        text.append(f", {trust['invented_cut_offs']:+d} false cut-offs", style)
    if not trust["given"]:
        text.append(
            f"\nNo prediction of these turns can be believed: {ALLOWED:.0%} are allowed, and no "
            "cut-off that was none. --anyway shows it all the same.",
            style,
        )
    return text


def _interval(found: Figures, predicts: bool) -> list[Text]:
    """Where the change of the median lies."""
    interval = found["p50_change_ms"]
    if not predicts or interval is None:
        return []
    n = found["replayed"]["v2v_ms"]["n"], found["predicted"]["v2v_ms"]["n"]
    low, high = interval
    return [
        Text(f"change of p50: {low:+.0f} to {high:+.0f} ms in 95 of 100, n = {n[0]} and {n[1]}")
    ]
