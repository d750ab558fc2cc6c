"""`voicepipe bench processes`: real processes, few callers; times are for quiet machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.forked import voicepipe
from tests.lab.bench.test_turns_command import SHORT, questions
from voicepipe.lab.cli import bench_processes
from voicepipe.lab.cli.bench import app

__all__ = ["questions"]


def test_one_process_and_two_are_compared(tmp_path: Path, questions: Path) -> None:
    report = tmp_path / "out.json"
    done = voicepipe(
        *("bench", "processes", "--calls", "2", "--turns", "1", "--questions", str(questions)),
        *("--json", str(report), "--assert", "lost_turns==0", *SHORT),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(report.read_text())
    assert [run["setup"]["processes"] for run in found["runs"]] == [1, 2]
    assert [run["summary"]["answered_turns"] for run in found["runs"]] == [2, 4]
    assert found["summary"]["p99_overhead_ms"] > 0
    for run in found["runs"]:
        summary = run["summary"]
        assert summary["callers_cpu_percent_per_session"] > 0
        assert summary["cpu_percent_per_session"] + summary["workers_cpu_percent_per_session"] > 0
    assert "callers %" in done.stdout


def test_ctrl_c_ends_the_command_and_not_only_its_first_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[int] = []

    async def stopped(_plan: Any, count: int, _assignments: Any) -> dict[str, Any]:
        ran.append(count)
        setup = {"processes": count, "sessions": 1, "interrupted": True}
        summary = {"turns": 1, "lost_turns": 0, "p99_overhead_ms": 4.0}
        return {"setup": setup, "summary": summary, "problems": {}}

    monkeypatch.setattr(bench_processes, "_run", stopped)
    done = CliRunner().invoke(app, ["processes", "--assert", "p99_overhead_growth<=2"])
    assert ran == [1]
    assert done.exit_code == 1, "nothing was compared"
