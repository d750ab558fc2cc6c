"""A report as one HTML page: no scripts, nothing fetched, readable in light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from voicepipe.lab.bench import svg
from voicepipe.lab.bench.results import ADDED_STEPS, FEWEST_TURNS, PROMISE_MS, STAGES, Row

SLOWEST = 15
_PERCENTILES = ("p50", "p95", "p99", "max")
_WORK: dict[str, tuple[str, str]] = {
    "endpoint": ("speech_end", "endpoint"),
    "asr": ("eager_end", "asr_final"),
    "llm": ("llm_request", "llm_first_token"),
    "clause": ("llm_first_token", "first_clause"),
    "tts": ("first_clause", "tts_first_audio"),
    "output": ("tts_first_audio", "audio_out"),
}
"""The marks between which a stage worked; a tool's work lies in the wait for the model."""


def html_report(report: Mapping[str, Any]) -> str:
    """The whole page, of a report as `results.report` makes it."""
    summary = report["summary"]
    measured = [row for row in report["turns"] if row["v2v_ms"] is not None]
    parts = [_headline(report["setup"], summary)]
    if measured:
        parts += [
            _section("Voice to voice", *_voice_to_voice(measured)),
            _section("Added by the server", *_overhead(measured, summary)),
            _section("The median turn", _median_turn(measured)),
            _section("By stage, on the critical path", _stage_table(report["stages"])),
            _folded(f"The {min(SLOWEST, len(measured))} slowest turns", _slowest(measured)),
        ]
    lost = [row for row in report["turns"] if row["lost"]]
    if lost:
        parts.append(_section("Lost turns", _lost_table(lost)))
    if report["problems"]:
        parts.append(_section("Problems reported", _pairs(report["problems"])))
    parts.append(_folded(f"All {len(summary)} figures", _pairs(summary)))
    return _PAGE.replace("{body}", "\n".join(parts))


def median_turn(measured: Sequence[Row]) -> Row:
    """The turn whose voice-to-voice time is the median (of an even number, the lower)."""
    ordered = sorted(measured, key=lambda row: float(row["v2v_ms"]))
    return ordered[(len(ordered) - 1) // 2]


def _headline(setup: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    where = setup.get("url") or f"profile {setup.get('profile')}"
    few = summary["turns"] < FEWEST_TURNS["p99"]
    cards = [
        ("voice to voice, p50", _ms(summary.get("p50_v2v_ms"))),
        ("p99", "·" if few else _ms(summary.get("p99_v2v_ms"))),
        ("as heard by the caller, p50", _ms(summary.get("p50_client_v2v_ms"))),
        ("added by the server, p50", _ms(summary.get("p50_overhead_ms"))),
        ("p99", "·" if few else _ms(summary.get("p99_overhead_ms"))),
        ("turns answered", f"{summary['answered_turns']} of {summary['turns']}"),
    ]
    if "cpu_percent_per_session" in summary:
        cards.append(("of a core per session", f"{summary['cpu_percent_per_session']:.2f} %"))
    shown = "".join(f"<div><b>{escape(v)}</b><span>{escape(k)}</span></div>" for k, v in cards)
    return (
        f"<h1>voicepipe bench</h1><p>{setup['sessions']} callers, {setup['turns_per_session']} "
        f"turns each, {escape(str(setup['mode']))}, {escape(str(where))}</p>"
        f'<div class="cards">{shown}</div>'
    )


def _voice_to_voice(measured: Sequence[Row]) -> Iterable[str]:
    server = svg.Series("server", [row["v2v_ms"] for row in measured], "one")
    heard = [row["client_v2v_ms"] for row in measured if row["client_v2v_ms"] is not None]
    both = [server] + ([svg.Series("heard by the caller", heard, "two")] if heard else [])
    yield "<p>Share of turns that took at most so long; the dashed line is the promise.</p>"
    yield svg.cumulative(both, "ms", PROMISE_MS)
    yield svg.histogram(server, "ms", line_at=PROMISE_MS)


def _overhead(measured: Sequence[Row], summary: Mapping[str, Any]) -> Iterable[str]:
    values = [row["overhead_ms"] for row in measured if row["overhead_ms"] is not None]
    if not values:
        yield "<p>The server's ledger does not say what its engines account for.</p>"
        return
    yield (
        "<p>Voice to voice less the waits it was set to and its engines' own time. Below: where "
        "in the pipeline it arose, wherever that lay.</p>"
    )
    yield svg.cumulative([svg.Series("overhead", values, "one")], "ms")
    yield _table(
        ("step", *_PERCENTILES),
        (
            (name, *(_ms(summary[f"{p}_added_{name}_ms"]) for p in _PERCENTILES))
            for name in ADDED_STEPS
            if f"p50_added_{name}_ms" in summary
        ),
    )


def _median_turn(measured: Sequence[Row]) -> str:
    row = median_turn(measured)
    ledger = row["ledger"]
    marks, done, bars = ledger["marks_ms"], 0.0, []
    for name, took in ledger["critical_ms"].items():
        start, end = _WORK.get(name, ("", ""))
        began = marks.get(start, marks["endpoint"] if name == "asr" else done)
        critical = (done, done + took)
        over = name in ledger["over_budget"]
        bars.append(svg.Bar(name, (began, marks.get(end, began)), critical, over))
        done = critical[1]
    return (
        f"<p>{escape(row['turn_id'])}: {row['v2v_ms']:.1f} ms from the end of speech to the first "
        "answer sample. Solid: the caller waited. Light: worked behind another wait.</p>"
        + svg.waterfall(bars, row["v2v_ms"])
    )


def _stage_table(stages: Mapping[str, Mapping[str, float]]) -> str:
    return _table(
        ("stage", *_PERCENTILES, "budget", "over budget"),
        (
            (
                name,
                *(_ms(found[p]) for p in _PERCENTILES),
                _ms(found["budget_ms"]),
                f"{found['over']:.0f} of {found['n']:.0f}",
            )
            for name, found in stages.items()
        ),
    )


def _slowest(measured: Sequence[Row]) -> str:
    ordered = sorted(measured, key=lambda row: -float(row["v2v_ms"]))[:SLOWEST]
    stages = [s for s in STAGES if any(s in row["ledger"]["critical_ms"] for row in ordered)]
    return _table(
        ("turn", "session", "question", "server", "heard", "added", "preemption", *stages),
        (
            (
                row["turn_id"],
                str(row["session"]),
                row["question"],
                _ms(row["v2v_ms"]),
                _ms(row["client_v2v_ms"]),
                _ms(row["overhead_ms"]),
                row["ledger"]["preemption"],
                *(_ms(row["ledger"]["critical_ms"].get(name)) for name in stages),
            )
            for row in ordered
        ),
    )


def _lost_table(lost: Sequence[Row]) -> str:
    return _table(
        ("session", "turn", "question", "why"),
        ((str(r["session"]), str(r["turn"]), r["question"], r["lost"]) for r in lost),
    )


def _pairs(values: Mapping[str, Any]) -> str:
    return _table(("figure", "value"), ((name, str(value)) for name, value in values.items()))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="scroll"><table><tr>{top}</tr>{body}</table></div>'


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def _folded(title: str, *parts: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{''.join(parts)}</details>"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} ms"


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>voicepipe bench</title>
<style>
  :root { color-scheme: light dark; --ink: #1c2330; --soft: #667085; --paper: #fbfbfd;
          --rule: #d8dce5; --one: #2563eb; --two: #c2600a; --critical: #15803d;
          --work: #93c5b0; --over: #dc2626; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6e9f0; --soft: #98a2b3; --paper: #14171d; --rule: #333a46; --one: #7aa7ff;
            --two: #f0a35e; --critical: #4ade80; --work: #2f5d49; --over: #f87171; } }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
         max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { margin-bottom: 0; } h2 { margin-top: 2.5rem; }
  p { color: var(--soft); }
  .cards { display: flex; flex-wrap: wrap; gap: .75rem; }
  .cards div { border: 1px solid var(--rule); border-radius: .5rem; padding: .6rem .9rem; }
  .cards b { display: block; font-size: 1.35rem; } .cards span { color: var(--soft); }
  svg { width: 100%; height: auto; display: block; margin: .5rem 0; }
  svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
  .grid { stroke: var(--rule); stroke-width: 1; }
  .line { fill: none; stroke-width: 2; }
  .line.one { stroke: var(--one); } .line.two { stroke: var(--two); }
  .bar.one { fill: var(--one); } .legend .one { color: var(--one); }
  .legend .two { color: var(--two); }
  .limit { stroke: var(--over); stroke-dasharray: 5 4; stroke-width: 1.5; }
  .critical { fill: var(--critical); } .work { fill: var(--work); } .over { fill: var(--over); }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: .25rem .7rem .25rem 0; text-align: left; white-space: nowrap;
           border-bottom: 1px solid var(--rule); }
  th { color: var(--soft); font-weight: 600; }
</style>
{body}
</html>
"""
