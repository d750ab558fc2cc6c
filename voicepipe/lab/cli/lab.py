"""`voicepipe lab`: what is tried and planned away from callers."""

from __future__ import annotations

import typer

from voicepipe.lab.cli.capacity import capacity

app = typer.Typer(add_completion=False)
app.command("capacity")(capacity)


@app.callback()
def lab() -> None:
    """Try and plan, away from callers."""
