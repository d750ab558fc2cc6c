"""`voicepipe lab capacity`: options that contradict each other, or would be passed over."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

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
