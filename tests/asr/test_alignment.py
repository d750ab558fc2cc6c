"""Token times from attention."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.asr.alignment import monotonic_path, warp


def test_the_path_follows_the_attention() -> None:
    ends = [10, 14, 30, 50]  # positions at which three tokens and the end end
    attention = np.full((2, 2 + 3 + 1, 50), 0.01, np.float32)
    for token, (start, end) in enumerate(itertools.pairwise([0, *ends])):
        attention[:, 1 + token, start:end] = 0.5
    path = monotonic_path(attention, prompt=2)
    first = [min(at for token, at in path if token == n) for n in range(4)]
    assert np.abs(np.array(first) - [0, 10, 14, 30]).max() <= 1
    assert path[-1] == (3, 49)


def test_a_single_stray_position_is_smoothed_away() -> None:
    attention = np.full((1, 3, 40), 0.01, np.float32)
    attention[0, 0, :20] = attention[0, 1, 20:] = 0.5
    attention[0, 1, 3] = 9.0
    path = monotonic_path(attention, prompt=1)
    assert abs(min(at for token, at in path if token == 1) - 20) <= 1


@given(
    st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(0, 9), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )
)
def test_no_path_is_cheaper(cost: list[list[int]]) -> None:
    grid = np.array(cost, np.float32)
    path = warp(grid)
    assert path[0] == (0, 0)
    assert path[-1] == (grid.shape[0] - 1, grid.shape[1] - 1)
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(path)}
    assert steps <= {(0, 1), (1, 0), (1, 1)}
    assert sum(grid[at] for at in path) == _cheapest(cost)


def _cheapest(cost: list[list[int]], i: int = 0, j: int = 0) -> float:
    if i >= len(cost) or j >= len(cost[0]):
        return float("inf")
    if (i, j) == (len(cost) - 1, len(cost[0]) - 1):
        return cost[i][j]
    onward = min(_cheapest(cost, i + a, j + b) for a, b in ((0, 1), (1, 0), (1, 1)))
    return cost[i][j] + onward
