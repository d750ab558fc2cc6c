"""`voicepipe models`: list, pull, verify, path."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voicepipe.cli.options import ConfigOption, SetOption, settings_from

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from voicepipe.models.fetch import Progress
    from voicepipe.models.registry import Model

app = typer.Typer(add_completion=False, no_args_is_help=True, help="List, pull and verify models.")

DirOption = Annotated[
    Path | None,
    typer.Option("--models-dir", metavar="DIR", help="Where models live; default: user data."),
]


def _folder(directory: Path | None, config: Path | None, assignments: list[str] | None) -> Path:
    from voicepipe.models.resolve import models_dir

    chosen = str(directory) if directory else None
    return models_dir(settings_from(None, config, assignments, models_dir=chosen))


@app.command("list")
def list_models(
    directory: DirOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Show all models: what they are for, size, licence, checksum, whether they are here."""
    from voicepipe.models.registry import load_registry
    from voicepipe.models.resolve import is_present

    folder = _folder(directory, config, assignments)
    models = load_registry().models.values()
    present = {model.name: is_present(model, folder) for model in models}
    if as_json:
        rows = [_as_row(model, present[model.name]) for model in models]
        typer.echo(json.dumps(rows, indent=2))
        return
    for model in models:
        mark = "here" if present[model.name] else ("missing" if model.packaged else "not pulled")
        size = f"about {model.about_mb:,} MB" if model.about_mb else "small"
        profiles = ", ".join(model.profiles) or "none"
        typer.echo(f"{model.name}  [{mark}]")
        typer.echo(f"    {model.kind}: {model.about}; {size}")
        typer.echo(f"    licence: {model.licence}")
        typer.echo(f"    checksum: {model.checksum}; pulled with profile: {profiles}")
    typer.echo(f"\nModels folder: {folder}")
    typer.echo("Get one with: voicepipe models pull NAME (or a profile: cpu, gpu)")


def _as_row(model: Model, here: bool) -> dict[str, object]:
    return {
        "name": model.name,
        "kind": model.kind,
        "profiles": list(model.profiles),
        "about": model.about,
        "about_mb": model.about_mb,
        "licence": model.licence,
        "checksum": model.checksum,
        "present": here,
    }


@app.command("pull")
def pull_models(
    names: Annotated[list[str], typer.Argument(help="Models, or profiles (cpu, gpu).")],
    mirror: Annotated[
        str | None,
        typer.Option(metavar="DIR|URL", help="Take them from a copied models folder instead."),
    ] = None,
    directory: DirOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Fetch models, several files at a time; goes on where an earlier pull broke off.

    From the model hub: HF_ENDPOINT, HF_TOKEN, HF_HOME and HF_HUB_OFFLINE mean what they mean to the
    hub's own tools. What lies in HF_HOME's cache is taken from there.
    """
    from voicepipe.models.choose import choose_source
    from voicepipe.models.pull import Puller
    from voicepipe.models.registry import load_registry

    folder = _folder(directory, config, assignments)
    registry = load_registry()
    wanted = {model.name: model for name in names for model in registry.select(name)}
    pulled = [model for model in wanted.values() if not model.packaged]
    for model in wanted.values():
        if model.packaged:
            typer.echo(f"{model.name}: ships with voicepipe, nothing to pull")
        else:
            typer.echo(f"{model.name}: {model.about}; licence: {model.licence}")
    with download_progress() as progress:
        places = Puller(choose_source(mirror), folder, progress).pull_all(pulled)
    for model, place in zip(pulled, places, strict=True):
        typer.echo(f"{model.name}: ready in {place}")


@app.command("verify")
def verify_models(
    names: Annotated[list[str] | None, typer.Argument(help="Models; default: all pulled.")] = None,
    directory: DirOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Read every pulled file and compare its checksum; status 1 if anything is wrong."""
    from voicepipe.models.lock import Lock
    from voicepipe.models.registry import load_registry
    from voicepipe.models.verify import verify
    from voicepipe.runtime.errors import ConfigError

    folder = _folder(directory, config, assignments)
    registry, pulled = load_registry(), Lock.read(folder).models
    wanted = frozenset(model.name for name in names or () for model in registry.select(name))
    unpulled = sorted(n for n in wanted - pulled.keys() if not registry.models[n].packaged)
    if unpulled:
        raise ConfigError(f"not pulled to {folder}: {', '.join(unpulled)}")
    wrong = 0
    for finding in verify(folder, wanted):
        wrong += finding.state != "ok"
        place = f"{finding.model}/{finding.file}" if finding.file else finding.model
        typer.echo(f"{finding.state:10} {place}  {finding.detail}".rstrip())
    if not pulled:
        typer.echo(f"Nothing was pulled to {folder} yet.")
    if wrong:
        typer.echo(f"{wrong} problem(s); get a good copy: delete the file, then models pull NAME")
        raise typer.Exit(1)


@app.command("path")
def model_place(
    name: Annotated[str, typer.Argument(help="A model's name.")],
    directory: DirOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Print where a model's file or folder is, for other programs to open."""
    from voicepipe.models.resolve import model_path

    chosen = str(directory) if directory else None
    typer.echo(model_path(name, settings_from(None, config, assignments, models_dir=chosen)))


@contextmanager
def download_progress() -> Iterator[Progress]:
    """A bar at a terminal, a line per file elsewhere."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        yield _Bar(bars)


class _Bar:
    """A rich bar per file."""

    def __init__(self, bars: Bars) -> None:
        self.bars = bars
        self.tasks: dict[str, TaskID] = {}

    def file(self, name: str, size: int | None, done: int) -> None:
        if name not in self.tasks:
            self.tasks[name] = self.bars.add_task(name)
        self.bars.update(self.tasks[name], total=size, completed=done)

    def advance(self, name: str, count: int) -> None:
        self.bars.advance(self.tasks[name], count)

    def note(self, text: str) -> None:
        self.bars.console.print(text, markup=False, highlight=False)


class _Lines:
    """Plain lines on stderr."""

    def file(self, name: str, size: int | None, done: int) -> None:
        total = f" of {size / 1e6:.1f} MB" if size is not None else ""
        print(f"{name}: from {done / 1e6:.1f}{total or ' MB'}", file=sys.stderr)

    def advance(self, name: str, count: int) -> None:
        """Lines tell of files, not of bytes."""

    def note(self, text: str) -> None:
        print(text, file=sys.stderr)
