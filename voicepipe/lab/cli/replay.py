"""`voicepipe replay`: tells a recorded dialog again, or replays turns that the page saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from voicepipe.dialog.tape import Step, replay
from voicepipe.lab.cli.whatif import whatif
from voicepipe.runtime.errors import VoicepipeError

app = typer.Typer(add_completion=False)


@app.command()
def main(
    file: Annotated[
        Path,
        typer.Argument(
            help="A tape (the setting dialog.record_dir), or turns that the page has saved."
        ),
    ],
    everything: Annotated[
        bool, typer.Option("--all", help="Show inputs that changed nothing, too.")
    ] = False,
) -> None:
    """Tell the story of a recorded dialog: what came in, what was decided, and why.

    The inputs go through the real dialog again. A decision that is not the recorded one is marked:
    the tape was made by another version, or a fault was found. Of turns: their figures as recorded
    and as replayed, as `voicepipe whatif` without --set gives them. Example: voicepipe replay
    tapes/sess_abc.dialog.jsonl
    """
    console, changed = Console(highlight=False), 0
    try:
        if _holds_turns(file):
            whatif(file)
            return
        with file.open(encoding="utf-8") as lines:
            for step in replay(lines):
                changed += not step.as_recorded
                if everything or step.effects or not step.as_recorded:
                    console.print(_line(step), soft_wrap=True)
    except OSError as error:
        raise VoicepipeError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise VoicepipeError(f"{file}: cannot be read as UTF-8 text: {error}") from None
    console.print(
        f"{changed} steps differ from the recording"
        if changed
        else "the same as recorded, to the bit"
    )
    raise typer.Exit(1 if changed else 0)


def _holds_turns(file: Path) -> bool:
    """What `/v1/turns` gives, or a call with its turns; not a tape."""
    with file.open(encoding="utf-8") as lines:
        try:
            first = json.loads(lines.readline())
        except json.JSONDecodeError:
            return False
    return isinstance(first, dict) and not {"turn_id", "turns"}.isdisjoint(first)


def _line(step: Step) -> str:
    user, agent = step.state
    mark = "" if step.as_recorded else "[bold red]differs[/] "
    head = f"{step.now_ms / 1000:9.2f} s  {mark}{escape(step.told)}"
    state = f"            user {user.value}, agent {agent.value}: {escape(step.why)}"
    effects = [f"            -> {escape(effect)}" for effect in step.effects]
    return "\n".join([head, state, *effects])
