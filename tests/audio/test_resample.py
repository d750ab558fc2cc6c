"""The resampler's promises: flat pass band, quiet stop band, 2 ms, the same however it is cut."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.audio.pcm import Int16
from voicepipe.audio.resample import DELAY_MS, Resampler, resample

RATES = (8_000, 16_000, 22_050, 24_000, 48_000)
PAIRS = [(a, b) for a in RATES for b in RATES if a != b]
EACH_PAIR = pytest.mark.parametrize(("in_rate", "out_rate"), PAIRS)
AMPLITUDE = 12_000.0


def tone(hz: float, rate: int, seconds: float = 0.25) -> Int16:
    at = np.arange(round(rate * seconds)) / rate
    return np.rint(AMPLITUDE * np.sin(2 * np.pi * hz * at)).astype(np.int16)


def level(samples: Int16, hz: float, rate: int) -> float:
    """Amplitude of the `hz` part, by projection on sine and cosine; the edges are left out."""
    middle = samples[round(0.01 * rate) : -round(0.01 * rate)].astype(np.float64)
    at = 2 * np.pi * hz * np.arange(middle.size) / rate
    basis = np.stack((np.sin(at), np.cos(at)), axis=1)
    fit, *_ = np.linalg.lstsq(basis, middle, rcond=None)
    return float(np.hypot(*fit))


def db(ratio: float) -> float:
    return 20 * float(np.log10(max(ratio, 1e-12)))


@EACH_PAIR
def test_speech_band_passes_within_a_tenth_of_a_db(in_rate: int, out_rate: int) -> None:
    for hz in (300, 440, 1000, 2000, 3000):
        out = Resampler(in_rate, out_rate).process(tone(hz, in_rate))
        assert abs(db(level(out, hz, out_rate) / AMPLITUDE)) < 0.1, hz


@pytest.mark.parametrize(("in_rate", "out_rate"), [p for p in PAIRS if p[0] > p[1]])
def test_what_would_fold_back_is_50_db_down(in_rate: int, out_rate: int) -> None:
    for share in (1.0, 1.05, 1.3, 1.9):
        hz = share * out_rate / 2 + 10
        if hz < in_rate / 2:
            out = Resampler(in_rate, out_rate).process(tone(hz, in_rate)).astype(np.float64)
            middle = out[round(0.01 * out_rate) :]
            assert db(float(np.sqrt(2) * middle.std()) / AMPLITUDE) < -50, hz


@pytest.mark.parametrize(("in_rate", "out_rate"), [p for p in PAIRS if p[0] < p[1]])
def test_images_above_the_old_nyquist_are_50_db_down(in_rate: int, out_rate: int) -> None:
    hz = in_rate / 2 - 1000
    out = Resampler(in_rate, out_rate).process(tone(hz, in_rate))
    image = in_rate - hz
    if image < out_rate / 2:
        assert db(level(out, image, out_rate) / AMPLITUDE) < -50


@EACH_PAIR
def test_delay_is_2_ms(in_rate: int, out_rate: int) -> None:
    """Measured by the phase of a tone, to a fraction of a sample."""
    hz = 500.0
    out = Resampler(in_rate, out_rate).process(tone(hz, in_rate)).astype(np.float64)
    skip = round(0.01 * out_rate)
    at_s = np.arange(skip, out.size) / out_rate
    phase = np.angle(np.sum(out[skip:] * np.exp(-2j * np.pi * hz * at_s)) * 1j)
    delay_ms = (-phase / (2 * np.pi * hz)) % (1 / hz) * 1000
    if delay_ms < 1:
        delay_ms += 1000 / hz  # one period of the tone is 2 ms
    assert delay_ms == pytest.approx(DELAY_MS, abs=0.1)


@EACH_PAIR
def test_impulse_comes_out_around_2_ms_and_is_over_by_4(in_rate: int, out_rate: int) -> None:
    impulse = np.zeros(in_rate // 50, dtype=np.int16)
    impulse[0] = 30_000
    out = np.abs(Resampler(in_rate, out_rate).process(impulse).astype(int))
    peak_ms = int(out.argmax()) * 1000 / out_rate
    assert abs(peak_ms - DELAY_MS) <= max(0.1, 500 / out_rate)
    assert out[round(0.0042 * out_rate) :].max() == 0


@EACH_PAIR
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_output_is_the_same_however_the_input_is_cut(
    in_rate: int, out_rate: int, data: st.DataObject
) -> None:
    samples = np.random.default_rng(7).integers(-20_000, 20_000, 2000).astype(np.int16)
    whole = Resampler(in_rate, out_rate).process(samples)
    cuts = sorted(data.draw(st.lists(st.integers(0, samples.size), max_size=30)))
    resampler = Resampler(in_rate, out_rate)
    pieces = [resampler.process(piece) for piece in np.split(samples, cuts)]
    assert np.array_equal(np.concatenate(pieces), whole)


@EACH_PAIR
def test_single_samples_give_the_same_as_one_piece(in_rate: int, out_rate: int) -> None:
    samples = tone(700, in_rate, 0.02)
    resampler = Resampler(in_rate, out_rate)
    pieces = [resampler.process(samples[n : n + 1]) for n in range(samples.size)]
    assert np.array_equal(np.concatenate(pieces), Resampler(in_rate, out_rate).process(samples))


@EACH_PAIR
@settings(max_examples=25, deadline=None)
@given(size=st.integers(0, 3000))
def test_whole_recording_keeps_its_length_and_its_place(
    in_rate: int, out_rate: int, size: int
) -> None:
    out = resample(np.full(size, 5000, dtype=np.int16), in_rate, out_rate)
    assert out.size == round(size * out_rate / in_rate)


@EACH_PAIR
def test_whole_recording_is_not_delayed(in_rate: int, out_rate: int) -> None:
    out = resample(tone(400, in_rate), in_rate, out_rate).astype(int)
    ideal = tone(400, out_rate)[: out.size].astype(int)
    middle = slice(out_rate // 100, -out_rate // 100)
    assert np.abs(out - ideal)[middle].max() < 0.03 * AMPLITUDE


@EACH_PAIR
def test_flush_gives_the_tail_and_starts_anew(in_rate: int, out_rate: int) -> None:
    samples, resampler = tone(700, in_rate, 0.05), Resampler(in_rate, out_rate)
    first = np.concatenate((resampler.process(samples), resampler.flush()))
    second = np.concatenate((resampler.process(samples), resampler.flush()))
    assert np.array_equal(first, second)
    expected = (samples.size / in_rate + DELAY_MS / 1000) * out_rate
    assert abs(first.size - expected) <= 2


def test_loud_input_is_clipped_not_wrapped() -> None:
    square = np.tile(np.repeat(np.array([32767, -32768], dtype=np.int16), 40), 20)
    out = Resampler(16_000, 48_000).process(square).astype(int)
    settled = out[400:]
    assert settled.max() == 32767
    assert settled.min() == -32768
    assert np.abs(np.diff(settled)).max() < 40_000, "a wrap would jump by 65536"


def test_equal_rates_pass_everything_untouched() -> None:
    samples, resampler = tone(440, 16_000), Resampler(16_000, 16_000)
    assert np.array_equal(resampler.process(samples), samples)
    assert resampler.flush().size == 0
    assert np.array_equal(resample(samples, 16_000, 16_000), samples)


@pytest.mark.parametrize("rates", [(0, 16_000), (16_000, -1)])
def test_impossible_rates_are_named(rates: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"got {rates[0]} and {rates[1]}"):
        Resampler(*rates)


def test_no_other_thread_works_for_it() -> None:
    """Those of BLAS spin, and on a busy machine wait for each other. In a process of its own,
    after the time for which they spin at its start."""
    result = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=280, check=True
    )
    assert float(result.stdout) < 5, "ms of other threads"


ALONE = """
import os, time, numpy as np
from voicepipe.audio.resample import Resampler

def others_ms():
    others = [t for t in os.listdir("/proc/self/task") if int(t) != os.getpid()]
    times = [open(f"/proc/self/task/{t}/schedstat").read().split()[0] for t in others]
    return sum(map(int, times)) / 1e6

resampler = Resampler(22_050, 24_000)
sound = np.full(44_100, 5000, dtype=np.int16)
resampler.process(sound)
time.sleep(0.3)
before = others_ms()
for _ in range(30):
    resampler.process(sound)
print(others_ms() - before)
"""


@pytest.mark.parametrize(("in_rate", "out_rate"), [(11_127, 16_000), (16_000, 11_127)])
def test_rates_that_hardly_divide_take_little_memory(in_rate: int, out_rate: int) -> None:
    sound = tone(1000, in_rate)
    tracemalloc.start()
    try:
        out = resample(sound, in_rate, out_rate)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100e6
    assert abs(db(level(out, 1000, out_rate) / AMPLITUDE)) < 0.1
    resampler = Resampler(in_rate, out_rate)
    pieces = [resampler.process(sound[n : n + 77]) for n in range(0, sound.size, 77)]
    assert np.array_equal(np.concatenate(pieces), Resampler(in_rate, out_rate).process(sound))
