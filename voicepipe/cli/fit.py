"""`voicepipe fit`: which models this machine answers with in time, and the settings for them."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voicepipe.cli.options import ConfigOption, SetOption, settings_from

if TYPE_CHECKING:
    from rich.console import RenderableType

    from voicepipe.config import Settings
    from voicepipe.fit.choose import Choice
    from voicepipe.fit.speeds import Speeds

app = typer.Typer(add_completion=False)

ASR_BY_QUALITY = ("whisper-small.en", "whisper-base.en", "whisper-tiny.en")
LLM_BY_QUALITY = (
    "qwen2.5-1.5b-instruct-q4_k_m",
    "qwen2.5-0.5b-instruct-q4_k_m",
    "qwen2.5-0.5b-instruct-q4_0",
    "smollm2-360m-instruct-q8_0",
    "gemma-3-270m-it-q8_0",
)
VOICE = "piper-en_US-ljspeech-medium"
BAR = 48  # characters of the picture


@app.command()
def fit(
    models: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Measure these too: a mirror of scripts/make_full_size_models.py."
        ),
    ] = None,
    callers: Annotated[int, typer.Option("-n", min=1, help="Callers to be answered in time.")] = 1,
    cores: Annotated[
        int | None, typer.Option(min=1, help="As if there were so many, by rule of thumb.")
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="Measure nothing: table and probe.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--write", "-w", metavar="FILE", help="Write the settings.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over an existing file.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write what was measured.")
    ] = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Measure this machine and choose the models that answer within 800 ms (p50) and 1100 ms (p95).

    Measures the models that are pulled, and those in DIR; where a stage has none of either, a table
    scaled by a probe stands in. Let nothing else run meanwhile.
    """
    from voicepipe.fit import choose
    from voicepipe.fit.settings_file import as_toml
    from voicepipe.fit.speeds import on_more_cores
    from voicepipe.runtime.errors import ConfigError

    if out is not None and out.exists() and not force:
        raise ConfigError(f"{out} exists; --force writes over it")
    settings = settings_from("cpu", config, assignments)
    speeds = _speeds(settings, models, table)
    if json_file is not None:
        _write_json(json_file, speeds)
    if cores is not None:
        speeds = on_more_cores(speeds, cores)
    found = choose.choices(speeds, callers)
    chosen = choose.best(found, callers)
    _print(_report(speeds, found, chosen))
    typer.echo(choose.advice(found, callers))
    text = as_toml(chosen, speeds.tts.model, date.today())
    if out is None:
        typer.echo(f"\nSettings for it (--write voicepipe.toml keeps them):\n\n{text}")
    else:
        out.write_text(text, "utf-8")
        typer.echo(f"Settings written to {out}; missing models: voicepipe serve fetches them.")


def _speeds(settings: Settings, models: Path | None, table: bool) -> Speeds:
    """Measured as far as there is something to be measured."""
    import asyncio
    from dataclasses import replace

    from voicepipe.fit.measure import measure_asr, measure_llm, measure_tts
    from voicepipe.fit.table import from_table, probe

    here = {} if table else _places(settings, models)
    asr = [name for name in ASR_BY_QUALITY if name in here]
    llm = [name for name in LLM_BY_QUALITY if name in here]
    complete = bool(asr and llm and VOICE in here)
    if not complete:
        _tell("machine itself (no model of some stage is here)")
        speeds = from_table(probe())
    else:
        speeds = None

    async def measured() -> tuple[list[Any], list[Any], Any]:
        hears = [await measure_asr(settings, name, here[name], _tell) for name in asr]
        thinks = [await measure_llm(settings, name, here[name], _tell) for name in llm]
        voice = await measure_tts(settings, VOICE, here[VOICE], _tell) if VOICE in here else None
        return hears, thinks, voice

    hears, thinks, voice = asyncio.run(measured())
    if speeds is None:
        from voicepipe.fit.speeds import Speeds as All
        from voicepipe.runtime import cores

        return All(cores.available(), tuple(hears), tuple(thinks), voice)
    return replace(
        speeds,
        asr=tuple(hears) or speeds.asr,
        llm=tuple(thinks) or speeds.llm,
        tts=voice or speeds.tts,
        source=speeds.source if not (hears or thinks or voice) else f"partly {speeds.source}",
    )


def _tell(what: str) -> None:
    typer.echo(f"measuring the {what} ...", err=True)


def _places(settings: Settings, models: Path | None) -> dict[str, Path]:
    """What an engine opens, by name, of the models that are here."""
    from voicepipe.models.registry import load_registry
    from voicepipe.models.resolve import is_present, models_dir, place_of

    registry, found = load_registry(), {}
    for name in (*ASR_BY_QUALITY, *LLM_BY_QUALITY, VOICE):
        model = registry.get(name)
        if models is not None and place_of(model, models).exists():
            found[name] = place_of(model, models)
        elif is_present(model, models_dir(settings)):
            found[name] = place_of(model, models_dir(settings))
    return found


def _write_json(path: Path, speeds: Speeds) -> None:
    from dataclasses import asdict

    from voicepipe.fit.table import probe

    path.write_text(json.dumps({"probe": asdict(probe()), "speeds": asdict(speeds)}, indent=2))


def _print(what: RenderableType) -> None:
    from rich.console import Console

    Console(highlight=False).print(what)


def _report(speeds: Speeds, found: list[Choice], chosen: Choice) -> RenderableType:
    """A table of waits by load, and the picture of the chosen one's turn."""
    from rich.console import Group
    from rich.table import Table

    from voicepipe.fit.choose import LOADS, keeps_window
    from voicepipe.fit.predict import HOPELESS_MS

    rows = Table(
        title=f"Voice to voice, p50 / p95 in ms, on {speeds.cores} cores ({speeds.source})",
        title_justify="left",
        box=None,
        padding=(0, 2),
    )
    for title in ("language model", "recognizer", *(f"{n} callers" for n in LOADS), "in time"):
        rows.add_column(title)
    for choice in found:
        cells = []
        for one in choice.predictions:
            text = f"{one.p50_ms:.0f} / {one.p95_ms:.0f}"
            late = one.p50_ms >= HOPELESS_MS
            good = keeps_window(one)
            cells.append(f"[{'green' if good else 'red'}]{'> 4 s' if late else text}[/]")
        mark = "[bold]" if choice is chosen else ""
        setup = choice.setup
        rows.add_row(f"{mark}{setup.llm.model}", setup.asr.model, *cells, str(choice.callers))
    return Group(rows, "", *_picture(chosen), "")


def _picture(chosen: Choice) -> list[str]:
    """One caller's median turn, to scale, beside the 800 ms that are promised."""
    from voicepipe.fit.choose import P50_MS

    parts = chosen.alone.parts
    scale = BAR / max(P50_MS, sum(parts.values()))
    lines, at = [], 0.0
    for name, ms in parts.items():
        bar = " " * round(at * scale) + "█" * max(round(ms * scale), 1 if ms else 0)
        lines.append(f"{name:>9} {ms:6.0f} ms  {bar}")
        at += ms
    lines.append(f"{'together':>9} {at:6.0f} ms  {'─' * round(P50_MS * scale)}┤ 800 ms")
    return lines
