from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.conversation.heard import SpokenSpan, SpokenWord, heard_text, spoken_evenly

TEXT = "It is half past seven. Anything else?"


def test_nothing_played_nothing_heard() -> None:
    assert heard_text(TEXT, spoken_evenly(TEXT, 2000), 0) == ""


def test_even_speech_is_cut_after_a_word() -> None:
    assert heard_text("one two three four", spoken_evenly("one two three four", 1800), 900) == (
        "one two"
    )


def test_a_word_counts_from_its_middle() -> None:
    spans = (SpokenSpan(0, 7, 0, 1000, (SpokenWord(0, 100), SpokenWord(4, 500))),)
    # "one" runs from 100 ms to 400 ms (its three of four characters before "two" at 500).
    assert heard_text("one two", spans, 249) == ""
    assert heard_text("one two", spans, 250) == "one"
    assert heard_text("one two", spans, 749) == "one"
    assert heard_text("one two", spans, 750) == "one two"


def test_word_times_beat_even_spreading() -> None:
    late = (SpokenSpan(0, 7, 0, 1000, (SpokenWord(0, 0), SpokenWord(4, 900))),)
    assert heard_text("one two", late, 900) == "one"
    assert heard_text("one two", spoken_evenly("one two", 1000), 900) == "one two"


def test_text_never_spoken_is_not_heard() -> None:
    spans = (SpokenSpan(0, 22, 0, 1500),)
    assert heard_text(TEXT, spans, 60_000) == "It is half past seven."


def test_what_the_voice_skipped_stays_inside_the_heard_text() -> None:
    text = "Sure *** done"
    spans = (SpokenSpan(0, 4, 0, 300), SpokenSpan(9, 13, 300, 600))
    assert heard_text(text, spans, 200) == "Sure"
    assert heard_text(text, spans, 600) == "Sure *** done"


def test_word_across_two_clauses_needs_both() -> None:
    spans = (SpokenSpan(0, 3, 0, 300), SpokenSpan(3, 6, 300, 600))
    assert heard_text("abcdef", spans, 299) == ""
    assert heard_text("abcdef", spans, 300) == "abcdef"
    assert heard_text("abcdef", spans[:1], 600) == ""


def test_span_must_not_end_before_it_starts() -> None:
    with pytest.raises(ValueError, match="cannot end before it starts"):
        SpokenSpan(4, 2, 0, 10)


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, tuple[SpokenSpan, ...]]:
    """A reply in clauses that lie end to end in text and audio, some with word times."""
    words = draw(st.lists(st.text("abcé.,!😀", min_size=1, max_size=6), min_size=1, max_size=12))
    text = ""
    starts = []
    for word in words:
        starts.append(len(text))
        text += word + draw(st.sampled_from([" ", "  ", "\n"]))
    cuts = sorted(draw(st.sets(st.sampled_from(range(len(words))))) | {0})
    bounds = [starts[c] for c in cuts] + [len(text)]
    spans = []
    at_ms = 0.0
    for begin, end in pairwise(bounds):
        end_ms = at_ms + draw(st.floats(1, 3000))
        inside = [s for s in starts if begin <= s < end]
        times = sorted(draw(st.floats(at_ms, end_ms)) for _ in inside)
        known = tuple(SpokenWord(s, t) for s, t in zip(inside, times, strict=True))
        spans.append(SpokenSpan(begin, end, at_ms, end_ms, known if draw(st.booleans()) else ()))
        at_ms = end_ms
    return text, tuple(spans)


@settings(deadline=None)
@given(replies(), st.floats(0, 40_000), st.floats(0, 40_000))
def test_heard_is_a_growing_prefix_of_whole_words(
    reply: tuple[str, tuple[SpokenSpan, ...]], a_ms: float, b_ms: float
) -> None:
    text, spans = reply
    early, late = (heard_text(text, spans, ms) for ms in sorted((a_ms, b_ms)))
    assert text.startswith(late)
    assert late.startswith(early)
    assert text.split()[: len(early.split())] == early.split()


@settings(deadline=None)
@given(replies())
def test_all_is_heard_at_the_end(reply: tuple[str, tuple[SpokenSpan, ...]]) -> None:
    text, spans = reply
    assert heard_text(text, spans, spans[-1].audio_end_ms) == text


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("明天晚上七点见，再见。", "明天晚上七点"),
        ("เจอกันพรุ่งนี้ตอนเย็นครับ", "เจอกันพรุ่งนี้"),
        ("用iPhone打给我。", "用iPhone"),
    ],
)
def test_a_script_without_spaces_is_heard_character_by_character(text: str, heard: str) -> None:
    """Nothing of such a sentence was heard until half of it was played, and then all of it."""
    found = heard_text(text, spoken_evenly(text, 1000), 1000 * len(heard) / len(text))
    assert text.startswith(found)
    assert abs(len(found) - len(heard)) <= 1
    assert heard_text(text, spoken_evenly(text, 1000), 1000) == text
