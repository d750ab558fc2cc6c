"""One rule for what makes two texts the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.runtime.text import normalize_text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What time is it?", "what time is it"),
        ("  what  time,\nis it ", "what time is it"),
        ("Twenty-five, please: at 7.30!", "twenty five please at 7 30"),
        ("snake_case", "snake case"),
        ("", ""),
        ("?!", ""),
        ("CAFÉ", "café"),
        ("cafe\u0301", "café"),
        ("Straße", "strasse"),
        ("你好。", "你好"),
        ("उसकी किताब।", "उसकी किताब"),
        ("ไม่ใช่ครับ", "ไม่ใช่ครับ"),
        ("نَعَم، شُكرًا", "نعم شكرا"),
    ],
)
def test_case_punctuation_and_spacing_are_taken_out(text: str, words: str) -> None:
    assert normalize_text(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's five", "it's five"),
        ("It’s five", "it's five"),
        ("Its five", "its five"),
        ("Seven o'clock", "seven o'clock"),
        ("I shouldn't've", "i shouldn't've"),
        ("'What time is it?'", "what time is it"),
        ("He said: 'it's late'.", "he said it's late"),
        ("the users' rooms", "the users rooms"),
        ("rock 'n' roll", "rock n roll"),
        ("'", ""),
    ],
)
def test_apostrophe_belongs_to_a_word_only_within_it(text: str, words: str) -> None:
    assert normalize_text(text) == words


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert normalize_text(normalize_text(text)) == normalize_text(text)


@given(st.text("abAB'’ .,-", max_size=20))
def test_punctuation_around_a_text_does_not_matter(text: str) -> None:
    assert normalize_text(f"“{text}!”") == normalize_text(text)


@pytest.mark.parametrize(("one", "other"), [("उसका", "उसकी"), ("ข้าว", "ขาว"), ("কলা", "কালা")])
def test_words_that_differ_in_a_vowel_sign_are_two(one: str, other: str) -> None:
    """A reply prepared for the one was taken for an answer to the other."""
    assert normalize_text(one) != normalize_text(other)
