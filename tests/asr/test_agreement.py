"""LocalAgreement-2."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.asr.agreement import LocalAgreement, common_prefix, fold, matched_length

WORDS = st.lists(st.sampled_from("a b c d e".split()), max_size=8)
STEPS = st.lists(st.tuples(st.sampled_from(["update", "close"]), WORDS), max_size=12)


def shown(agreement: LocalAgreement) -> tuple[str, str]:
    return " ".join(agreement.stable), " ".join(agreement.tentative)


def test_two_decodes_make_a_word_stable() -> None:
    agreement = LocalAgreement()
    agreement.update("turn on".split())
    assert shown(agreement) == ("", "turn on")
    agreement.update("turn on the lie".split())
    assert shown(agreement) == ("turn on", "the lie")
    agreement.update("turn on the light".split())
    assert shown(agreement) == ("turn on the", "light")


def test_case_and_punctuation_do_not_matter_and_the_newer_spelling_is_kept() -> None:
    agreement = LocalAgreement()
    agreement.update(["hello,", "paris"])
    agreement.update(["Hello", "Paris!", "how"])
    assert shown(agreement)[0] == "Hello Paris!"
    assert fold("Don't!") == "dont"
    assert fold("--") == "--"


def test_a_stable_word_stays_when_later_decodes_revise_it() -> None:
    agreement = LocalAgreement()
    for text in ("set a", "set a timer", "sat a timer for", "set the timer for ten"):
        agreement.update(text.split())
    assert shown(agreement)[0] == "set a timer for"
    assert shown(agreement)[1] == "ten"


def test_a_word_split_before_the_stable_end_neither_doubles_nor_swallows() -> None:
    agreement = LocalAgreement()
    for text in ("good night", "good night lamp", "good night lamp off"):
        agreement.update(text.split())
    assert shown(agreement)[0] == "good night lamp"
    agreement.update("good nigh it lamp off please".split())  # one word more than before
    assert shown(agreement)[0] == "good night lamp off"
    agreement.update("goodnight lamp off please now".split())  # one less
    assert shown(agreement)[0] == "good night lamp off please"
    assert shown(agreement)[1] == "now"


def test_the_last_word_waits_while_the_audio_may_stop_inside_it() -> None:
    agreement = LocalAgreement()
    for text in ("set a tie", "set a tie", "set a timer"):
        agreement.update(text.split(), ended=False)
    assert shown(agreement) == ("set a", "timer")
    agreement.update("set a timer".split(), ended=True)
    assert shown(agreement)[0] == "set a timer"


def test_closing_makes_the_piece_stable() -> None:
    agreement = LocalAgreement()
    agreement.update("one two".split())
    agreement.close("one two three".split())
    assert shown(agreement) == ("one two three", "")
    agreement.update("four".split())
    agreement.update("four five".split())
    assert shown(agreement)[0] == "one two three four"


def test_stable_words_behind_the_cut_open_the_next_piece() -> None:
    agreement = LocalAgreement()
    agreement.update("one two three four".split())
    agreement.update("one two three four five".split())
    agreement.close("one two".split())  # the audio was cut after "two"
    assert shown(agreement)[0] == "one two three four"
    agreement.update("three four five".split())
    assert shown(agreement)[1] == "five"
    agreement.update("three four five six".split())
    assert shown(agreement)[0] == "one two three four five"


@given(STEPS)
def test_stable_is_always_a_prefix_of_later_stable(steps: list[tuple[str, list[str]]]) -> None:
    agreement = LocalAgreement()
    before: tuple[str, ...] = ()
    for step, words in steps:
        getattr(agreement, step)(words)
        assert agreement.stable[: len(before)] == before
        before = agreement.stable


@given(st.lists(st.sampled_from("a b c d e f g".split()), min_size=1, max_size=10))
def test_growing_text_is_shown_whole(words: list[str]) -> None:
    agreement = LocalAgreement()
    for count in range(1, len(words) + 1):
        agreement.update(words[:count])
        assert [*agreement.stable, *agreement.tentative] == words[:count]
    agreement.close(words)
    assert list(agreement.stable) == words


@pytest.mark.parametrize(
    ("reference", "words", "length"),
    [
        ("", "a b", 0),
        ("a b", "a b c", 2),
        ("a b", "", 0),
        ("a b c", "a c d", 2),
        ("a c", "a b c d", 3),
        ("a b", "x y z", 2),
    ],
)
def test_matched_length(reference: str, words: str, length: int) -> None:
    assert matched_length(reference.split(), words.split()) == length


@given(WORDS, WORDS)
def test_matched_length_finds_an_exact_prefix(reference: list[str], rest: list[str]) -> None:
    assert matched_length(reference, reference + rest) == len(reference)


def test_words_that_are_all_as_they_were_take_next_to_no_time() -> None:
    """Asked of every partial transcript, on the event loop: two minutes may have 600 characters."""
    words = [str(n % 97) for n in range(4000)]
    began = time.perf_counter()
    assert matched_length(words, [*words, "more"]) == len(words)
    assert time.perf_counter() - began < 0.5


def test_common_prefix() -> None:
    assert common_prefix(["A", "b."], ["a", "B", "c"]) == 2
    assert common_prefix(["a"], ["b"]) == 0
    assert common_prefix([], ["b"]) == 0


def test_words_that_differ_in_a_vowel_sign_do_not_agree() -> None:
    assert common_prefix(["उसका", "घर"], ["उसकी", "घर"]) == 0
    assert common_prefix(["घर,"], ["घर"]) == 1
