"""The figures of a bench at the terminal."""

from __future__ import annotations

import pytest
from rich.console import Console

from voicepipe.lab.bench.load import Outcome, Plan
from voicepipe.lab.bench.recordings import buzz
from voicepipe.lab.bench.results import report
from voicepipe.lab.cli.bench_table import bench_table


def test_an_address_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(Plan((buzz(),)), Outcome(), {"mode": "websocket", "url": "ws://[fe80::1]/v1"})
    Console(width=120).print(bench_table(found))
    assert "ws://[fe80::1]/v1" in capsys.readouterr().out
