from __future__ import annotations

import bz2
from pathlib import Path

import pytest

from voicepipe.asr.sphinx.library import load_library
from voicepipe.asr.sphinx.pronunciation import pronounce, read_dictionary
from voicepipe.asr.sphinx.texts import read_sentences, spoken, ways, with_phrases

KNOWN = {"take": ("T EY K",), "away": ("AH W EY",), "tea": ("T IY",), "the": ("DH AH", "DH IY")}


def test_a_phrase_may_leave_choices_open() -> None:
    assert list(ways("a [small|large|] tea")) == ["a small tea", "a large tea", "a  tea"]
    assert list(ways("plain")) == ["plain"]
    assert len(list(ways("[a|b]" * 20))) == 2000


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Call 911, please!", "call nine one one please"),
        ("don\u2019t", "don't"),
        ("  Caf\u00e9  ", "caf"),
        ("b. b. c.", "b. b. c."),
        ("Where is my parcel.", "where is my parcel"),
        ("Thanks. I'm in.", "thanks i'm in"),
        ("12.50 euros", "one two five zero euros"),
    ],
)
def test_text_becomes_what_a_dictionary_has(written: str, said: str) -> None:
    assert spoken(written) == said


def test_an_agents_phrases_count_beside_many_sentences() -> None:
    texts = with_phrases(["a tea"] * 10_000, ["open sesame", "close sesame"], "voicepipe, sesame")

    assert texts.count("open sesame") == texts.count("close sesame") == 1500
    assert texts.count("voicepipe") == 100
    assert with_phrases(["a tea"], (), None) == ["a tea"]


def test_phrases_that_leave_nothing_to_say_take_no_share() -> None:
    unsaid = "\u043f\u0440\u0438\u0432\u0435\u0442"
    texts = with_phrases([], ["open sesame", unsaid], f"voicepipe {unsaid}")

    assert sorted(set(texts)) == ["open sesame", "voicepipe"]
    assert texts.count("open sesame") == 300
    assert texts.count("voicepipe") == 20


def test_sentences_are_read_plain_and_packed(tmp_path: Path) -> None:
    text = "# ours\na tea\n\ntwo teas\n"
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "a.txt.bz2").write_bytes(bz2.compress(text.encode()))

    for name in ("a.txt", "a.txt.bz2"):
        assert read_sentences(tmp_path / name) == ["a tea", "two teas"]


@pytest.mark.parametrize(
    ("word", "phones"),
    [
        ("the", ("DH AH", "DH IY")),
        ("teas", ("T IY Z",)),
        ("takeaway", ("T EY K AH W EY",)),
        ("chickpo", ("CH IH K P OW",)),
        ("zashes", ("Z AE SH IH Z",)),
        ("42", ()),
        ("x" * 41, ()),
    ],
)
def test_any_word_can_be_said(word: str, phones: tuple[str, ...]) -> None:
    assert pronounce(word, KNOWN) == phones


def test_rules_and_dictionary_agree_more_often_than_not() -> None:
    """Consonants of 2,000 words in a row, as the rules read them and as the dictionary has them."""
    known = read_dictionary(load_library().dictionary)
    words = [word for word in known if word.isalpha() and 4 <= len(word) <= 8][::30][:2000]
    right = 0
    for word in words:
        read = [p for p in pronounce(word, {})[0].split() if p[0] not in "AEIOU"]
        right += any([p for p in way.split() if p[0] not in "AEIOU"] == read for way in known[word])

    assert right / len(words) > 0.5, right / len(words)
