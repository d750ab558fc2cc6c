"""Options that several commands share, and how they become settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from voicepipe.config import Settings
from voicepipe.config.loading import load_settings, parse_assignments

ProfileOption = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME", help="builtin (default), cpu, gpu or simulated."),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings file; default ./voicepipe.toml."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting, e.g. asr.threads=2; repeatable."),
]


def settings_from(
    profile: str | None, config: Path | None, assignments: list[str] | None, **flags: Any
) -> Settings:
    """Load the settings of a command.

    `flags`: values of a command's own options by setting, dots as double underscores
    (`server__port=9000`); None means that the option was not given. They win over `--set`.
    Raises ConfigError.
    """
    overrides: dict[str, Any] = dict(parse_assignments(assignments or []))
    for name, value in flags.items():
        if value is not None:
            overrides[name.replace("__", ".")] = value
    return load_settings(profile, config, None, overrides)
