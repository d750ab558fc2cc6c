"""The simulation beside the server itself, in virtual time: no machine has its say."""

from __future__ import annotations

import pytest

from voicepipe.lab.bench.virtual_time import run_virtual
from voicepipe.lab.capacity.check import LOADS, compared, in_virtual_time
from voicepipe.runtime.errors import VoicepipeError


def test_a_load_in_which_not_one_turn_was_answered_says_so() -> None:
    with pytest.raises(VoicepipeError, match="8 callers: not one turn was answered"):
        compared(8, {"turns": 112, "answered_turns": 0, "lost_turns": 112}, virtual=True)


def test_the_server_does_what_the_simulation_says() -> None:
    """Turns queue for every engine. All of it: `voicepipe lab capacity --check --virtual`."""
    callers, turns = max(LOADS), 4
    found = compared(callers, run_virtual(in_virtual_time(callers, turns)), virtual=True)
    assert found.turns == callers * turns
    assert found.measured["p95"] > 1.2 * found.measured["p50"]  # they do queue
    assert abs(found.ratio("p50") - 1) < 0.1
    assert abs(found.ratio("p95") - 1) < 0.25
