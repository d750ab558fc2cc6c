"""A turn as a picture in the terminal: one bar per stage on a common time axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

_STAGES: tuple[tuple[str, str, str, str], ...] = (
    ("endpoint", "speech_end", "endpoint", "waiting to be sure that the user has finished"),
    ("asr", "eager_end", "asr_final", "the final transcript"),
    ("llm", "llm_request", "llm_first_token", "to the language model's first token"),
    ("clause", "llm_first_token", "first_clause", "to the first clause worth saying"),
    ("tts", "first_clause", "tts_first_audio", "to the first chunk of speech"),
    ("output", "tts_first_audio", "audio_out", "through the gate to the transport"),
)
"""Segment, and the marks between which its stage worked."""

WIDTH = 40  # characters of the bars; with the figures it fits a terminal of 80
PROMISE_MS = 800.0


def waterfall(turn: Mapping[str, Any], words: str = "") -> RenderableType:
    """`turn` as `TurnRecord.as_dict` gives it; `words`: what was said, where that is known."""
    critical, marks = turn["critical_ms"], turn["marks_ms"]
    if critical is None:
        why = turn["note"] or f"the turn ended without an answer ({turn['end']})"
        return Text(f"no figures for turn {turn['turn_id']}: {why}", style="yellow")
    total = turn["voice_to_voice_ms"]
    scale = WIDTH / max(total, 1.0)
    title = f"“{words}”" if words else f"turn {turn['turn_id']}"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title=title)
    table.add_column("stage", no_wrap=True)
    for name in ("critical", "work", "budget"):
        table.add_column(name, justify="right", no_wrap=True, min_width=6)
    end_label = f"{total:.0f} ms"
    axis = f"0{end_label.rjust(WIDTH - 1)}"
    table.add_column(axis, no_wrap=True, min_width=WIDTH)
    done_ms = 0.0
    for name, start, end, _ in _STAGES:
        if name == "clause" and "tool" in critical:
            done_ms = _tool_row(table, turn, done_ms, scale)
        begin, finish = marks.get(start, done_ms), marks.get(end, done_ms)
        if name == "output" or start not in marks:
            begin = max(begin, marks["endpoint"])  # behind the gate nothing works, it waits
        row_critical = (done_ms, done_ms + critical[name])
        done_ms += critical[name]
        over = name in turn["over_budget"]
        work = turn["work_ms"].get(name, max(0.0, finish - begin))
        begin = max(begin, finish - work)  # it may have been asked long before it began
        table.add_row(
            name,
            Text(f"{critical[name]:.1f}", style="red" if over else "green"),
            f"{work:.1f}",
            f"{turn['budget_ms'].get(name, 0):.0f}",
            _bar((begin, finish), row_critical, scale, over=over),
        )
    return Group(table, _summary(turn, done_ms))


def _tool_row(table: Table, turn: Mapping[str, Any], done_ms: float, scale: float) -> float:
    """The tools that were waited for, in one row below the model's; returns where it ends."""
    tools, critical_ms = turn["tools"], turn["critical_ms"]["tool"]
    over = "tool" in turn["over_budget"]
    begin = min(tool["start_us"] for tool in tools) / 1000
    finish = max(tool["end_us"] for tool in tools) / 1000
    ran_ms = sum(tool["end_us"] - tool["start_us"] for tool in tools) / 1000
    table.add_row(
        "tool",
        Text(f"{critical_ms:.1f}", style="red" if over else "green"),
        f"{ran_ms:.1f}",
        f"{turn['budget_ms'].get('tool', 0):.0f}",
        _bar((begin, finish), (done_ms, done_ms + critical_ms), scale, over=over),
    )
    return done_ms + float(critical_ms)


def _bar(
    work: tuple[float, float], critical: tuple[float, float], scale: float, *, over: bool
) -> Text:
    """Light: the stage worked. Solid: the part of it the user waited for."""
    text = Text()
    for cell in range(WIDTH):
        at = (cell + 0.5) / scale
        if critical[0] <= at < critical[1]:
            text.append("█", style="red" if over else "green")
        elif work[0] <= at < work[1]:
            text.append("░", style="cyan")
        else:
            text.append(" ")
    return text


def _summary(turn: Mapping[str, Any], added_ms: float) -> Text:
    total = turn["voice_to_voice_ms"]
    inside = total <= PROMISE_MS
    text = Text("voice to voice ")
    text.append(f"{total:.1f} ms", style="bold green" if inside else "bold red")
    text.append(f" = sum of the critical parts ({added_ms:.1f} ms)")
    text.append(f"; {'inside' if inside else 'over'} {PROMISE_MS:.0f} ms")
    if turn["preemption"] == "hit":
        text.append(f"\n{_prepared(turn['marks_ms'])}", "dim")
    for tool in turn.get("tools", ()):
        what = "failed after" if tool["failed"] else "took"
        took_ms = (tool["end_us"] - tool["start_us"]) / 1000
        text.append(f"\ntool {tool['name']} {what} {took_ms:.1f} ms", "dim")
    if turn["discards"]:
        text.append(f"\n{_discarded(turn)}", "dim")
    text.append("\n█ waited for   ░ worked, hidden behind another wait", "dim")
    return text


def _discarded(turn: Mapping[str, Any]) -> str:
    """How many replies were prepared for nothing, and why, where the turn's trace says so."""
    count, attempts = turn["discards"], (turn.get("trace") or {}).get("attempts", ())
    whys = sorted({one["why"].replace("_", " ") for one in attempts if one.get("why")})
    said = f"{count} prepared {'reply' if count == 1 else 'replies'} discarded"
    return f"{said} ({', '.join(whys)})" if whys else said


def _prepared(marks: Mapping[str, float]) -> str:
    """Whether a reply that was begun early was there in time."""
    ahead_ms = marks["endpoint"] - marks.get("tts_first_audio", marks["audio_out"])
    if ahead_ms >= 0:
        return f"the reply was ready {ahead_ms:.0f} ms before the endpoint"
    return (
        f"the reply was begun before the endpoint, its first sound came {-ahead_ms:.0f} ms after it"
    )
