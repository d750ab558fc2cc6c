"""The carrier's playout and what a caller heard: exact, in time that the test makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from voicepipe.audio.pcm import Int16
from voicepipe.lab.carriers.heard import Heard
from voicepipe.lab.carriers.playout import Playout

RATE = 8000
BEAT = 160  # samples in 20 ms


def close(spans: list[tuple[float, float]]) -> Any:
    return [pytest.approx(span) for span in spans]


def tone(ms: int, level: int = 1000) -> Int16:
    return np.full(ms * RATE // 1000, level, dtype=np.int16)


def test_audio_plays_from_the_next_beat_on_and_silence_follows() -> None:
    playout = Playout(RATE, 100.0)
    playout.advance(100.0)
    playout.play(tone(30))
    playout.advance(100.061)
    heard = playout.heard()
    assert heard.samples.size == 4 * BEAT
    assert np.flatnonzero(heard.samples).tolist() == list(range(BEAT, BEAT + 240))
    assert heard.spans() == close([(100.02, 100.05)])


def test_a_mark_is_reached_when_the_beat_before_it_is_over() -> None:
    playout = Playout(RATE, 0.0)
    playout.play(tone(40))
    playout.mark("a")
    playout.play(tone(20))
    playout.mark("b")
    assert playout.advance(0.0) == []
    assert playout.advance(0.039) == []
    assert playout.advance(0.041) == ["a"]
    assert playout.advance(0.059) == []
    assert playout.advance(0.061) == ["b"]


def test_a_mark_in_the_middle_of_a_beat_ends_it() -> None:
    playout = Playout(RATE, 0.0)
    playout.play(tone(30))
    playout.mark("a")
    playout.play(tone(20, 2000))
    assert playout.advance(0.041) == ["a"]
    assert np.flatnonzero(playout.heard().samples == 2000)[0] == 2 * BEAT


def test_a_mark_with_nothing_to_play_is_reached_at_once() -> None:
    playout = Playout(RATE, 0.0)
    playout.advance(0.001)
    playout.mark("a")
    assert playout.advance(0.002) == ["a"]
    playout.play(tone(20))
    playout.advance(0.021)  # it plays now
    playout.mark("b")
    assert playout.advance(0.030) == []
    assert playout.advance(0.041) == ["b"]


def test_late_ticks_make_up_for_what_was_due() -> None:
    playout = Playout(RATE, 0.0)
    playout.play(tone(40))
    playout.mark("a")
    playout.play(tone(20))
    assert playout.advance(0.5) == ["a"]
    assert playout.heard().samples.size == 26 * BEAT
    assert np.count_nonzero(playout.heard().samples) == 3 * BEAT


def test_a_part_of_what_was_heard() -> None:
    playout = Playout(RATE, 10.0)
    playout.play(tone(40))
    playout.advance(10.05)
    later = playout.heard(10.03)
    assert later.began_at == pytest.approx(10.02)
    assert later.spans() == close([(10.02, 10.04)])
    future = playout.heard(11.0)
    assert future.samples.size == 0
    assert future.until == pytest.approx(10.06)
    assert future.silent_from(11.0, for_ms=0) is None


def test_clear_drops_what_has_not_begun_and_hands_back_the_marks() -> None:
    playout = Playout(RATE, 0.0)
    playout.play(tone(100))
    playout.mark("a")
    playout.play(tone(100))
    playout.mark("b")
    playout.advance(0.03)
    assert playout.queued_ms == 160
    assert playout.clear() == ["a", "b"]
    assert playout.queued_ms == 0
    playout.advance(0.2)
    assert np.count_nonzero(playout.heard().samples) == 2 * BEAT
    assert playout.longest_ms == 200


def test_a_full_queue_loses_what_comes() -> None:
    playout = Playout(RATE, 0.0, max_queued_ms=100)
    assert playout.play(tone(60)) == 0
    assert playout.play(tone(60)) == 20
    assert playout.queued_ms == 100


def heard(*parts: tuple[int, int]) -> Heard:
    """(ms, level) after each other from second 10 on."""
    return Heard(np.concatenate([tone(ms, level) for ms, level in parts]), RATE, 10.0)


def test_spans_bridge_short_pauses() -> None:
    sound = heard((100, 0), (200, 500), (250, 60), (100, -500), (400, 0), (50, 500))
    assert sound.spans() == close([(10.1, 10.65), (11.05, 11.1)])
    assert len(sound.spans(gap_ms=200)) == 3
    assert heard((100, 0)).spans() == []
    assert sound.until == pytest.approx(11.1)
    assert sound.between(10.1, 10.3).size == 1600


def test_when_sound_begins_and_silence() -> None:
    sound = heard((100, 0), (200, 500), (600, 0), (100, 500), (600, 0))
    assert sound.sound_after(10.0) == pytest.approx(10.1)
    assert sound.sound_after(10.2) == pytest.approx(10.2)
    assert sound.sound_after(10.35) == pytest.approx(10.9)
    assert sound.sound_after(11.1) is None
    assert sound.silent_from(10.2) == pytest.approx(10.3)
    assert sound.silent_from(10.4) == pytest.approx(10.4)
    assert sound.silent_from(10.5) == pytest.approx(11.0)  # 400 ms are not enough
    assert sound.silent_from(10.2, for_ms=601) is None
