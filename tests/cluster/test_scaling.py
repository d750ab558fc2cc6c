"""How many replicas Ray is told to have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.quiet_import import imported

pools = imported("voicepipe.server.ray_pools")


@pytest.mark.parametrize(
    ("work", "wanted"),
    [
        ({"a": 9.0, "b": 4.0}, 3),  # 13 calls, 6 for each
        ({"a": 6.0}, 1),
        ({"a": 0.0, "b": 0.0}, 1),  # one is kept ready
        ({}, 2),  # nothing is known yet: as it is
    ],
)
def test_replicas_follow_the_work(work: dict[str, float], wanted: int) -> None:
    context: Any = SimpleNamespace(aggregated_metrics={"work": work}, target_num_replicas=2)
    assert pools.ByWork(6.0)(context)[0] == wanted
