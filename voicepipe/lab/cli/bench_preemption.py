"""`voicepipe bench preemption`: what preparing replies early gains, and what it throws away."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from voicepipe.cli import results
from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.cli.progress import step_progress
from voicepipe.cli.results import JsonOption, SvgOption
from voicepipe.config import Settings
from voicepipe.dialog.options import PreemptiveGeneration
from voicepipe.lab.bench.endpoint import marked
from voicepipe.lab.bench.endpoint.replay import Session, hear
from voicepipe.lab.bench.preemption.figures import REASONS, ModeFigures, figures, report
from voicepipe.lab.bench.preemption.picture import picture
from voicepipe.lab.bench.preemption.run import Answered, Course, hold
from voicepipe.languages.known import language_of
from voicepipe.vad.engines import create_detector


def bench_preemption(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Recordings with a manifest.")],
    svg_file: SvgOption = None,
    json_file: JsonOption = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Count what replies prepared early gain and waste, on recordings with marked pauses.

    Speaks them to real sessions in virtual time, once for each of turns.preemptive_generation =
    off, eager_end and stable_text. The words come from the manifest when they are spoken; the
    engines are simulated and take what the section simulated of the settings says.
    """
    settings = settings_from(profile, config, assignments)
    if (policy := settings.turns.endpointing) in ("fused", "smart_turn"):
        typer.echo(f"turns.endpointing = text: {policy}'s model knows no virtual time.", err=True)
        waits_by_text = replace(settings.turns, endpointing="text")
        settings = settings.model_copy(update={"turns": waits_by_text})
    turns = marked.load(folder)
    with step_progress("hearing", len(turns)) as step:
        speakers = hear(turns, lambda: create_detector(settings.vad), step)
    found = _measure(speakers, settings)
    Console().print(_table(found))
    if found["languages"]:
        Console().print(_by_language(found["languages"]))
    results.write(found, (svg_file, picture), (json_file, json.dumps))


def _measure(speakers: Sequence[Session], settings: Settings) -> dict[str, Any]:
    modes: tuple[PreemptiveGeneration, ...] = get_args(PreemptiveGeneration)
    turns = sum(len(speaker) for speaker in speakers)
    measured: dict[str, ModeFigures] = {}
    by_language: dict[str, dict[str, ModeFigures]] = {}
    with step_progress("speaking", turns * len(modes)) as step:
        for mode in modes:
            options = replace(settings.turns, preemptive_generation=mode)
            set_to = settings.model_copy(update={"turns": options})
            courses = [hold(speaker, set_to, step) for speaker in speakers]
            measured[mode] = figures(courses)
            for code, spoken in _each_language(speakers, courses).items():
                by_language.setdefault(code, {})[mode] = figures(spoken)
    setup = {
        "turns": turns,
        "speakers": len(speakers),
        "pauses": sum(len(heard.turn.pauses) for speaker in speakers for heard in speaker),
        "endpointing": settings.turns.endpointing,
        "eager_end_ms": settings.turns.eager_end_ms,
        "partial_ms": settings.asr.partial_ms,
        "vad": settings.vad.engine,
        "simulated": settings.simulated.model_dump(mode="json"),
    }
    languages = {code: report(modes, {})["modes"] for code, modes in by_language.items()}
    return report(measured, setup) | {"languages": languages}


def _each_language(
    speakers: Sequence[Session], courses: Sequence[Course]
) -> dict[str, list[Course]]:
    """By the language that the recordings name, if they name several."""
    found: dict[str, list[Course]] = {}
    for speaker, course in zip(speakers, courses, strict=True):
        apart: dict[str, list[Answered]] = {}
        for heard, answered in zip(speaker, course.turns, strict=True):
            apart.setdefault(heard.turn.language or "", []).append(answered)
        for code, turns in apart.items():
            found.setdefault(code, []).append(Course(turns, course.made))
    return found if len(found) > 1 else {}


def _by_language(languages: Mapping[str, Mapping[str, Any]]) -> Table:
    """Voice to voice for each mode; the share of prepared replies that were spoken."""
    table = Table(box=box.SIMPLE_HEAD, title="by language: voice to voice p50 / p95 ms; hits")
    table.add_column("language")
    modes = list(next(iter(languages.values())))
    for name in modes:
        table.add_column(name, justify="right")
    for code, each in sorted(languages.items()):
        cells = [
            f"{_pair(each[m]['voice_to_voice_ms'])}; {each[m]['hits']} of {each[m]['attempts']}"
            for m in modes
        ]
        table.add_row(language_of(code).name if code else "-", *cells)
    return table


def _table(found: Mapping[str, Any]) -> Table:
    """A column for each mode."""
    setup, modes = found["setup"], found["modes"]
    title = f"{setup['turns']} turns, {setup['speakers']} speakers, {setup['pauses']} pauses"
    table = Table(box=box.SIMPLE_HEAD, title=f"{title}; turns.preemptive_generation =")
    table.add_column("")
    for name in modes:
        table.add_column(name, justify="right")

    def row(title: str, *cells: str) -> None:
        table.add_row(title, *cells)

    each: Sequence[Mapping[str, Any]] = list(modes.values())
    row("turns answered", *(f"{m['answered']} of {m['turns']}" for m in each))
    row("voice to voice p50 / p95, ms", *(_pair(m["voice_to_voice_ms"]) for m in each))
    row("time saved p50 / p95, ms", *(_pair(m["saved_ms"]) for m in each))
    row("turns answered later than off", *(str(m["later_than_off"]) for m in each))
    row("replies prepared early", *(str(m["attempts"]) for m in each))
    row("of them spoken", *(str(m["hits"]) for m in each))
    row("of them thrown away", *(str(m["discards"]) for m in each))
    for reason, words in REASONS.items():
        row(f"  {words}", *(str(m["discarded"][reason]["replies"]) for m in each))
    row("tokens thrown away", *(_share(m["wasted_tokens"], m["wasted_tokens_share"]) for m in each))
    row("speech thrown away, s", *(f"{m['wasted_audio_s']:.0f}" for m in each))
    row("answers begun too early", *(str(m["cut_off"]["replies"]) for m in each))
    return table


def _pair(summary: Mapping[str, float]) -> str:
    return f"{summary['p50']:.0f} / {summary['p95']:.0f}" if summary else "-"


def _share(count: int, share: float) -> str:
    return f"{count} ({share:.0%})"
