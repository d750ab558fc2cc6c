"""What `voicepipe serve` does at the first start of the profile `cpu`: it chooses models that this
machine answers with in time, before it fetches any, and keeps the choice beside them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import typer

from voicepipe.cli.first_start import hub_answers, missing_models
from voicepipe.config import Settings
from voicepipe.config.loading import DEFAULT_FILE, ENV_PREFIX
from voicepipe.fit.choose import Choice, best, choices
from voicepipe.fit.settings_file import as_toml
from voicepipe.fit.speeds import Speeds
from voicepipe.fit.table import from_table, probe
from voicepipe.models.registry import load_registry
from voicepipe.models.resolve import models_dir, place_of
from voicepipe.runtime.errors import EngineUnavailable

PROFILE = "cpu"
FITTED = "fitted-cpu.toml"


def fitted(settings: Settings, config: Path | None, mirror: str | None) -> Path | None:
    """The file that stands in for a voicepipe.toml that nobody has written: made at the first
    start, taken at the next ones. None: there is one, or nothing to choose from."""
    if settings.profile != PROFILE or _somebody_wrote(config):
        return None
    kept = models_dir(settings) / FITTED
    if kept.is_file():
        return kept
    if not missing_models(settings):
        return None  # somebody has pulled the profile's models: those are meant
    can_be_had = _can_be_had(mirror)
    if can_be_had is None:
        return None
    typer.echo("Measuring this machine, to choose models that answer in time ...", err=True)
    try:
        speeds = _of(from_table(probe()), can_be_had)
    except EngineUnavailable as error:
        typer.echo(f"{error}; the profile's own models are taken.", err=True)
        return None
    if not (speeds.llm and speeds.asr and can_be_had(speeds.tts.model)):
        return None
    choice = best(choices(speeds))
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(".part")
    part.write_text(as_toml(choice, speeds.tts.model, date.today()), "utf-8")
    part.replace(kept)  # half of it, on a full disk, would be read at each start from then on
    typer.echo(_told(choice, speeds, kept), err=True)
    return kept


def _somebody_wrote(config: Path | None) -> bool:
    named = config is not None or f"{ENV_PREFIX}CONFIG" in os.environ
    return named or Path(DEFAULT_FILE).is_file()


def _can_be_had(mirror: str | None) -> Callable[[str], bool] | None:
    """Which models there are where they will be fetched from; None: that cannot be known."""
    registry = load_registry()
    if mirror is None:
        return (lambda name: name in registry.models) if hub_answers() else None
    folder = Path(mirror)
    if not folder.is_dir():
        return None

    def there(name: str) -> bool:
        return name in registry.models and place_of(registry.get(name), folder).exists()

    return there


def _of(speeds: Speeds, can_be_had: Callable[[str], bool]) -> Speeds:
    return replace(
        speeds,
        asr=tuple(one for one in speeds.asr if can_be_had(one.model)),
        llm=tuple(one for one in speeds.llm if can_be_had(one.model)),
    )


def _told(choice: Choice, speeds: Speeds, kept: Path) -> str:
    setup, alone = choice.setup, choice.alone
    late = "" if choice.in_time else ", later than it should: this is the quickest set"
    return (
        f"{setup.llm.model} and {setup.asr.model}: on {speeds.cores} cores a caller would wait "
        f"{alone.p50_ms:.0f} ms in the median{late}.\nThe choice is kept in {kept}; "
        "`voicepipe fit` measures the models themselves, and a voicepipe.toml goes before it."
    )
