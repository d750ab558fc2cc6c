from __future__ import annotations

import pytest

from voicepipe.lab.bench.bounds import BadBound, Bound, broken

SUMMARY = {"lost_turns": 0, "p99_overhead_ms": 10.5, "p50_v2v_ms": 420.0}
KNOWN = (*SUMMARY, "cpu_s")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("p99_overhead_ms<=10.5", True),
        ("p99_overhead_ms <= 10", False),
        ("p99_overhead_ms<10.5", False),
        ("p99_overhead_ms > 10.4", True),
        ("p99_overhead_ms>=11", False),
        ("lost_turns==0", True),
        ("lost_turns == 1", False),
        ("p50_v2v_ms >= -1", True),
    ],
)
def test_operators(text: str, holds: bool) -> None:
    assert (Bound.parse(text, KNOWN).broken_by(SUMMARY) is None) is holds


def test_what_was_got_and_wanted_is_said() -> None:
    bounds = [
        Bound.parse(t, KNOWN) for t in ("p99_overhead_ms<=10ms", "lost_turns==0", "p50_v2v_ms<350")
    ]
    assert broken(bounds, SUMMARY) == [
        "p99_overhead_ms: got 10.5, wanted <= 10",
        "p50_v2v_ms: got 420, wanted < 350",
    ]


@pytest.mark.parametrize("text", ["", "p99", "p99 10", "p99<=", "p99 = 3", "<=3", "a<=b", "a<=3 b"])
def test_nonsense_is_answered_with_the_form(text: str) -> None:
    with pytest.raises(BadBound, match="expected NAME OPERATOR NUMBER"):
        Bound.parse(text, KNOWN)


def test_an_unknown_figure_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadBound) as caught:
        Bound.parse("p99_overheads_ms<=10", KNOWN)
    assert "did you mean 'p99_overhead_ms'?" in str(caught.value)
    assert "Known are: cpu_s, lost_turns, p50_v2v_ms, p99_overhead_ms" in str(caught.value)


def test_a_figure_that_the_run_does_not_have_keeps_no_bound() -> None:
    bound = Bound.parse("cpu_s<=5", KNOWN)
    assert bound.broken_by(SUMMARY) == "cpu_s: this run has no such figure, wanted <= 5"
