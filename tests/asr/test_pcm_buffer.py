"""The growing buffer."""

from __future__ import annotations

import numpy as np
import pytest

from voicepipe.asr.pcm_buffer import PcmBuffer
from voicepipe.audio.pcm import Int16


def ramp(start: int, count: int) -> Int16:
    return np.arange(start, start + count).astype(np.int16)


def test_positions_hold_over_growth_and_freeing() -> None:
    buffer = PcmBuffer()
    for start in range(0, 300_000, 777):
        buffer.append(ramp(start, 777))
        if start > 50_000:
            buffer.free_before(start - 50_000)
    assert np.array_equal(
        buffer.slice(buffer.total - 40_000, buffer.total), ramp(buffer.total - 40_000, 40_000)
    )


def test_a_slice_never_changes() -> None:
    buffer = PcmBuffer()
    buffer.append(ramp(0, 60_000))
    early = buffer.slice(100, 50_000)
    copy = early.copy()
    buffer.free_before(50_000)
    for start in range(60_000, 400_000, 5_000):
        buffer.append(ramp(start, 5_000))
    assert np.array_equal(early, copy)


def test_freed_and_future_audio_is_refused() -> None:
    buffer = PcmBuffer()
    buffer.append(ramp(0, 1_000))
    buffer.free_before(500)
    with pytest.raises(ValueError, match=r"\[499, 600\) is outside of \[500, 1000\)"):
        buffer.slice(499, 600)
    with pytest.raises(ValueError, match="outside"):
        buffer.slice(900, 1001)
    buffer.clear()
    assert buffer.total == 1_000
    assert len(buffer.slice(1_000, 1_000)) == 0


def test_memory_stays_with_what_is_live() -> None:
    buffer = PcmBuffer()
    for start in range(0, 16_000 * 600, 320):
        buffer.append(ramp(start, 320))
        buffer.free_before(buffer.total - 16_000)
    assert len(buffer._data) <= 16_000 * 8


def test_appending_copies_each_sample_only_now_and_then() -> None:
    buffer, copied, data = PcmBuffer(), 0, None
    for start in range(0, 16_000 * 600, 320):
        buffer.append(ramp(start, 320))
        if buffer._data is not data:
            data, copied = buffer._data, copied + buffer.total
    assert copied < 3 * buffer.total  # growing by a fixed step would copy hundreds of times that
