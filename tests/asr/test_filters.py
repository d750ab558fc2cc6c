"""Silence, noise and loop filters, token cap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.asr.filters import FilterLimits, Loop, find_loop, is_noise, token_cap, without_loops


def kept(text: str) -> tuple[str, bool]:
    words = text.split()
    indices, mostly = without_loops(words)
    return " ".join(words[i] for i in indices), mostly


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no no no no",
        "five five five five five five five",
        "bye bye bye bye",
        "one two one two one two",
        "turn on the light turn on the light",
    ],
)
def test_what_people_say_is_no_loop(text: str) -> None:
    assert find_loop(text.split()) is None
    assert kept(text) == (text, False)


def test_loops_are_found() -> None:
    assert find_loop(["so", *["the"] * 9]) == Loop(1, 1, 9)
    assert find_loop("thank you, Thank you! thank you thank you".split()) == Loop(0, 2, 4)
    assert find_loop("a the red car the red car the red car".split()) == Loop(1, 3, 3)


def test_a_loop_at_the_end_keeps_what_was_said_and_one_round() -> None:
    said = "what is the weather like in paris tomorrow and the day after"
    assert kept(f"{said} in the in the in the in the in") == (f"{said} in the", False)


def test_a_text_that_is_mostly_loop_is_not_trusted() -> None:
    assert kept("ok " + "thanks for watching " * 6) == ("ok thanks for watching", True)


@given(st.lists(st.sampled_from("a b c".split()), max_size=24))
def test_what_is_kept_is_in_order_and_has_no_loop_before(words: list[str]) -> None:
    indices, mostly = without_loops(words)
    assert indices == sorted(set(indices))
    assert all(0 <= index < len(words) for index in indices)
    assert mostly is False or find_loop(words) is not None
    assert (len(indices) == len(words)) == (find_loop(words) is None)


def test_stock_rule_needs_both_doubts() -> None:
    limits = FilterLimits()
    assert is_noise(-1.2, 0.7, limits)
    assert not is_noise(-0.4, 0.9, limits)
    assert not is_noise(-1.2, 0.1, limits)


def test_tuned_thresholds_hold_each_on_its_own() -> None:
    limits = FilterLimits(no_speech=0.4, log_prob=-0.8, either=True)
    assert is_noise(-0.9, 0.0, limits)
    assert is_noise(-0.1, 0.5, limits)
    assert not is_noise(-0.7, 0.3, limits)


def test_silence_level() -> None:
    assert FilterLimits(silence_dbfs=-60).silence_energy == pytest.approx(1e-6)


def test_token_cap_grows_with_the_audio_and_stops_at_the_model() -> None:
    assert token_cap(0.0, 8.0) == 8
    assert token_cap(5.0, 8.0) == 48
    assert token_cap(29.0, 8.0) == 224
    assert token_cap(5.0, 8.0, most=20) == 20
