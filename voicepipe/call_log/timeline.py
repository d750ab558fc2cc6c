"""Where a chunk of sound lies on a call's time line. Pure: seconds in, seconds out.

Packets arrive in clumps, so sound is not laid where its packet arrived: what flows without a pause
stays without a gap, and only a difference beyond `slack_s` is a pause that was really there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """Chunks `[first, last)` without a gap between them. `start_s` None: right behind the sound
    before."""

    first: int
    last: int
    start_s: float | None


def latest_starts(arrived_s: Sequence[float], lasts_s: Sequence[float]) -> list[float]:
    """When each chunk of a live source was said, at the latest: it ended before it arrived, and
    before the next one began. So chunks that were held up and come all at once go back to where
    they belong, as far as one batch shows.
    """
    starts = [0.0] * len(arrived_s)
    following = float("inf")
    for index in reversed(range(len(arrived_s))):
        starts[index] = following = min(arrived_s[index], following) - lasts_s[index]
    return starts


def runs(
    starts_s: Sequence[float], lasts_s: Sequence[float], cursor_s: float, slack_s: float
) -> list[Run]:
    """Chunks in order, joined to runs. `cursor_s`: where the sound before ends. A chunk that would
    begin less than `slack_s` behind the sound before it, or within it, follows it directly."""
    found: list[Run] = []
    for index, (start_s, lasts) in enumerate(zip(starts_s, lasts_s, strict=True)):
        if start_s - cursor_s > slack_s:
            found.append(Run(index, index + 1, start_s))
            cursor_s = start_s
        elif found:
            found[-1] = Run(found[-1].first, index + 1, found[-1].start_s)
        else:
            found.append(Run(index, index + 1, None))
        cursor_s += lasts
    return found
