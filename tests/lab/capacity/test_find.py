"""How many calls one process holds, asked of a process that is made up."""

from __future__ import annotations

import json
import math

import pytest

from voicepipe.lab.bench.socket_line import ConnectError
from voicepipe.lab.capacity.find import Step, as_dict, find

LIMIT_MS = 40.0


@pytest.mark.parametrize(("holds", "most"), [(10, 800), (100, 800), (333, 800), (5000, 200)])
async def test_the_answer_is_right_to_a_tenth_and_never_too_high(holds: int, most: int) -> None:
    async def measure(callers: int) -> Step:
        p99 = 10.0 if callers <= holds else 80.0
        return Step(callers, 1.0, p99, 0, 0.005, 2.0)

    told: list[Step] = []
    found, steps = await find(measure, LIMIT_MS, most, told.append)
    assert told == steps
    assert 0.9 * min(holds, most) - 1 <= found <= min(holds, most)
    assert as_dict(LIMIT_MS, found, steps)["gateway"]["calls"] == found


async def test_a_lost_turn_is_too_much() -> None:
    async def measure(callers: int) -> Step:
        return Step(callers, 1.0, 2.0, int(callers > 60), 0.005, 2.0)

    found, _ = await find(measure, LIMIT_MS, 800, lambda step: None)
    assert 50 <= found <= 60


async def test_a_process_that_held_nobody_is_written_as_json() -> None:
    async def measure(callers: int) -> Step:
        return Step(callers, math.inf, math.inf, callers, 0.0, math.inf)

    found, steps = await find(measure, LIMIT_MS, 2, lambda step: None)
    assert found == 0
    assert json.loads(json.dumps(as_dict(LIMIT_MS, found, steps), allow_nan=False))


async def test_a_load_that_cannot_even_connect_is_too_much() -> None:
    async def measure(callers: int) -> Step:
        if callers > 60:
            raise ConnectError("no answer within 20 s")
        return Step(callers, 1.0, 2.0, 0, 0.005, 2.0)

    found, steps = await find(measure, LIMIT_MS, 800, lambda step: None)
    assert 50 <= found <= 60
    assert max(steps, key=lambda step: step.callers).lost > 0


async def test_a_server_that_nobody_reaches_is_said() -> None:
    async def measure(callers: int) -> Step:
        raise ConnectError("refused")

    with pytest.raises(ConnectError):
        await find(measure, LIMIT_MS, 800, lambda step: None)
