"""`voicepipe whatif`: recorded turns under other settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from voicepipe.cli import results
from voicepipe.cli.results import JsonOption, SvgOption
from voicepipe.lab.cli.whatif_picture import distributions
from voicepipe.lab.cli.whatif_table import comparison
from voicepipe.lab.whatif.changes import Changes, parse_changes
from voicepipe.lab.whatif.figures import predicted_figures, recorded_figures, voice_to_voice_ms
from voicepipe.lab.whatif.recorded import Recording, read_recording
from voicepipe.lab.whatif.replay import predict
from voicepipe.lab.whatif.trust import interval_ms, trust
from voicepipe.runtime.errors import VoicepipeError

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
    changes = parse_changes(assignments or [])
    try:
        text = turns.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise VoicepipeError(f"{turns}: cannot be read as UTF-8 text: {error}") from None
    recording = read_recording(text, str(turns))
    found = compare(recording, changes, assignments or [])
    believed = found["trust"]["given"] or anyway
    Console().print(comparison(found, predicts=believed and bool(assignments)))
    results.write(found, (json_file, json.dumps), (svg_file, distributions))
    if not believed:
        raise typer.Exit(1)


def compare(recording: Recording, changes: Changes, assignments: list[str]) -> dict[str, Any]:
    """Everything that is shown, as JSON. `replayed`: the replay without any change, which says
    how far the prediction can be trusted."""
    predicted, replayed = predict(recording, changes), predict(recording, Changes())
    before, again = recorded_figures(recording), predicted_figures(replayed)
    replayed_ms, predicted_ms = (
        voice_to_voice_ms(replayed.turns),
        voice_to_voice_ms(predicted.turns),
    )
    return {
        "changes": assignments,
        "left_out": dict(recording.left_out),
        "trust": trust(before, again).as_dict(),
        "recorded": before,
        "replayed": again,
        "predicted": predicted_figures(predicted),
        "recorded_v2v_ms": voice_to_voice_ms(recording.turns),
        "replayed_v2v_ms": replayed_ms,
        "predicted_v2v_ms": predicted_ms,
        "p50_change_ms": interval_ms(replayed_ms, predicted_ms),
    }
