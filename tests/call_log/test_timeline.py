"""Where sound lies on the time line, for any clumping of packets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.call_log.timeline import latest_starts, runs

PACKET_S = 0.02
SLACK_S = 0.06

delays = st.lists(st.floats(0, 0.5), min_size=1, max_size=50)


def laid(starts: list[float], lasts: list[float], cursor_s: float) -> list[float]:
    """When each chunk begins on the time line, by its run."""
    found = []
    for run in runs(starts, lasts, cursor_s, SLACK_S):
        if run.start_s is not None:
            cursor_s = run.start_s
        for index in range(run.first, run.last):
            found.append(cursor_s)
            cursor_s += lasts[index]
    return found


@given(delays)
def test_a_source_without_pauses_stays_without_gaps_however_its_packets_clump(
    delays_s: list[float],
) -> None:
    """Packets of 20 ms, each held up for a while but never overtaken, the last one on time."""
    on_time = [(index + 1) * PACKET_S for index in range(len(delays_s))]
    arrived, newest = [], 0.0
    for at_s, delay_s in zip(on_time, delays_s, strict=True):
        newest = max(newest, at_s + delay_s)
        arrived.append(min(newest, on_time[-1]))
    lasts = [PACKET_S] * len(on_time)
    found = runs(latest_starts(arrived, lasts), lasts, 0.0, SLACK_S)
    assert [(run.first, run.last, run.start_s) for run in found] == [(0, len(on_time), None)]


@given(
    st.lists(st.tuples(st.floats(0, 2), st.floats(0.001, 0.5)), min_size=1, max_size=40),
    st.floats(0, 20),
)
def test_nothing_overlaps_nothing_is_lost_and_real_pauses_stay(
    chunks: list[tuple[float, float]], cursor_s: float
) -> None:
    arrived, now = [], 0.0
    for pause, _ in chunks:
        now += pause
        arrived.append(now)
    lasts = [chunk[1] for chunk in chunks]
    starts = latest_starts(arrived, lasts)
    places = laid(starts, lasts, cursor_s)
    assert len(places) == len(chunks)
    end = cursor_s
    for index, (place, last) in enumerate(zip(places, lasts, strict=True)):
        assert place >= end - 1e-9  # in order, one after the other
        gap = place - end
        assert gap < 1e-9 or gap > SLACK_S - 1e-9
        wanted = starts[index]
        if place - end > 1e-9:
            assert place == pytest.approx(wanted)  # a gap ends where the chunk was said
        assert place >= wanted - SLACK_S - 1e-9  # never laid earlier than the slack allows
        assert starts[index] + last <= arrived[index] + 1e-9  # it ended before it came
        end = place + last


def test_a_stall_is_no_pause_but_silence_is() -> None:
    lasts = [PACKET_S] * 25
    stalled = [0.02, 0.04, *[0.5] * 23]  # all that was said meanwhile comes at once
    found = runs(latest_starts(stalled, lasts), lasts, 0.0, SLACK_S)
    assert [(run.first, run.last, run.start_s) for run in found] == [(0, 25, None)]
    silent = [0.02, 0.04, 0.5, 0.52, 0.54, 0.56]
    found = runs(latest_starts(silent, lasts[:6]), lasts[:6], 0.0, SLACK_S)
    assert [(run.first, run.last) for run in found] == [(0, 2), (2, 6)]
    assert found[1].start_s == pytest.approx(0.48)


def test_sound_that_comes_faster_than_it_is_said_is_kept_in_order() -> None:
    found = runs(latest_starts([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]), [1.0] * 3, 0.0, SLACK_S)
    assert [(run.first, run.last, run.start_s) for run in found] == [(0, 3, None)]
