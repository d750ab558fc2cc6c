"""`voicepipe tail`: what a running server does, as it does it."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from voicepipe.ledger.percentiles import percentile
from voicepipe.runtime.errors import VoicepipeError

app = typer.Typer(add_completion=False)

PERIOD_S = 1.0
TIMEOUT_S = 5.0
LATEST = 200
"""Turns asked for each time; a server with more than that a second loses some here."""

BAR = 30
"""Characters for a second."""

COLOURS = {
    "endpoint": "bright_black",
    "asr": "cyan",
    "llm": "magenta",
    "tool": "yellow",
    "clause": "blue",
    "tts": "green",
    "output": "white",
}


class Unreachable(VoicepipeError):
    """There is no such server, or it does not let us in."""


@app.command()
def tail(
    url: Annotated[str, typer.Argument(help="The server.")] = "http://127.0.0.1:8080",
    key: Annotated[
        str | None, typer.Option(envvar="VOICEPIPE_API_KEY", help="API key of the server.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="The latest turns, then end.")] = False,
) -> None:
    """Follow a server: one line for each turn that ends, and the calls that are open."""
    console = Console(highlight=False)
    bearer = f"Bearer {key}".encode("utf-8", "surrogateescape")  # the server reads UTF-8 too
    headers = {b"Authorization": bearer} if key else {}
    with _client(url, headers) as http:
        seen = Seen()
        first = _ask(http)
        for turn in seen.new(first.turns):
            console.print(turn_line(turn))
        if once:
            console.print(seen.status(first.ready))
            return
        try:
            _follow(http, seen, console, first)
        except KeyboardInterrupt:
            return


class Answers:
    """One round of asking."""

    def __init__(self, ready: Mapping[str, Any], turns: list[dict[str, Any]]) -> None:
        self.ready = ready
        self.turns = turns


class Seen:
    """Which turns were shown, and the latest waits."""

    def __init__(self) -> None:
        self._ids: deque[str] = deque(maxlen=2 * LATEST)
        self._waits_ms: deque[float] = deque(maxlen=LATEST)

    def new(self, turns: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Those that were not shown yet, oldest first."""
        for turn in turns:
            if turn["turn_id"] in self._ids:
                continue
            self._ids.append(turn["turn_id"])
            if turn["voice_to_voice_ms"] is not None:
                self._waits_ms.append(turn["voice_to_voice_ms"])
            yield turn

    def status(self, ready: Mapping[str, Any]) -> Text:
        """Such as "3 of 100 calls open · last 12 turns: p50 412 ms, p95 640 ms"."""
        text = Text(f"{ready['sessions']} of {ready['max_sessions']} calls open", "bold")
        if self._waits_ms:
            p50, p95 = (percentile(self._waits_ms, share) for share in (0.5, 0.95))
            n = len(self._waits_ms)
            text.append(f" · last {n} answers: p50 {p50:.0f} ms, p95 {p95:.0f} ms", "not bold")
        if ready["problem"]:
            text.append(f" · {ready['problem']}", "bold red")
        for drift in ready["drift"]:
            text.append(
                f" · {drift['stage']} is slower than last week: {drift['now_ms']:.0f} ms, "
                f"was {drift['before_ms']:.0f}",
                "yellow",
            )
        return text


def turn_line(turn: Mapping[str, Any]) -> Text:
    """Session, wait, a bar of its stages, and how the turn ended."""
    text = Text(f"{turn['session_id'][-6:]:<7}", "dim", no_wrap=True, overflow="ellipsis")
    critical = turn["critical_ms"]
    if critical is None:
        text.append("      -    " + " " * BAR, "dim")
    else:
        total = turn["voice_to_voice_ms"]
        text.append(f"{total:7.0f} ms ", "red" if turn["over_budget"] else "green")
        text.append_text(_bar(critical))
    text.append(f" {turn['end']}", "" if turn["end"] == "completed" else "yellow")
    if turn["over_budget"]:
        text.append(f", over: {' '.join(turn['over_budget'])}", "red")
    for tool in turn.get("tools", ()):
        text.append(f", {tool['name']}" + (" failed" if tool["failed"] else ""), "yellow")
    return text


def _bar(critical: Mapping[str, float]) -> Text:
    """A second is `BAR` characters; what is longer is cut and marked."""
    bar, at_ms = Text(), 0.0
    for name, ms in critical.items():
        begin, at_ms = round(at_ms * BAR / 1000), at_ms + ms
        cells = min(round(at_ms * BAR / 1000), BAR) - min(begin, BAR)
        bar.append("█" * cells, COLOURS.get(name, "white"))
    if at_ms > 1000:
        bar.right_crop(1)
        bar.append("▸", "red")
    bar.append(" " * (BAR - len(bar)))
    return bar


def _client(url: str, headers: Mapping[bytes, bytes]) -> httpx.Client:
    """Raises Unreachable."""
    try:
        return httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_S)
    except httpx.InvalidURL as error:
        raise Unreachable(f"{url} is no address: {error}") from None


def _follow(http: httpx.Client, seen: Seen, console: Console, first: Answers) -> None:
    with Live(seen.status(first.ready), console=console, auto_refresh=False) as live:
        while True:
            time.sleep(PERIOD_S)
            try:
                told = _ask(http)
            except Unreachable as error:
                live.update(Text(f"{error} Trying again ...", "bold red"), refresh=True)
                continue
            for turn in seen.new(told.turns):
                live.console.print(turn_line(turn))
            live.update(seen.status(told.ready), refresh=True)


def _ask(http: httpx.Client) -> Answers:
    """Raises Unreachable."""
    try:
        ready = http.get("/readyz").json()
        turns = http.get("/v1/turns", params={"limit": LATEST})
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise Unreachable(f"No voicepipe answers at {http.base_url} ({error}).") from None
    if turns.status_code in (401, 403):
        raise Unreachable(f"{http.base_url} wants its key: give --key or set VOICEPIPE_API_KEY.")
    try:
        if turns.status_code != httpx.codes.OK or "sessions" not in ready:
            raise ValueError(ready)
        return Answers(ready, [json.loads(line) for line in turns.text.splitlines()])
    except (ValueError, TypeError):
        raise Unreachable(f"What answers at {http.base_url} is no voicepipe.") from None
