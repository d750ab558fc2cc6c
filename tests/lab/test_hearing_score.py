"""Words are compared as they are heard, not as they are written down."""

from __future__ import annotations

import pytest

from voicepipe.lab.hearing_score import normal, word_errors


@pytest.mark.parametrize(
    "said", ["he said 'yes'", "he said \u2018yes\u2019", 'He said "yes".', "he said ' yes"]
)
def test_quotation_marks_are_no_part_of_a_word(said: str) -> None:
    assert word_errors(["he", "said", "yes"], normal(said)) == 0


def test_an_apostrophe_within_a_word_is_one() -> None:
    assert normal("It\u2019s o'clock") == ["it's", "o'clock"]
