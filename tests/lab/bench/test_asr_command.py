"""`python -m scripts.bench_asr`: priced engines in virtual time, so figures are the same each time;
and the built-in model for a moment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scripts.bench_asr", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False
    )


def figures(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    file = tmp_path / "asr.json"
    done = run("--json", str(file), *arguments)
    assert (done.returncode, "final p99 <= 150 ms" in done.stdout) == (0, True), done.stderr
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def test_batches_serve_more_callers_where_one_decode_costs_as_much_as_eight(tmp_path: Path) -> None:
    found = figures(tmp_path, "--seconds", "5", "--priced", "15+0.5", "--levels", "16,160")
    few, many = found["levels"]
    batched, single = (many[mode] for mode in ("batched", "one at a time"))
    assert batched["final_p99_ms"] <= 150 < single["final_p99_ms"]
    assert (batched["batch_mean"] > 2, single["batch_mean"]) == (True, 1)
    assert batched["partials_per_s"] > 1.5 * single["partials_per_s"]
    assert few["batched"]["stale_partials"] < many["batched"]["stale_partials"]
    assert found["summary"]["callers"]["one at a time"] == 16
    assert all(level["batched"]["late_p99_ms"] == 0 for level in (few, many))


def test_the_built_in_model_is_measured_in_both_modes(tmp_path: Path) -> None:
    found = figures(tmp_path, "--seconds", "2", "--levels", "2")
    assert found["setup"]["profile"] == "builtin"
    for mode in ("batched", "one at a time"):
        level = found["levels"][0][mode]
        assert level["finals"] >= 4
        assert level["partials_per_s"] > 0
        assert level["final_p99_ms"] >= level["final_p50_ms"] >= 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--levels", "many"), "numbers with commas between"),
        (("--priced", "15"), "two numbers of ms"),
        (("--set", "asr.engine=simulated"), "batches nothing to measure"),
    ],
)
def test_wrong_arguments_are_named(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr
