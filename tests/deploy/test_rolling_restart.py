"""Servers behind a real Caddy are restarted one after the other; nobody who calls notices."""

from __future__ import annotations

import pytest

from scripts import rolling_restart


@pytest.mark.slow
@pytest.mark.deadline(300)
async def test_no_turn_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rolling_restart, "BEFORE_S", 3.0)
    monkeypatch.setitem(rolling_restart.STOPPING, "LAME_DUCK_S", "3")
    told: list[str] = []
    outcome = await rolling_restart.roll(4, told.append)
    assert outcome.lost.total() == 0, outcome.lost
    assert outcome.turns >= 8
    assert len(outcome.restarts_s) == 2
    assert min(outcome.restarts_s) >= 3, "it left before the balancer could notice"
