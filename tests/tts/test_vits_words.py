from __future__ import annotations

from collections.abc import Sequence

import pytest

from voicepipe.tts.engines.vits.words import id_indices, place_words


def phonemes(*sentences: str) -> list[list[str]]:
    return [list(sentence) for sentence in sentences]


def placed(text: str, sentences: Sequence[str], alone: dict[str, str] | None = None) -> list[str]:
    """`word@phonemes from there` for each word, sentence by sentence."""

    def phonemize(word: str) -> list[list[str]]:
        assert alone is not None, "asked for single words though the counts match"
        return phonemes(alone[word])

    found = place_words(text, phonemes(*sentences), phonemize)
    assert len(found) == len(sentences)
    return [
        f"{text[offset:].split(maxsplit=1)[0]}@{sentences[number][index:].split()[0]}"
        for number, words in enumerate(found)
        for offset, index in words
    ]


def test_one_group_for_each_word() -> None:
    assert placed("Well, it is. Now?", ["wˈɛl, ɪt ˈɪz.", "nˈaʊ?"]) == [
        "Well,@wˈɛl,", "it@ɪt", "is.@ˈɪz.", "Now?@nˈaʊ?",
    ]  # fmt: skip


def test_signs_that_nobody_says_are_no_words() -> None:
    assert placed("one - two", ["wˈʌn - tˈuː"]) == ["one@wˈʌn", "two@tˈuː"]


def test_a_number_may_be_several_groups() -> None:
    alone = {"about": "ɐbˈaʊt", "21": "twˈɛnti wˈʌn", "men": "mˈɛn"}
    assert placed("about 21 men", ["ɐbˈaʊt twˈɛnti wˈʌn mˈɛn"], alone) == [
        "about@ɐbˈaʊt", "21@twˈɛnti", "men@mˈɛn",
    ]  # fmt: skip


def test_words_that_run_together_share_a_group() -> None:
    alone = {"end": "ˈɛnd", "of": "ˈʌv", "the": "ðə", "line": "lˈaɪn"}
    assert placed("end of the line", ["ˈɛnd ʌvðə lˈaɪn"], alone) == [
        "end@ˈɛnd", "of@ʌvðə", "the@ʌvðə", "line@lˈaɪn",
    ]  # fmt: skip


def test_silence_has_no_words() -> None:
    assert placed("hm", [""]) == []
    assert placed("hm", ["..."]) == []
    assert place_words("hm", [], lambda word: []) == []


@pytest.mark.parametrize(("count", "expected"), [(10, [2, 4, 6, 6]), (9, None)])
def test_ids_as_piper_lays_them(count: int, expected: list[int] | None) -> None:
    id_map = {"_": [0], "^": [1], "$": [2], "a": [3], "b": [4]}
    # ^ _ a _ b _ (x is unknown) a _ $ ... with a second "a" behind the unknown one
    assert id_indices(["a", "b", "x", "a"], id_map, count - 1) == (
        [2, 4, 6, 6] if expected else None
    )
