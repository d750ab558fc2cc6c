"""A person or a machine, by how long they speak: decided in time, whatever comes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.telephony.harness import tone
from tests.session.harness import LoudnessDetector
from voicepipe.audio.formats import PCM_16K
from voicepipe.runtime.clock import ManualClock
from voicepipe.server.telephony.answering_machine import (
    DECIDE_MS,
    OVER_MS,
    Heard,
    Verdict,
    greeting_is_over,
    hear,
    verdict,
)
from voicepipe.server.telephony.screening import Screening

FRAME_MS = 20


def decided(*stretches: tuple[int, bool]) -> tuple[Verdict | None, float]:
    """The verdict on stretches of ms, and when it came."""
    heard = Heard()
    for ms, speech in stretches:
        for _ in range(ms // FRAME_MS):
            heard = hear(heard, FRAME_MS, speech=speech)
            found = verdict(heard)
            if found is not None:
                return found, heard.at_ms
    return None, heard.at_ms


SPEECH, PAUSE = True, False


@pytest.mark.parametrize(
    ("stretches", "who"),
    [
        ([(300, PAUSE), (400, SPEECH), (2000, PAUSE)], "person"),  # "Hello?"
        ([(900, PAUSE), (1200, SPEECH), (2000, PAUSE)], "person"),  # "Miller, good morning"
        ([(200, PAUSE), (300, SPEECH), (200, PAUSE), (500, SPEECH), (2000, PAUSE)], "person"),
        ([(3000, PAUSE)], "person"),  # who says nothing is greeted
        ([(2000, PAUSE), (1000, SPEECH)], "person"),  # late: one hello has begun
        ([(500, PAUSE), (3000, SPEECH)], "machine"),
        ([(3000, SPEECH)], "machine"),
        ([(200, PAUSE), (1600, SPEECH), (2000, PAUSE)], "machine"),  # a sentence, then a breath
        ([(400, PAUSE), (900, SPEECH), (300, PAUSE), (1000, SPEECH)], "machine"),
    ],
)
def test_who_has_picked_up(stretches: list[tuple[int, bool]], who: Verdict) -> None:
    assert decided(*stretches)[0] == who


def test_hello_is_answered_half_a_second_after_it() -> None:
    assert decided((300, PAUSE), (400, SPEECH), (2000, PAUSE)) == ("person", 1200)


@given(st.lists(st.tuples(st.integers(1, 60), st.booleans()), max_size=40))
def test_it_decides_within_two_and_a_half_seconds(frames: list[tuple[int, bool]]) -> None:
    stretches = [(count * FRAME_MS, speech) for count, speech in frames]
    who, at_ms = decided(*stretches, (4000, PAUSE))
    assert who is not None
    assert at_ms <= DECIDE_MS


def screening(clock: ManualClock) -> Screening:
    return Screening(PCM_16K, LoudnessDetector(), 0.5, clock)


@pytest.mark.parametrize("heard_ms", [0, 400, 2000])
def test_where_frames_stay_away_the_clock_decides_in_time_too(heard_ms: int) -> None:
    """By what has come: nothing, a hello, or a sentence that was cut off."""
    clock = ManualClock()
    one = screening(clock)
    if heard_ms == 400:
        one.hear(tone(400).tobytes())
    if heard_ms == 2000:
        one.hear(tone(1500).tobytes())
    clock.advance(2.4)
    assert one.verdict is None
    assert one.left_s == pytest.approx(0.1)
    clock.advance(0.1)
    assert one.verdict == ("machine" if heard_ms == 2000 else "person")
    assert one.left_s == math.inf


def test_machine_listens_when_it_has_been_silent() -> None:
    heard = hear(Heard(3000, 2500, 0), OVER_MS - FRAME_MS, speech=False)
    assert not greeting_is_over(heard)
    assert greeting_is_over(hear(heard, FRAME_MS, speech=False))
    assert not greeting_is_over(hear(heard, FRAME_MS, speech=True))
