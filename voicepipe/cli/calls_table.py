"""Calls in the terminal: a table of many, or one with its turns as waterfalls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from voicepipe.call_log.places import recording_file
from voicepipe.call_log.query import CallWithTurns, Known
from voicepipe.cli.waterfall import waterfall
from voicepipe.ledger.percentiles import percentile

FOR_AGENTS = 96
"""Columns that a terminal has where their names find room beside the callers'."""


def calls_table(calls: Sequence[CallWithTurns], total: int, columns: int) -> RenderableType:
    """`total`: how many there are, of which these are the newest. `columns`: of the terminal."""
    title = f"{len(calls)} of {total} calls, the newest last"
    table = Table(box=box.SIMPLE_HEAD, title=title, padding=0)  # 80 columns hold it
    callers = any(one.call["caller"] for one in calls)
    agents = columns >= FOR_AGENTS and any(one.call["agent"] for one in calls)
    shown = [*(["caller"] if callers else []), *(["agent"] if agents else [])]
    for name in ("call", "began", "via"):
        table.add_column(name, no_wrap=True)
    if callers:
        table.add_column("caller", no_wrap=True, max_width=None if agents else 13)
    if agents:
        table.add_column("agent")
    for name in ("lasted", "turns", "p50 ms"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("ended")
    table.add_column("wav", no_wrap=True)
    for one in calls:
        call = one.call
        table.add_row(
            short_id(call["id"]),
            recently(call["started_at"]),
            escape(call["transport"]),
            *(_gives_way(call[name] or "-") for name in shown),
            lasted(call),
            str(len(one.turns)),
            median_v2v(one.turns),
            _gives_way(ending(call)),
            "yes" if call["recording"] else "-",
        )
    return table


_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def _plain(text: str) -> str:
    """What others have said or sent, without what a terminal would obey."""
    return text.translate(_CONTROLS)


def _gives_way(text: str) -> Text:
    """Cut where the terminal is narrow, before any other column is."""
    return Text(_plain(text), no_wrap=True, overflow="ellipsis")


def call_details(one: CallWithTurns, folder: Path) -> Iterator[RenderableType]:
    """The call, then each turn: what was said and where its milliseconds went."""
    for name, value in _facts(one.call, folder):
        yield Text.assemble((f"{name:<17}", "bold"), _plain(value))
    if not one.turns:
        yield Text("no turns", style="yellow")
    for turn in one.turns:
        yield Text(f"\n{turn['number']}. {turn['end']}, {local(turn['recorded_at'])}", "bold")
        for who in ("user", "agent"):
            if turn[f"{who}_text"]:
                yield Text(_plain(f"   {who}: {turn[f'{who}_text']}"))
        if turn["user_text"] is None:
            yield Text("   what was said was not kept (calls.store_text)", style="dim")
        for call in turn["tool_calls"]:
            told = f"   {call['name']} {call['arguments']} -> {call['result']}"
            yield Text(_plain(told), style="dim")
        yield waterfall(turn["ledger"])


def _facts(call: Known, folder: Path) -> Iterator[tuple[str, str]]:
    yield "call", call["id"]
    yield "transport", call["transport"]
    for name in ("caller", "called", "carrier_call_id", "agent", "key_name"):
        if call[name]:
            yield name.replace("_", " "), call[name]
    yield "began", local(call["started_at"]) + ("" if call["answered"] else ", not answered")
    yield "lasted", f"{lasted(call)}, {ending(call)}"
    yield "session", call["session_id"]
    yield "profile", f"{call['profile']}, voicepipe {call['version']}"
    if call["recording"]:
        path = recording_file(folder, call["recording"])
        missing = "" if path.exists() else " (not there)"
        yield "recording", f"{path}{missing}, from {local(call['recording_started_at'])}"
    if call["lost_turns"]:
        yield "lost", f"{call['lost_turns']} turns could not be written"
    if call["lost_sound_s"]:
        yield "lost", f"{call['lost_sound_s']:.1f} s of sound could not be written"


def short_id(call_id: str) -> str:
    """Enough of it to name the call among a few million."""
    return call_id.removeprefix("call_")[:10]


def local(moment: datetime) -> str:
    """In the reader's time zone, to the second."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def recently(moment: datetime) -> str:
    """In the reader's time zone, to the minute; the year only where it is another one."""
    own = moment.astimezone()
    this_year = own.year == datetime.now(own.tzinfo).year
    return f"{own:%d %b %H:%M}" if this_year else f"{own:%Y-%m-%d}"


def lasted(call: Known) -> str:
    """Minutes and seconds."""
    if call["ended_at"] is None:
        return "open"
    seconds = round((call["ended_at"] - call["started_at"]).total_seconds())
    return f"{seconds // 60}:{seconds % 60:02}"


def ending(call: Known) -> str:
    return call["end_reason"] or "still open"


def median_v2v(turns: Sequence[Known]) -> str:
    """Of the turns that have a figure."""
    found = [t["voice_to_voice_us"] for t in turns if t["voice_to_voice_us"] is not None]
    return f"{percentile(found, 0.5) / 1000:.0f}" if found else "-"
