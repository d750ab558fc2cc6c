"""`voicepipe webhooks`: what has not been delivered, and sending dead letters again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from voicepipe.call_log.event_outbox import retry_events, waiting_events
from voicepipe.call_log.query import Known
from voicepipe.call_log.store import explained
from voicepipe.cli.calls_options import DatabaseOption, opened
from voicepipe.cli.calls_table import recently
from voicepipe.cli.options import ConfigOption, SetOption, settings_from
from voicepipe.runtime.errors import VoicepipeError

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Events that wait for your programs."
)


@app.command("list")
def list_events(
    dead: Annotated[bool, typer.Option("--dead", help="Only those that were given up.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The oldest so many.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per event.")] = False,
    database: DatabaseOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Show what has not been delivered: to which webhook, of which call, and why not."""
    settings = settings_from(None, config, assignments, calls__database=database).calls
    with opened(settings) as (store, _):
        found = waiting_events(store, dead=dead, limit=limit)
    if as_json:
        for event in found:
            typer.echo(json.dumps(event, default=datetime.isoformat))
    elif found:
        Console().print(_table(found))
    else:
        typer.echo("no dead letters" if dead else "nothing waits")


@app.command()
def retry(
    events: Annotated[
        list[str] | None, typer.Argument(metavar="EVENT", help="Their ids; none: all dead letters.")
    ] = None,
    database: DatabaseOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Have dead letters sent again, by the server that runs or by the next that starts."""
    settings = settings_from(None, config, assignments, calls__database=database).calls
    with opened(settings) as (store, _):
        try:
            count = retry_events(store, events or (), datetime.now(UTC))
        except SQLAlchemyError as error:
            raise VoicepipeError(explained(error, store.place)) from None
    if events and count < len(events):
        raise VoicepipeError(
            f"{count} of {len(events)} are sent again; the others are no dead letters: "
            "voicepipe webhooks list --dead shows those"
        )
    typer.echo(f"{count} events are sent again")


def _table(events: Sequence[Known]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    for name in ("event", "webhook", "type", "since", "tries", "problem"):
        table.add_column(name, overflow="fold")
    for event in events:
        table.add_row(
            event["id"],
            escape(event["webhook"]),
            event["type"],
            recently(event["created_at"]),
            str(event["attempts"]),
            ("given up: " if event["dead"] else "") + escape(event["problem"]),
        )
    return table
