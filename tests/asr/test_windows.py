"""Window choice and cutting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from voicepipe.asr.windows import WindowLimits, cut_range, first_pause, frame_energy, quietest_point
from voicepipe.audio.pcm import SAMPLE_RATE, Int16

STOCK = WindowLimits(min_s=10.0, max_s=30.0, margin_s=2.0)
TINY = WindowLimits(min_s=1.0, max_s=8.0, margin_s=0.2)


@pytest.mark.parametrize(
    ("limits", "speech_s", "window_s"),
    [
        (STOCK, 0.0, 10.0),
        (STOCK, 8.0, 10.0),
        (STOCK, 8.1, 10.5),
        (STOCK, 20.0, 22.0),
        (STOCK, 28.0, 30.0),
        (STOCK, 30.0, 30.0),
        (TINY, 0.3, 1.0),
        (TINY, 1.0, 1.5),
        (TINY, 7.8, 8.0),
    ],
)
def test_window(limits: WindowLimits, speech_s: float, window_s: float) -> None:
    assert limits.window(round(speech_s * SAMPLE_RATE)) == window_s * SAMPLE_RATE


@given(st.floats(0.5, 30), st.floats(0.5, 30), st.floats(0, 5), st.integers(0, 30 * SAMPLE_RATE))
@example(0.5, 0.99999, 0.0, SAMPLE_RATE)
def test_window_holds_the_audio_and_is_one_of_the_sizes(
    low: float, high: float, margin: float, samples: int
) -> None:
    low, high = min(low, high), max(low, high)
    if margin >= high:
        return
    limits = WindowLimits(low, high, margin)
    samples = min(samples, limits.capacity)
    window = limits.window(samples)
    assert window % 320 == 0
    assert window <= high * SAMPLE_RATE
    assert window >= samples
    assert window in limits.sizes()


@pytest.mark.parametrize(
    ("low", "high", "margin"), [(0, 8, 0), (9, 8, 0), (1, 31, 0), (1, 8, 8), (1, 8, -1)]
)
def test_impossible_limits_are_refused(low: float, high: float, margin: float) -> None:
    with pytest.raises(ValueError, match=r"window|margin"):
        WindowLimits(low, high, margin)


def test_cut_range_is_the_later_half_of_what_fits() -> None:
    assert TINY.capacity == 7.8 * SAMPLE_RATE
    assert cut_range(TINY, 1000) == (1000 + TINY.capacity // 2, 1000 + TINY.capacity)


def noise(seconds: float, level: int = 3000) -> Int16:
    rng = np.random.default_rng(3)
    return rng.integers(-level, level, round(seconds * SAMPLE_RATE)).astype(np.int16)


def test_quietest_point_is_the_middle_of_the_pause() -> None:
    pcm = noise(3.0)
    pcm[20_000:24_000] //= 50
    assert abs(quietest_point(pcm) - 22_000) <= 700


def test_a_longer_pause_beats_a_short_closure() -> None:
    pcm = noise(3.0)
    pcm[8_000:8_640] = 0  # 40 ms, dead silent
    pcm[30_000:34_000] //= 10
    assert abs(quietest_point(pcm) - 32_000) <= 700


@given(st.integers(0, 6000))
def test_quietest_point_of_any_length_is_inside(length: int) -> None:
    assert 0 <= quietest_point(np.zeros(length, dtype=np.int16)) <= length


def test_frame_energy() -> None:
    pcm = np.concatenate([np.full(320, 16384), np.full(320, 0), np.full(100, 9)]).astype(np.int16)
    assert frame_energy(pcm).tolist() == [0.25, 0.0]


def test_first_pause_is_found_in_its_middle_and_needs_sound_behind_it() -> None:
    pcm = noise(3.0)
    pcm[16_000:22_400] //= 10  # 400 ms, 20 dB down
    found = first_pause(pcm, 0.25)
    assert found is not None
    assert abs(found - 19_200) <= 640
    assert first_pause(pcm, 0.5) is None
    assert first_pause(pcm[:22_400], 0.25) is None
    assert first_pause(pcm[:24_000], 0.25) == found  # what comes later does not matter


def test_a_lead_of_silence_or_a_click_is_no_pause() -> None:
    pcm = np.concatenate([np.zeros(16_000), noise(1.0)]).astype(np.int16)
    pcm[2_000:2_200] = 8_000
    assert first_pause(pcm, 0.25) is None
    assert first_pause(pcm[:100], 0.25) is None


def test_steady_noise_hides_a_pause() -> None:
    pcm = noise(3.0)
    pcm[16_000:22_400] //= 3  # 10 dB down
    assert first_pause(pcm, 0.25) is None
