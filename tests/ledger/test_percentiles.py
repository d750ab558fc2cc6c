"""Nearest-rank percentiles, checked against numpy's, over a bounded window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.ledger.percentiles import Window, percentile, summarize

VALUES = st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=300)


@settings(deadline=None)
@given(VALUES, st.sampled_from([0.0, 0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0]))
def test_equals_numpys_nearest_rank(values: list[float], share: float) -> None:
    assert percentile(values, share) == np.quantile(values, share, method="inverted_cdf")


@pytest.mark.parametrize("percent", [1, 5, 7, 29, 50, 55, 57, 95, 99, 100])
def test_rank_is_exact_where_the_share_is_no_exact_float(percent: int) -> None:
    for count in range(1, 1001):
        rank = max(1, -(-percent * count // 100))  # ceil in whole numbers
        assert percentile(range(1, count + 1), percent / 100) == rank


def test_no_values_have_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_summary_of_a_known_series() -> None:
    assert summarize(range(100, 0, -1)) == {"n": 100, "p50": 50, "p95": 95, "p99": 99, "max": 100}
    assert summarize([7.5]) == {"n": 1, "p50": 7.5, "p95": 7.5, "p99": 7.5, "max": 7.5}


def test_window_keeps_the_newest_and_counts_all() -> None:
    window = Window(size=10)
    assert window.summary() == {"n": 0}
    for value in range(100):
        window.add(value)
    assert window.summary() == {"n": 100, "p50": 94, "p95": 99, "p99": 99, "max": 99}
