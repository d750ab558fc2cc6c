"""Options of `voicepipe calls`: which database, which calls, which moments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from voicepipe.call_log.places import database_url, recordings_dir
from voicepipe.call_log.query import CallFilter
from voicepipe.call_log.store import CallStore
from voicepipe.config import CallSettings
from voicepipe.runtime.errors import VoicepipeError

DatabaseOption = Annotated[
    str | None,
    typer.Option("--database", metavar="URL", help="Default: calls.database of the settings."),
]
SinceOption = Annotated[
    str | None,
    typer.Option(metavar="WHEN", help="2026-11-21, 2026-11-21T14:30, or ago: 90m, 12h, 7d."),
]
UntilOption = Annotated[
    str | None, typer.Option(metavar="WHEN", help="Calls that began before it; as --since.")
]
CallerOption = Annotated[str, typer.Option(metavar="TEXT", help="Part of the caller's number.")]
ReasonOption = Annotated[str, typer.Option(metavar="TEXT", help="Part of the end reason.")]
TransportOption = Annotated[
    str,
    typer.Option(
        "--transport", "--door", metavar="NAME", help="twilio, webrtc, realtime ... (once: --door)"
    ),
]

_AGO = re.compile(r"(\d{1,6})\s*([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def moment(text: str, option: str) -> datetime:
    """A date, a time (where the reader is) or an age; raises VoicepipeError naming the option."""
    ago = _AGO.fullmatch(text.strip())
    try:
        if ago is not None:
            return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise VoicepipeError(
            f"{option} {text}: write a date (2026-11-21), a time (2026-11-21T14:30) or how long "
            "ago (90m, 12h, 7d)"
        ) from None


def call_filter(
    since: str | None, until: str | None, caller: str, reason: str, transport: str
) -> CallFilter:
    """From the options' texts. Raises VoicepipeError."""
    return CallFilter(
        since=None if since is None else moment(since, "--since"),
        until=None if until is None else moment(until, "--until"),
        caller=caller,
        reason=reason,
        transport=transport,
    )


@contextmanager
def opened(settings: CallSettings) -> Iterator[tuple[CallStore, Path]]:
    """The database, which must exist, and the recordings' folder. Raises CallStoreError."""
    store = CallStore(database_url(settings), create=False)
    try:
        yield store, recordings_dir(settings)
    finally:
        store.close()
