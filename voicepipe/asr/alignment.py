"""When each token was said, read off the decoder's attention to the audio: dynamic time warping
over smoothed attention, as Whisper's authors do it. Pure."""

from __future__ import annotations

from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float32]]

MEDIAN_WIDTH = 7
"""Positions (20 ms each) over which attention is smoothed."""


def monotonic_path(attention: Floats, prompt: int) -> list[tuple[int, int]]:
    """The path through `attention` (float32 [heads, tokens, positions]; the first `prompt` tokens
    are no text, the last one ends it) that goes forward only and meets the most attention: pairs of
    text token (the end's is one more) and position, both from 0. A token is looked for in the audio
    by the one before it, so that is the row that tells its time."""
    spread = attention.std(axis=1, keepdims=True)
    scaled = (attention - attention.mean(axis=1, keepdims=True)) / np.maximum(spread, 1e-9)
    return warp(-_median(scaled).mean(axis=0)[prompt - 1 : -1])


def warp(cost: Floats) -> list[tuple[int, int]]:
    """The cheapest monotonic path from corner to corner of `cost` [rows, columns]; steps go down,
    right, or both."""
    rows, columns = cost.shape
    total = np.full((rows + 1, columns + 1), np.inf)
    total[0, 0] = 0.0
    step = np.zeros((rows + 1, columns + 1), dtype=np.int8)
    step[0, :], step[:, 0] = 2, 1
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            before = (total[i - 1, j - 1], total[i - 1, j], total[i, j - 1])
            step[i, j] = best = before.index(min(before))
            total[i, j] = cost[i - 1, j - 1] + before[best]
    path, i, j = [], rows, columns
    while i > 0 and j > 0:
        path.append((i - 1, j - 1))
        i, j = i - (step[i, j] != 2), j - (step[i, j] != 1)
    return path[::-1]


def _median(weights: Floats) -> Floats:
    """Median over `MEDIAN_WIDTH` positions, the ends mirrored."""
    reach = MEDIAN_WIDTH // 2
    mirrored = np.pad(weights, ((0, 0), (0, 0), (reach, reach)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(mirrored, MEDIAN_WIDTH, axis=-1)
    smooth: Floats = np.median(windows, axis=-1)
    return smooth
