"""G.711 against a slow reference written from the Recommendation's decision and output values."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import accumulate, pairwise

import numpy as np
import pytest

from voicepipe.audio import g711

EVERY_SAMPLE = np.arange(-32768, 32768).astype(np.int16)
EVERY_CODE = bytes(range(256))


@cache
def decision_values(law: str) -> list[int]:
    """Upper ends of the 128 intervals' lower neighbours, on the 16-bit scale (Tables 1a, 2a)."""
    if law == "pcmu":  # 14 bits: one step of 1, 15 of 2, then 16 each of 4, 8 ... 256
        steps = [1] + [2] * 15 + [4 << s for s in range(7) for _ in range(16)]
        scale = 4
    else:  # 13 bits: 32 steps of 2 (of 4096), then 16 each of 4 ... 128
        steps = [2] * 32 + [4 << s for s in range(6) for _ in range(16)]
        scale = 8
    assert len(steps) == 128
    return [scale * x for x in accumulate(steps, initial=0)]


def output_values(law: str) -> list[int]:
    """The middle of each interval; mu-law's first reconstructs to zero."""
    values = decision_values(law)
    middles = [(a + b) // 2 for a, b in pairwise(values)]
    return [0, *middles[1:]] if law == "pcmu" else middles


def slow_decode(code: int, law: str) -> int:
    if law == "pcmu":  # all bits inverted; first bit: 1 = positive
        magnitude = output_values(law)[~code & 0x7F]
    else:  # even bits inverted
        magnitude = output_values(law)[(code ^ 0x55) & 0x7F]
    return magnitude if code & 0x80 else -magnitude


def slow_encode(sample: int, law: str) -> int:
    positive = sample >= 0
    # mu-law is symmetric; A-law has no zero of its own: -1 mirrors 0 (one's complement).
    magnitude = sample if positive else -sample - (law == "pcma")
    interval = min(bisect_right(decision_values(law), magnitude) - 1, 127)
    if law == "pcmu":
        return (0xFF if positive else 0x7F) - interval
    return (interval | (0x80 if positive else 0)) ^ 0x55


LAWS = pytest.mark.parametrize("law", ["pcmu", "pcma"])


@LAWS
def test_decodes_all_256_codes(law: str) -> None:
    assert g711.decode(EVERY_CODE, law).tolist() == [slow_decode(c, law) for c in EVERY_CODE]


@LAWS
def test_encodes_all_65536_samples(law: str) -> None:
    expected = bytes(slow_encode(int(x), law) for x in EVERY_SAMPLE)
    assert g711.encode(EVERY_SAMPLE, law) == expected


@LAWS
def test_second_round_trip_changes_nothing(law: str) -> None:
    once = g711.decode(g711.encode(EVERY_SAMPLE, law), law)
    twice = g711.decode(g711.encode(once, law), law)
    assert np.array_equal(once, twice)


@LAWS
def test_every_code_survives_decoding_but_negative_zero(law: str) -> None:
    again = g711.encode(g711.decode(EVERY_CODE, law), law)
    changed = [c for c in range(256) if again[c] != c]
    assert changed == ([0x7F] if law == "pcmu" else [])


@LAWS
def test_error_is_within_half_a_step_of_the_segment(law: str) -> None:
    decoded = g711.decode(g711.encode(EVERY_SAMPLE, law), law).astype(int)
    error = np.abs(decoded - EVERY_SAMPLE.astype(int))
    loudness = np.abs(EVERY_SAMPLE.astype(int))
    inside = loudness < 32_000  # beyond lies clipping
    assert np.all(error[inside] <= 8 + loudness[inside] / 32)


@pytest.mark.parametrize(("law", "code"), [("pcmu", 0xFF), ("pcma", 0xD5)])
def test_silence_is_the_code_the_telephone_network_calls_silence(law: str, code: int) -> None:
    assert g711.encode(np.zeros(3, dtype=np.int16), law) == bytes([code] * 3)


def test_samples_that_are_no_contiguous_array_are_taken_too() -> None:
    every_other = EVERY_SAMPLE[::2]
    assert g711.encode(every_other, "pcmu") == g711.encode(every_other.copy(), "pcmu")


def test_unknown_law_is_named() -> None:
    with pytest.raises(ValueError, match=r"unknown G\.711 law 'opus'"):
        g711.decode(b"", "opus")
