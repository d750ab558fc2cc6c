"""Is a turn over? Golden cases: `golden/CODE.txt` has 50 sentences of a caller, written from the
grammar of the language and before its table was tuned. Up to the bar each is unfinished; the whole
is finished. What the tables scored before they were tuned stands in docs/languages.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from voicepipe.languages.finished import finished
from voicepipe.languages.known import LANGUAGES, UNKNOWN, language_of
from voicepipe.languages.language import Language, Verdict

GOLDEN = Path(__file__).parent / "golden"
COMPLETE, UNSURE, INCOMPLETE = Verdict.COMPLETE, Verdict.UNKNOWN, Verdict.INCOMPLETE

every_language = pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.name)


def golden(language: Language) -> Iterator[tuple[str, bool]]:
    """(text, finished): as a recognizer writes it, without punctuation."""
    lines = (GOLDEN / f"{language.code}.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        begun, rest = line.split(" | ")
        yield begun, False
        yield begun + (" " if language.spaced else "") + rest, True


def f1(language: Language) -> tuple[float, float]:
    """Of "finished" (COMPLETE) and of "not yet" (all else)."""
    answered: list[bool] = []
    waited: list[bool] = []
    for text, is_finished in golden(language):
        (answered if finished(text, language) is COMPLETE else waited).append(is_finished)
    right, rightly_waited = sum(answered), len(waited) - sum(waited)
    return (
        2 * right / (len(answered) + right + sum(waited)),
        2 * rightly_waited / (len(waited) + rightly_waited + len(answered) - right),
    )


@every_language
def test_there_are_a_hundred_cases_and_none_twice(language: Language) -> None:
    cases = list(golden(language))
    assert len(cases) == 100
    assert len({text for text, _ in cases}) == 100


@every_language
def test_finished_turns_are_answered_and_unfinished_ones_waited_for(language: Language) -> None:
    assert min(f1(language)) >= 0.9


def share_right(name: str, sentences: int) -> float:
    """Of a file of lines like "en you can reach me | tomorrow", `sentences` a language."""
    verdicts = []
    for line in (GOLDEN.parent / name).read_text(encoding="utf-8").splitlines():
        code, marked = line.split(" ", 1)
        begun, rest = marked.split(" | ")
        language = LANGUAGES[code]
        whole = begun + (" " if language.spaced else "") + rest
        verdicts.append(finished(begun, language) is not COMPLETE)
        verdicts.append(finished(whole, language) is COMPLETE)
    assert len(verdicts) == 22 * sentences * 2
    return sum(verdicts) / len(verdicts)


def test_sentences_that_no_table_was_tuned_on() -> None:
    """`unseen.txt` is never to be tuned on. One figure for all: eight sentences say little of one
    language."""
    assert share_right("unseen.txt", 8) >= 0.9


def test_sentences_broken_off_before_any_word() -> None:
    """`harder.txt`: also behind a noun or a verb, where words alone can know less."""
    assert share_right("harder.txt", 6) >= 0.85


@every_language
def test_case_and_a_recognizers_full_stop_change_nothing(language: Language) -> None:
    end = "。" if language.code in ("zh", "ja") else "।" if language.code in ("hi", "bn") else "."
    for text, _ in golden(language):
        assert finished(text + end, language) is finished(text, language), text
        assert finished(text.capitalize(), language) is finished(text, language), text


@every_language
def test_a_comma_or_a_dash_waits_and_a_question_is_answered(language: Language) -> None:
    text = list(golden(language))[-21][0]
    for mark in (",", "-", "—", "...", "…", "،", "、"):
        assert finished(text + mark, language) is INCOMPLETE
    assert finished(text + "?", language) is COMPLETE


@every_language
def test_whole_answers(language: Language) -> None:
    assert len(language.whole) >= 30
    for answer in language.whole:
        assert finished(answer, language) is COMPLETE
        if language.code != "tr":  # Python knows no Turkish capitals
            assert finished(answer.upper() + "!", language) is COMPLETE


@every_language
def test_of_an_unknown_language_nothing_is_finished_until_it_is_asked(language: Language) -> None:
    for text, _ in golden(language):
        assert finished(text, UNKNOWN) is UNSURE
        assert finished(text + ".", UNKNOWN) is UNSURE
    assert finished(text + "?", UNKNOWN) is COMPLETE
    assert finished(text + ",", UNKNOWN) is INCOMPLETE


@pytest.mark.parametrize(
    ("code", "text", "verdict"),
    [
        # the faults that brought the tables about
        ("de", "ich möchte einen Termin für", INCOMPLETE),
        ("fr", "je voudrais une table pour", INCOMPLETE),
        ("es", "quiero una mesa para", INCOMPLETE),
        ("zh", "我想订一张去上海的票", COMPLETE),
        ("ja", "予約をお願いします", COMPLETE),
        ("ja", "予約を", INCOMPLETE),
        # German: the verb comes last
        ("de", "kannst du mir bitte", INCOMPLETE),
        ("de", "kannst du mir bitte helfen", COMPLETE),
        ("de", "ich weiß nicht ob das", INCOMPLETE),
        ("de", "ich weiß nicht ob ich das kann", COMPLETE),
        ("de", "mach das Licht an", COMPLETE),
        ("de", "ruf meinen Bruder", INCOMPLETE),
        ("de", "wenn es morgen regnet", INCOMPLETE),
        ("de", "die Nummer ist", INCOMPLETE),  # an article at the beginning is no relative pronoun
        ("de", "wie alt ist", INCOMPLETE),
        ("de", "ich hätte gern z. B.", INCOMPLETE),
        ("de", "ich weiß nicht was das ist", COMPLETE),
        ("de", "kann ich den Termin haben", COMPLETE),
        ("de", "mein Auto springt nicht an", COMPLETE),
        ("nl", "dat pakket is", INCOMPLETE),
        ("nl", "ik weet dat hij ziek is", COMPLETE),
        # a subject alone behind what opens a clause
        ("en", "I would like to know why my bill", INCOMPLETE),
        ("en", "I would like to know why my bill is so high", COMPLETE),
        ("de", "wissen Sie ob der Laden", INCOMPLETE),
        ("it", "vorrei sapere perché la mia bolletta", INCOMPLETE),
        ("ru", "потому что мой сын", INCOMPLETE),
        ("en", "I don't know about my bill", COMPLETE),
        # words that lead on, found in treebanks (scripts/bench_turn_ends.py)
        ("fr", "je suis à côté de l'", INCOMPLETE),
        ("fr", "est-ce que vous auriez", INCOMPLETE),
        ("it", "abito vicino all'", INCOMPLETE),
        ("ru", "я говорю о своей", INCOMPLETE),
        ("ru", "что это", COMPLETE),
        ("pl", "pracuję jako", INCOMPLETE),
        ("zh", "我要一间带", INCOMPLETE),
        ("he", "אני גר במשך", INCOMPLETE),
        # Whisper's composed letters, and another program's decomposed ones
        ("fr", "je voudrais une table à", INCOMPLETE),
        ("fr", "je voudrais une table a\u0300", INCOMPLETE),
        ("es", "¿Qué hora es?", COMPLETE),
        ("ar", "أُرِيدُ حَجْزَ طَاوِلَة فِي", INCOMPLETE),
        ("ar", "اريد حجز طاولة في", INCOMPLETE),
        ("ru", "сколько ещё", INCOMPLETE),
        ("tr", "geliyorum", COMPLETE),
        ("tr", "YARIN İÇİN BİR", INCOMPLETE),
        ("ko", "예약하고 싶습니다", COMPLETE),
        ("th", "จองโต๊ะสำหรับ", INCOMPLETE),
        ("hi", "मुझे एक टेबल चाहिए", COMPLETE),
        ("en", "", UNSURE),
        ("en", " ... ", UNSURE),
        ("zh", "票", UNSURE),
    ],
)
def test_single_cases(code: str, text: str, verdict: Verdict) -> None:
    assert finished(text, LANGUAGES[code]) is verdict


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("de", "de"), ("de-AT", "de"), ("zh_Hant", "zh"), ("cmn", "zh"), ("PT-br", "pt"),
        ("iw", "he"), ("", ""), (None, ""), ("xx", ""), ("fi", ""),
    ],
)  # fmt: skip
def test_language_of(tag: str | None, code: str) -> None:
    assert language_of(tag).code == code


def test_long_text_costs_no_more_than_its_end() -> None:
    language = LANGUAGES["de"]
    assert finished("und " * 100_000 + "ich möchte einen Termin für", language) is INCOMPLETE


@every_language
def test_any_space_and_a_mark_alone_say_nothing(language: Language) -> None:
    for space in "\u3000\u2003\u2028\r\x0b\x85":
        for text in (f"{space}.", f"{space}\u3002", f"{space * 130}."):
            assert finished(text, language) is UNSURE, ascii(text)
