"""`voicepipe talk`: one conversation from a sound file, and the picture of its turns."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from voicepipe.audio import files
from voicepipe.audio.pcm import Int16
from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.cli.progress import engine_progress
from voicepipe.cli.waterfall import waterfall
from voicepipe.config import Settings
from voicepipe.lab.bench.local import OUT_RATE, Heard, hold_conversation
from voicepipe.runtime import event_loop
from voicepipe.server.service import Service

app = typer.Typer(add_completion=False)


@app.command()
def talk(
    recording: Annotated[Path, typer.Argument(metavar="IN.wav", help="What the user says.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="OUT.wav", help="Write the answer here.")
    ] = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
    realtime: Annotated[
        bool,
        typer.Option("--realtime/--fast", help="Speak at the recording's pace, or at once."),
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Also write the picture here.")
    ] = None,
) -> None:
    """Hold one conversation from a sound file, in process, and show where the time went."""
    samples = files.read(recording)
    settings = settings_from(profile, config, assignments)
    heard = event_loop.run(_talk(settings, samples, realtime=realtime))
    if out is not None:
        files.write_wav(out, heard.audio, OUT_RATE)
    if as_json:
        typer.echo(json.dumps(_as_dict(heard, out), indent=2))
    if svg is not None or not as_json:
        _show(heard, out, svg, realtime=realtime, seen=not as_json)
    if not heard.answers or heard.failures:
        raise typer.Exit(1)


async def _talk(settings: Settings, samples: Int16, *, realtime: bool) -> Heard:
    service = Service(settings)
    try:
        with engine_progress() as progress:
            await service.start(progress)
        return await hold_conversation(service, samples, realtime=realtime)
    finally:
        await service.aclose()


def _as_dict(heard: Heard, out: Path | None) -> dict[str, object]:
    return {
        "questions": heard.questions,
        "answers": heard.answers,
        "answer_audio_s": round(heard.audio.size / OUT_RATE, 3),
        "out": str(out) if out else None,
        "failures": heard.failures,
        "turns": [record.as_dict() for record in heard.records],
    }


def _show(heard: Heard, out: Path | None, svg: Path | None, *, realtime: bool, seen: bool) -> None:
    screen = None if seen else io.StringIO()
    console = Console(file=screen, record=svg is not None, width=92 if svg else None)
    for question in heard.questions:
        console.print(Text("you    ", "bold cyan") + Text(question or "(nothing intelligible)"))
    for answer in heard.answers:
        console.print(Text("agent  ", "bold green") + Text(answer))
    for failure in heard.failures:
        console.print(Text("failed ", "bold red") + Text(failure))
    if not heard.questions:
        console.print("No speech was heard in the recording.")
    in_step = len(heard.questions) == len(heard.records)
    words = heard.questions if in_step else [""] * len(heard.records)
    for record, said in zip(heard.records, words, strict=True):
        console.print(waterfall(record.as_dict(), said))
    if not realtime:
        console.print("--fast: the audio came faster than speech; no caller waits these times.")
    if out is not None:
        console.print(f"answer written to {escape(str(out))} ({heard.audio.size / OUT_RATE:.1f} s)")
    if svg is not None:
        svg.write_text(_without_web_fonts(console.export_svg(title="voicepipe talk")))


def _without_web_fonts(svg: str) -> str:
    """Rich's pictures fetch a font from a public host; the reader's own will do."""
    return re.sub(r"@font-face\s*{[^}]*}\s*", "", svg)
