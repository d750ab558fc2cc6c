"""What the commands that measure have in common: what they speak, where their figures are written,
and the bounds that decide their exit status."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from voicepipe.lab.bench.bounds import Bound, broken

QuestionsOption = Annotated[
    Path | None,
    typer.Option(
        "--questions", metavar="DIR", help="Recordings to speak; default: those of the checkout."
    ),
]
JsonOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write all figures here.")
]
SvgOption = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="Write the picture here.")
]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write a page with pictures here.")
]
AssertOption = Annotated[
    list[str] | None,
    typer.Option("--assert", metavar="BOUND", help="Such as 'p99_overhead_ms<=10'; repeatable."),
]


def write(found: Any, *outputs: tuple[Path | None, Callable[[Any], str]]) -> None:
    """Each file that was asked for, by its renderer, and say so."""
    for path, render in outputs:
        if path is not None:
            path.write_text(render(found), encoding="utf-8")
            typer.echo(f"written: {path}")


def hold(bounds: Sequence[Bound], figures: Mapping[str, float]) -> None:
    """Say which bounds are broken; exit status 1 if any is."""
    failures = broken(bounds, figures)
    for failure in failures:
        typer.echo(f"broken: {failure}", err=True)
    if failures:
        raise typer.Exit(1)
    if bounds:
        typer.echo(f"{len(bounds)} bound{'s' if len(bounds) > 1 else ''} kept")


def serve_arguments(
    profile: str | None, config: Path | None, assignments: Sequence[str] | None
) -> list[str]:
    """The same settings for a server in a process of its own."""
    arguments = ["--profile", profile] if profile else []
    arguments += ["--config", str(config)] if config else []
    for assignment in assignments or ():
        arguments += ["--set", assignment]
    return arguments
