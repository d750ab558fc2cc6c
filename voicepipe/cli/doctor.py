"""`voicepipe doctor`: what is installed, which profiles can run, what is missing, how to get it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from

if TYPE_CHECKING:
    from voicepipe.cli.diagnosis import Facts, ProfileReport
    from voicepipe.cli.languages import LanguageReport
    from voicepipe.config import Settings

app = typer.Typer(add_completion=False)


@app.command()
def doctor(
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Say what is installed, which profiles can run, what is missing and how to get it.

    Status 0 if the chosen profile can run, 1 if not.
    """
    from voicepipe.cli.diagnosis import examine, gather
    from voicepipe.cli.languages import examine_languages
    from voicepipe.config.loading import profile_names
    from voicepipe.models.at_work import models_at_work

    chosen = settings_from(profile, config, assignments)
    facts = gather(chosen)
    languages = examine_languages(chosen, facts.packages)
    reports = {chosen.profile: examine(chosen, facts)}
    for name in profile_names():
        if name not in reports:
            reports[name] = examine(settings_from(name, config, assignments), facts)
    if as_json:
        told = _as_json(chosen.profile, facts, reports)
        told["languages"] = {one.code: asdict(one) for one in languages}
        told["models"] = [asdict(one) for one in models_at_work(chosen)]
        typer.echo(json.dumps(told, indent=2))
    else:
        _print(chosen.profile, facts, reports)
        _print_languages(languages)
        _print_models(chosen)
    if not reports[chosen.profile].can_run:
        raise typer.Exit(1)


def _as_json(chosen: str, facts: Facts, reports: dict[str, ProfileReport]) -> dict[str, object]:
    return {
        "python": facts.python,
        "packages": facts.packages,
        "gpus": facts.gpus,
        "free_mb": facts.free_mb,
        "profile": chosen,
        "profiles": {
            name: {
                "can_run": report.can_run,
                "engines": report.engines,
                "missing": [{"what": m.what, "get": m.get} for m in report.missing],
                "absent_tools": list(report.absent_tools),
            }
            for name, report in reports.items()
        },
    }


def _print(chosen: str, facts: Facts, reports: dict[str, ProfileReport]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from voicepipe.cli.diagnosis import PACKAGES

    console = Console(highlight=False)
    installed = Table(title="Installed", title_justify="left", box=None, padding=(0, 2))
    for title in ("", "version", "for"):
        installed.add_column(title)
    installed.add_row("Python", facts.python, "")
    for name, use in PACKAGES.items():
        installed.add_row(name, facts.packages.get(name, "[dim]not installed[/]"), use)
    driver = "driver found" if facts.gpu_driver else "no driver"
    installed.add_row("CUDA GPUs", str(facts.gpus), driver)
    installed.add_row("free disk", f"{facts.free_mb:,} MB", "for models")
    console.print(installed)
    console.print()
    for name, report in reports.items():
        state = "[green]can run[/]" if report.can_run else "[yellow]cannot run yet[/]"
        mark = " (chosen)" if name == chosen else ""
        engines = ", ".join(f"{stage} {engine}" for stage, engine in report.engines.items())
        console.print(f"[bold]{name}[/]{mark}: {state}  [dim]{engines}[/]")
        for missing in report.missing:
            console.print(f"  missing: {escape(missing.what)}", soft_wrap=True)
            console.print(f"      get: {escape(missing.get)}", soft_wrap=True)
        for absent in report.absent_tools if name == chosen else ():  # they are no profile's own
            console.print(f"  absent:  {escape(absent)}", soft_wrap=True)


def _print_languages(languages: Sequence[LanguageReport]) -> None:
    """Those that lack the same stand together."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    whole = [one.name for one in languages if not one.lacks]
    console.print()
    console.print(
        f"[bold]languages[/]: {len(whole)} of {len(languages)} are heard and spoken by the chosen "
        f"profile: {', '.join(whole)}"
    )
    for lack in dict.fromkeys(lack for one in languages for lack in one.lacks):
        names = ", ".join(one.name for one in languages if lack in one.lacks)
        console.print(f"  lack {escape(lack)}: {names}", soft_wrap=True)


def _print_models(chosen: Settings) -> None:
    """Which models the chosen profile has at work, and what they cannot do."""
    from voicepipe.models.at_work import better_models, models_at_work

    typer.echo(f"\nModels of {chosen.profile}:")
    for one in models_at_work(chosen):
        name = f"{one.model}: " if one.model else ""
        typer.echo(f"  {one.stage}  {name}{one.about}")
        if one.limits:
            typer.echo(f"       {one.limits}")
    if command := better_models(chosen):
        typer.echo(f"  better ones: {command}")
