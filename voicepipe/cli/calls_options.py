"""Options of `voicepipe calls`: which database, which calls, which moments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from voicepipe.call_log.moments import moment
from voicepipe.call_log.places import database_url, recordings_dir, seal
from voicepipe.call_log.query import CallFilter
from voicepipe.call_log.store import CallStore
from voicepipe.config import CallSettings

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
AgentOption = Annotated[str, typer.Option(metavar="NAME", help="Who picked up.")]
TransportOption = Annotated[
    str,
    typer.Option(
        "--transport", "--door", metavar="NAME", help="twilio, webrtc, realtime ... (once: --door)"
    ),
]


def call_filter(
    since: str | None, until: str | None, caller: str, reason: str, transport: str, agent: str
) -> CallFilter:
    """From the options' texts. Raises VoicepipeError."""
    return CallFilter(
        since=None if since is None else moment(since, "--since"),
        until=None if until is None else moment(until, "--until"),
        caller=caller,
        reason=reason,
        transport=transport,
        agent=agent,
    )


@contextmanager
def opened(settings: CallSettings) -> Iterator[tuple[CallStore, Path]]:
    """The database, which must exist, and the recordings' folder. Raises CallStoreError."""
    store = CallStore(database_url(settings), create=False, seal=seal(settings))
    try:
        yield store, recordings_dir(settings)
    finally:
        store.close()
