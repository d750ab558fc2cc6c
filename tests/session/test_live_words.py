"""What a client reads while the user speaks: only ever added to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from voicepipe.asr.contract import Hypothesis
from voicepipe.session.live_words import LiveWords


def heard(stable: str, tentative: str = "", space: str = " ") -> Hypothesis:
    return Hypothesis(stable, tentative, 1.0, space)


def told(live: LiveWords, *hypotheses: Hypothesis) -> list[str]:
    news = []
    for hypothesis in hypotheses:
        live.hear(hypothesis)
        news.append(live.news())
    return news


def test_stable_words_are_told_once_and_the_final_text_adds_the_rest() -> None:
    live = LiveWords()

    assert told(live, heard("", "what"), heard("what", "thyme"), heard("what time", "is")) == [
        "",
        "what",
        " time",
    ]
    assert live.end("what time is it") == " is it"


def test_words_that_no_recognizer_calls_stable_are_told_when_two_guesses_agree() -> None:
    live = LiveWords()

    news = told(live, heard("", "turn a"), heard("", "turn on the"), heard("", "turn on the light"))
    assert news == ["", "turn", " on the"]
    assert live.end("turn on the lights") == " lights"


def test_a_final_text_of_other_words_doubles_none() -> None:
    live = LiveWords()
    told(live, heard("I scream"))

    assert live.end("Ice cream, please") == " please"


def test_where_the_final_text_begins_with_what_was_told_the_pieces_join_to_it() -> None:
    live = LiveWords()
    told(live, heard("Hello"))

    assert live.end("Hello, who is there?") == ", who is there?"


def test_capitals_and_punctuation_make_no_other_word() -> None:
    live = LiveWords()
    told(live, heard("hello who"))

    assert live.end("Hello, who is there?") == " is there?"


def test_where_no_spaces_stand_between_words_none_are_put() -> None:
    live = LiveWords()

    assert told(live, heard("今日", "は", ""), heard("今日は", "良", "")) == ["今日", "は"]
    assert live.end("今日は良い天気") == "良い天気"


def test_what_was_told_and_then_refused_is_not_told_again() -> None:
    live = LiveWords()
    told(live, heard("hm"))

    assert live.end("") == ""


WORDS = st.lists(st.sampled_from(["one", "two", "Two,", "three", "four"]), max_size=6)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=5), WORDS)
def test_told_pieces_join_to_what_was_told(
    hypotheses: list[tuple[list[str], list[str]]], final: list[str]
) -> None:
    live = LiveWords()
    pieces = told(live, *(heard(" ".join(a), " ".join(b)) for a, b in hypotheses))

    assert "".join(pieces) == live.told
    rest = live.end(" ".join(final))
    assert "".join(pieces) + rest == live.told
