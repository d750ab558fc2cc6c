"""`voicepipe whatif`: recorded turns under other settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from voicepipe.cli import results
from voicepipe.cli.results import JsonOption, SvgOption
from voicepipe.lab.cli.whatif_picture import distributions
from voicepipe.lab.cli.whatif_table import comparison
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.whatif.changes import parse_changes
from voicepipe.whatif.comparison import compare, without_prediction
from voicepipe.whatif.recorded import read_recording

app = typer.Typer(add_completion=False)


@app.command()
def whatif(
    turns: Annotated[
        Path,
        typer.Argument(
            metavar="TURNS.jsonl", help="What /v1/turns gives, or bench turns --json writes."
        ),
    ],
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="turns.* or an engine's time: asr.work_ms, llm.first_token_ms, llm.clause_ms, "
            "tts.first_audio_ms, output_ms; as 120, +40, -20 or *1.5. Repeatable.",
        ),
    ] = None,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway",
            help="Show the prediction even where the unchanged replay misses the record.",
        ),
    ] = False,
    json_file: JsonOption = None,
    svg_file: SvgOption = None,
) -> None:
    """Replay recorded turns under other settings and predict what callers would have waited.

    The user's side goes through the real dialog, the engines' recorded times are laid behind its
    decisions. Without --set: the check that the replay reproduces the record. Where it does not to
    2 %, no prediction is made, and the status is 1.
    """
    parse_changes(assignments or [])  # before a file is read that may be long
    try:
        text = turns.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise VoicepipeError(f"{turns}: cannot be read as UTF-8 text: {error}") from None
    recording = read_recording(text, str(turns))
    found = compare(recording, assignments or [])
    believed = found["trust"]["given"] or anyway
    Console().print(comparison(found, predicts=believed and bool(assignments)))
    told = found if believed else without_prediction(found)
    results.write(told, (json_file, json.dumps), (svg_file, distributions))
    if not believed:
        raise typer.Exit(1)
