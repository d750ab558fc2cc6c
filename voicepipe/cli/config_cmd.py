"""`voicepipe config`: what is set, by whom, what it means, and a file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.config import shown
from voicepipe.config.explanations import values
from voicepipe.config.loading import parse_assignments, sources
from voicepipe.config.schema import nearest_key, rules
from voicepipe.runtime.errors import ConfigError

app = typer.Typer(add_completion=False)


@app.callback()
def config() -> None:
    """Show and explain settings, or make a file of them."""


@app.command()
def show(
    everything: Annotated[bool, typer.Option("--all", help="Also what nobody has set.")] = False,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """What is set, and by whom. Secrets are not shown."""
    settings = settings_from(profile, config, assignments)
    given = sources(profile, config, None, parse_assignments(assignments or []))
    print(shown.changed(values(settings), given, everything=everything))


@app.command()
def explain(
    key: Annotated[str, typer.Argument(help="A setting, e.g. server.port.")],
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """What a setting is for, what it may hold, what it is now and who set it."""
    path = tuple(key.strip().lower().split("."))
    if path not in rules():
        near = nearest_key(path)
        raise ConfigError(f"{key} is not a setting" + (f"; did you mean {near}?" if near else ""))
    settings = settings_from(profile, config, assignments)
    given = sources(profile, config, None, parse_assignments(assignments or []))
    print(shown.explained(path, values(settings)[path], given.get(path)))


@app.command()
def init(
    file: Annotated[Path, typer.Argument(help="Where to.")] = Path("voicepipe.toml"),
    profile: ProfileOption = None,
) -> None:
    """Write a settings file in which every setting stands as a comment."""
    settings_from(profile, None, None)  # a wrong profile is said now
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(shown.starting_file(profile or "builtin"))
    except FileExistsError:
        raise ConfigError(f"{file} is there already; name another file") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}") from None
    print(f"{file} is there; `voicepipe serve` reads it")
