"""The figures of a bench at the terminal and on its page."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from tests.lab.bench.test_overhead import PLAIN, record
from voicepipe.lab.bench.caller import CallerTurn
from voicepipe.lab.bench.html_report import html_report
from voicepipe.lab.bench.load import Outcome, Plan
from voicepipe.lab.bench.recordings import buzz
from voicepipe.lab.bench.results import FIGURES, report
from voicepipe.lab.cli.bench_table import bench_table


def test_an_address_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(Plan((buzz(),)), Outcome(), {"mode": "websocket", "url": "ws://[fe80::1]/v1"})
    Console(width=120).print(bench_table(found))
    assert "ws://[fe80::1]/v1" in capsys.readouterr().out


def test_a_tool_that_was_waited_for_has_its_own_part(capsys: pytest.CaptureFixture[str]) -> None:
    """Beside a turn without one: the stages add up in both."""
    plain, with_tool = record(PLAIN).as_dict(), record(PLAIN).as_dict()
    with_tool |= {"turn_id": "turn_2", "budget_ms": {"tool": 5.0}, "over_budget": ["tool"]}
    with_tool["critical_ms"] = {
        **{"endpoint": 301.0, "asr": 0.0, "llm": 7.0, "tool": 20.0},
        **{"clause": 43.0, "tts": 64.0, "output": 2.0},
    }
    turns = [
        CallerTurn(0, n, "q", 1.0, 0.0, 1.437, ledger=json.dumps(ledger))
        for n, ledger in enumerate((with_tool, plain))
    ]
    found = report(Plan((buzz(),)), Outcome(turns), {"mode": "websocket", "url": "ws://x/v1"})
    assert found["summary"]["max_tool_ms"] == 20.0
    assert found["summary"]["over_budget_tool"] == 1
    assert found["stages"]["tool"]["n"] == 1
    assert set(found["summary"]) <= set(FIGURES)
    Console(width=120).print(bench_table(found))
    assert "  tool" in capsys.readouterr().out
    page = html_report(found)
    assert page.count(">tool<") >= 3  # the waterfall, the stages, the slowest turns
    assert "<td>20.0 ms</td>" in page
    assert page.count("<td>-</td>") == 1  # of the turn without
