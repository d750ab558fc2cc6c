"""Framing: no sample lost, doubled or moved, whatever the chunks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.audio.frames import Framer


@settings(deadline=None)
@given(st.lists(st.integers(0, 1000), max_size=20))
def test_frames_and_the_rest_are_the_input(sizes: list[int]) -> None:
    samples = np.arange(sum(sizes)).astype(np.int16)
    framer, frames = Framer(), []
    for chunk in np.split(samples, np.cumsum(sizes[:-1])) if sizes else []:
        frames += list(framer.push(chunk))
    assert all(frame.size == 320 for frame in frames)
    rest = framer.drain()
    assert rest.size < 320
    assert np.array_equal(np.concatenate([*frames, rest]), samples)


def test_drain_leaves_nothing_behind() -> None:
    framer = Framer(frame_samples=10)
    assert list(framer.push(np.ones(7, dtype=np.int16))) == []
    assert framer.drain().size == 7
    assert framer.drain().size == 0
    (frame,) = framer.push(np.full(10, 2, dtype=np.int16))
    assert set(frame.tolist()) == {2}
