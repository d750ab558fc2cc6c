"""`voicepipe lab capacity`: options that contradict each other, and its table."""

from __future__ import annotations

import pytest
from rich.console import Console
from typer.testing import CliRunner

from voicepipe.lab.capacity.plan import Plan
from voicepipe.lab.capacity.sizing import sizes
from voicepipe.lab.capacity.table import table
from voicepipe.lab.cli import capacity, lab


@pytest.mark.parametrize("options", [["--check", "--find"], ["--virtual"], ["--find", "--virtual"]])
def test_a_fleet_is_either_sized_or_checked_or_found(
    monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    ran: list[str] = []
    for name in ("_check", "_find", "_size"):
        monkeypatch.setattr(capacity, name, lambda *_given, name=name, **_more: ran.append(name))
    done = CliRunner().invoke(lab.app, ["capacity", *options])
    assert (done.exit_code, ran) == (2, [])


def test_a_plans_own_words_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(name="a fleet [a100]", currency="USD [/net]")
    Console(width=150).print(table(plan, sizes(plan, (2,), turns=100)))
    said = capsys.readouterr().out
    assert "a fleet [a100]" in said
    assert "USD [/net]" in said
