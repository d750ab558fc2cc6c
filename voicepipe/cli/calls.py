"""`voicepipe calls`: list, show, export, purge."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TextIO, TypeVar

import typer
from rich.console import Console
from rich.progress import Progress
from rich.text import Text
from sqlalchemy import ColumnElement, Connection
from sqlalchemy.exc import SQLAlchemyError

from voicepipe.call_log.moments import moment
from voicepipe.call_log.places import recording_file
from voicepipe.call_log.query import (
    CallFilter,
    CallWithTurns,
    count_calls,
    every_call,
    find_call,
    newest_calls,
)
from voicepipe.call_log.retention import call_ids, delete_calls, of_caller, older_than
from voicepipe.call_log.sound_file import open_file
from voicepipe.call_log.store import explained
from voicepipe.cli.calls_options import (
    AgentOption,
    CallerOption,
    DatabaseOption,
    ReasonOption,
    SinceOption,
    TransportOption,
    UntilOption,
    call_filter,
    opened,
)
from voicepipe.cli.calls_table import call_details, calls_table
from voicepipe.cli.options import ConfigOption, SetOption, settings_from
from voicepipe.privacy.seal import Seal
from voicepipe.runtime.errors import VoicepipeError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="The record of calls.")

T = TypeVar("T")

PIECE = 1024 * 1024
"""Of a recording that is copied."""


@app.command("list")
def list_calls(
    since: SinceOption = None,
    until: UntilOption = None,
    caller: CallerOption = "",
    reason: ReasonOption = "",
    transport: TransportOption = "",
    agent: AgentOption = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The newest so many.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per call.")] = False,
    database: DatabaseOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Show the newest calls: who, when, how long, how fast, how they ended."""
    wanted = call_filter(since, until, caller, reason, transport, agent)
    settings = settings_from(None, config, assignments, calls__database=database).calls
    with opened(settings) as (store, _), store.reading() as connection:
        total = count_calls(connection, wanted.condition(connection))
        found = newest_calls(connection, wanted, limit)
    if as_json:
        for one in found:
            typer.echo(json.dumps(one.as_dict()["call"] | {"turns": len(one.turns)}))
        return
    console = Console()
    console.print(calls_table(found, total, console.width))


@app.command()
def show(
    call: Annotated[str, typer.Argument(metavar="CALL", help="Its id, or how that begins.")],
    database: DatabaseOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Show one call: its facts, and each turn with its waterfall."""
    settings = settings_from(None, config, assignments, calls__database=database).calls
    with opened(settings) as (store, folder), store.reading() as connection:
        found = find_call(connection, call)
    console = Console()
    for part in call_details(found, folder):
        console.print(part, soft_wrap=isinstance(part, Text))  # paths stay whole


@app.command()
def export(
    calls: Annotated[
        list[str] | None,
        typer.Argument(metavar="CALL", help="Only these; else all that the options leave."),
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    caller: CallerOption = "",
    reason: ReasonOption = "",
    transport: TransportOption = "",
    agent: AgentOption = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Instead of stdout.")
    ] = None,
    recordings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Copy the recordings there, as CALL.wav.")
    ] = None,
    database: DatabaseOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Write calls as JSON lines, one call with its turns on each: `voicepipe whatif` reads them."""
    wanted = call_filter(since, until, caller, reason, transport, agent)
    settings = settings_from(None, config, assignments, calls__database=database).calls
    with opened(settings) as (store, folder), store.reading() as connection:
        total = len(calls) if calls else count_calls(connection, wanted.condition(connection))
        chosen = _chosen(connection, calls, wanted)  # an id that is none costs no older export
        try:
            with _output(output) as out:
                for one in _progress(chosen, total, "exporting"):
                    out.write(json.dumps(one.as_dict()) + "\n")
                    if recordings is not None and one.call["recording"]:
                        sound = recording_file(folder, one.call["recording"])
                        _copy(sound, recordings / f"{one.call['id']}.wav", store.seal)
        except BrokenPipeError:
            raise  # who reads has had enough
        except OSError as error:
            where = error.filename or output or "stdout"
            raise VoicepipeError(f"{where}: {error.strerror}") from None
    typer.echo(f"{total} calls written" + (f" to {output}" if output else ""), err=True)


@app.command()
def purge(
    calls: Annotated[
        list[str] | None,
        typer.Argument(metavar="CALL", help="These calls; else those that the options name."),
    ] = None,
    age: Annotated[
        str | None,
        typer.Option("--older-than", metavar="AGE", help="Calls that ended so long ago: 30d, 12h."),
    ] = None,
    caller: Annotated[
        str, typer.Option(metavar="NUMBER", help="All calls of this caller, written exactly so.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    database: DatabaseOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Delete calls, their turns and recordings for good.

    Without CALL or options: those that are older than calls.retention_days. A call that still runs
    is not deleted.
    """
    settings = settings_from(None, config, assignments, calls__database=database).calls
    with opened(settings) as (store, folder):
        with store.reading() as connection:
            if calls:
                which = _ended_calls(connection, calls)
            else:
                which = _ended_before(age, caller, settings.retention_days, store.seal)
            total = count_calls(connection, which)
        if not total:
            typer.echo("no such calls; nothing was deleted")
            return
        if not yes:
            typer.confirm(f"Delete {total} calls with their turns and recordings?", abort=True)
        try:
            deleted = sum(_progress(delete_calls(store, folder, which), total, "deleting"))
        except SQLAlchemyError as error:
            raise VoicepipeError(f"{explained(error, store.place)}; run it again") from None
    typer.echo(f"{deleted} calls deleted")


def _ended_calls(connection: Connection, ids: list[str]) -> ColumnElement[bool]:
    found = [find_call(connection, one).call for one in ids]
    for call in found:
        if call["ended_at"] is None:
            raise VoicepipeError(f"{call['id']} still runs; delete it when it has ended")
    return call_ids([call["id"] for call in found])


def _ended_before(
    age: str | None, caller: str, retention_days: int, seal: Seal | None
) -> ColumnElement[bool]:
    """By age and caller; without both by the age that the settings name."""
    if age is None and not caller:
        if not retention_days:
            raise VoicepipeError(
                "calls.retention_days is 0, so no call is too old; say which calls are meant: "
                "CALL, --older-than or --caller"
            )
        age = f"{retention_days}d"
    which = older_than(datetime.now(UTC) if age is None else moment(age, "--older-than"))
    return which & of_caller(caller, seal) if caller else which


def _chosen(
    connection: Connection, ids: list[str] | None, wanted: CallFilter
) -> Iterator[CallWithTurns]:
    if not ids:
        return every_call(connection, wanted)
    return iter([find_call(connection, one) for one in ids])


@contextmanager
def _output(path: Path | None) -> Iterator[TextIO]:
    """What people said is for the owner only."""
    if path is None:
        yield sys.stdout
        sys.stdout.flush()  # else what fails is known when nobody looks any more
        return
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(file, "w", encoding="utf-8") as out:
        if stat.S_ISREG(os.fstat(file).st_mode):  # /dev/null and pipes stay as they are
            os.fchmod(file, 0o600)  # one that was there keeps its mode otherwise
        yield out


def _copy(source: Path, target: Path, seal: Seal | None) -> None:
    """Plain, whether it was sealed or not."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        sound = open_file(source, seal)
    except FileNotFoundError:
        typer.echo(f"{source}: the recording is not there", err=True)
        return
    except OSError as error:
        raise VoicepipeError(f"{source}: {error.strerror}") from None
    with closing(sound), target.open("wb") as out:
        target.chmod(0o600)
        for place in range(0, sound.size, PIECE):
            out.write(sound.read(PIECE, place))


def _progress(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """A bar on stderr; a number counts as so many."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        for item in items:
            yield item
            bar.advance(task, item if isinstance(item, int) else 1)
