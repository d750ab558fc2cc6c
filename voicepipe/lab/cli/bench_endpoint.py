"""`voicepipe bench endpoint`: how often a policy cuts callers off, and how long they wait."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from voicepipe.cli import results
from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.cli.progress import step_progress
from voicepipe.cli.results import HtmlOption, JsonOption, SvgOption
from voicepipe.config import Settings
from voicepipe.dialog.options import Endpointing
from voicepipe.lab.bench.endpoint import calibration, marked
from voicepipe.lab.bench.endpoint.insight import insight
from voicepipe.lab.bench.endpoint.picture import LABELS, curves, page, rounded
from voicepipe.lab.bench.endpoint.replay import MODEL_MS, EndJudge, Session, hear
from voicepipe.lab.bench.endpoint.sweep import LEVELS, SCALES, Point, report, sweep
from voicepipe.lab.hearing_score import Rate
from voicepipe.languages.known import language_of
from voicepipe.vad.engines import create_detector, create_end_of_turn

Judges = Mapping[Endpointing, EndJudge]
TOOK_MS: Mapping[Endpointing, int] = {"fused": 0, "smart_turn": MODEL_MS}
"""What an audio model takes, in ms of stream time."""


def bench_endpoint(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Recordings with a manifest.")],
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="fixed, text, learned, fused or smart_turn; repeatable."),
    ] = None,
    asr_delay_ms: Annotated[
        int, typer.Option(metavar="MS", min=0, help="A word's text is known so long after it.")
    ] = 220,
    calibration_svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw how far the audio model of fused can be believed."),
    ] = None,
    html_file: HtmlOption = None,
    svg_file: SvgOption = None,
    json_file: JsonOption = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
) -> None:
    """Score endpointing policies on recordings with marked pauses and turn ends.

    Replays them through the voice detector and dialog of the settings, without engines, with
    each policy's waits shortened and lengthened. Without --policy: all of them, smart_turn only
    where turns.smart_turn_model is set.
    """
    settings = settings_from(profile, config, assignments)
    names = _names(policy, settings)
    judges = _judges(names, settings)
    turns = marked.load(folder)
    with step_progress("hearing", len(turns)) as step:
        sessions = hear(turns, lambda: create_detector(settings.vad), step)
    found = _score(names, sessions, settings, asr_delay_ms, judges)
    found["models"] = {name: asdict(insight(turns, judge)) for name, judge in judges.items()}
    Console().print(_table(found), _levels(found))
    for name, one in found["models"].items():
        Console().print(_model(name, one))
    if found["languages"]:
        Console().print(_by_language(found))
    results.write(found, (html_file, page), (svg_file, curves), (json_file, json.dumps))
    if "fused" in found["models"]:
        drawn = calibration.picture(found["models"]["fused"]["calibration"])
        results.write(drawn, (calibration_svg, str))


def _names(wanted: Sequence[str] | None, settings: Settings) -> list[Endpointing]:
    known: tuple[Endpointing, ...] = get_args(Endpointing)
    if not wanted:
        return [n for n in known if n != "smart_turn" or settings.turns.smart_turn_model]
    for name in wanted:
        if name not in known:
            raise typer.BadParameter(f"--policy {name}: it must be one of {', '.join(known)}")
    return [name for name in known if name in wanted]


def _judges(names: Sequence[Endpointing], settings: Settings) -> Judges:
    """The audio models of the policies that have one."""
    return {
        name: EndJudge(create_end_of_turn(replace(settings.turns, endpointing=name)), took_ms)
        for name, took_ms in TOOK_MS.items()
        if name in names
    }


def _score(
    names: Sequence[Endpointing],
    sessions: Sequence[Session],
    settings: Settings,
    asr_delay_ms: int,
    judges: Judges,
) -> dict[str, Any]:
    found: dict[str, list[Point]] = {}
    with step_progress("scoring", len(names) * len(SCALES)) as step:
        for name in names:
            found[name] = sweep(
                name, sessions, settings.turns, asr_delay_ms, judges.get(name), on_point=step
            )
    setup = {
        "turns": sum(len(session) for session in sessions),
        "speakers": len(sessions),
        "pauses": sum(len(heard.turn.pauses) for session in sessions for heard in session),
        "asr_delay_ms": asr_delay_ms,
        "eager_end_ms": settings.turns.eager_end_ms,
        "vad": settings.vad.engine,
    }
    by_language = _each_language(names, sessions, settings, asr_delay_ms, judges)
    return report(found, setup) | {"languages": by_language}


def _each_language(
    names: Sequence[Endpointing],
    sessions: Sequence[Session],
    settings: Settings,
    asr_delay_ms: int,
    judges: Judges,
) -> dict[str, dict[str, Any]]:
    """Each policy as shipped, for each language that the recordings name, if they name several."""
    codes = sorted({heard.turn.language or "" for session in sessions for heard in session})
    found: dict[str, dict[str, Any]] = {}
    for code in codes if len(codes) > 1 else ():
        each = [
            tuple(h for h in session if (h.turn.language or "") == code) for session in sessions
        ]
        spoken = [turns for turns in each if turns]
        for name in names:
            judge = judges.get(name)
            (point,) = sweep(name, spoken, settings.turns, asr_delay_ms, judge, scales=(1.0,))
            found.setdefault(code, {})[name] = asdict(point)
    return found


def _by_language(found: Mapping[str, Any]) -> Table:
    """Turns cut off, and the wait of those that were not, for each language."""
    table = Table(box=box.SIMPLE_HEAD, title="by language: turns cut off; wait p50 / p95 ms")
    table.add_column("language")
    table.add_column("turns", justify="right")
    for name in found["policies"]:
        table.add_column(LABELS[name], justify="right")
    for code, policies in found["languages"].items():
        cells = [
            f"{p['cut_off_rate']:.0%}; {rounded(p['wait_p50_ms'])} / {rounded(p['wait_p95_ms'])}"
            for p in policies.values()
        ]
        turns = next(iter(policies.values()))["turns"]
        table.add_row(language_of(code).name if code else "-", str(turns), *cells)
    return table


def _table(found: Mapping[str, Any]) -> Table:
    """Each policy as shipped."""
    setup = found["setup"]
    title = f"{setup['turns']} turns, {setup['speakers']} speakers, {setup['pauses']} pauses"
    table = Table(box=box.SIMPLE_HEAD, title=f"{title}; waits as they are set")
    for name in (
        *("policy", "cut off (95 %)", "felt", "pauses cut"),
        *("p50", "p95", "mean ms", "discards/turn"),
    ):
        table.add_column(name, justify="left" if name == "policy" else "right")
    for name, one in found["policies"].items():
        shipped = next(p for p in one["points"] if p["scale"] == 1)
        table.add_row(
            LABELS[name],
            _with_interval(shipped["cut_off_rate"], shipped["turns"]),
            f"{shipped['felt_rate']:.1%}",
            f"{shipped['pause_cut_rate']:.1%}",
            *(rounded(shipped[f"wait_{figure}_ms"]) for figure in ("p50", "p95", "mean")),
            f"{shipped['discards_per_turn']:.2f}",
        )
    return table


def _with_interval(rate: float, n: int) -> str:
    low, high = Rate(round(rate * n), n).interval
    return f"{rate:.1%} ({100 * low:.1f}-{100 * high:.1f})"


def _model(name: str, one: Mapping[str, Any]) -> str:
    return (
        f"audio model of {name}: {one['pauses']} pauses against {one['ends']} ends, AUC "
        f"{one['auc']:.3f} ({one['low']:.3f}-{one['high']:.3f})"
    )


def _levels(found: Mapping[str, Any]) -> Table:
    """The waits at equal false cut-offs."""
    table = Table(box=box.SIMPLE_HEAD, title="wait at equal false cut-offs: p50 / p95 / mean ms")
    table.add_column("policy")
    for level in LEVELS:
        table.add_column(f"{level:.0%} of turns", justify="right")
    for name, one in found["policies"].items():
        cells = []
        for at in one["at"].values():
            figures = [at[f"wait_{figure}_ms"] for figure in ("p50", "p95", "mean")] if at else []
            cells.append(" / ".join(f"{figure:.0f}" for figure in figures) or "-")
        table.add_row(LABELS[name], *cells)
    return table
