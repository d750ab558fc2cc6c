"""`voicepipe lab capacity` from end to end, at small size."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from typer.testing import CliRunner, Result

from voicepipe.cli.main import app

PLAN = """
name = "a small one"
[asr]
price_hour = 0.1
[llm]
slots = 4
price_hour = 1.0
"""


def lab(*options: object) -> Result:
    return CliRunner().invoke(app, ["lab", "capacity", *map(str, options)])


def test_a_plan_becomes_a_table_a_picture_and_figures(tmp_path: Path) -> None:
    plan, figures, picture = (tmp_path / name for name in ("plan.toml", "out.json", "out.svg"))
    plan.write_text(PLAN)
    run = lab(plan, "-n", 10, "--turns", 500, "--json", figures, "--svg", picture)
    assert run.exit_code == 0, run.output
    assert "a small one" in run.output
    fleet = json.loads(figures.read_text())["fleets"][0]
    assert fleet["kept"]
    assert fleet["result"]["calls"] == 10
    assert fleet["result"]["p99_ms"] <= 800
    assert fleet["call_minute"] > 0
    drawn = ElementTree.parse(picture).getroot()
    assert drawn.get("aria-label") == "a small one: poisson calls"


def test_a_wrong_plan_is_told_without_a_traceback(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text("[llm]\nslots = 0\n")
    run = lab(plan)
    assert run.exit_code == 2
    assert "llm.slots" in run.output
    assert "Traceback" not in run.output


def test_measuring_takes_no_plan() -> None:
    run = lab("--check", "-n", 10)
    assert run.exit_code == 2
    assert "leave out the plan" in run.output
