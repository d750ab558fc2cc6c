"""Where a speaker of each language pauses: `clauses.txt` (which scripts/bench_languages.py times)
and `abbreviations.txt` have replies of an agent, the bars are the cuts. `sentencex` (Wikimedia's
rules for sentences) and CLDR's dates are the independent sources.
"""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
import sentencex
from babel.dates import format_datetime
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.languages.known import LANGUAGES, UNKNOWN
from voicepipe.languages.language import Language
from voicepipe.languages.script import SENTENCE_ENDS
from voicepipe.tts.clauses import ClauseSplitter

CASES = [
    tuple(line.split(" ", 1))
    for name in ("clauses.txt", "abbreviations.txt")
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
]


def split(text: str, language: Language, *, deltas: int = 1) -> list[str]:
    splitter = ClauseSplitter(None, language)
    edges = [*range(0, len(text), deltas), len(text)]
    clauses = [clause for a, b in pairwise(edges) for clause in splitter.push(text[a:b])]
    return clauses + splitter.flush()


@pytest.mark.parametrize(("code", "marked"), CASES)
def test_clauses_are_cut_where_a_speaker_would(code: str, marked: str) -> None:
    assert split(marked.replace("|", ""), LANGUAGES[code]) == marked.split("|")


def test_every_language_has_cases() -> None:
    assert {code for code, _ in CASES} == set(LANGUAGES)


@pytest.mark.parametrize(("code", "marked"), CASES)
def test_no_sentence_is_ended_where_sentencex_sees_none(code: str, marked: str) -> None:
    """The other way round it is no judge: it ends sentences behind many an abbreviation, and knows
    no Thai."""
    text = marked.replace("|", "")
    theirs = ends(text, sentencex.segment(code, text))
    ours = ends(text, split(text, LANGUAGES[code]))
    assert {end for end in ours if text[end - 1] in SENTENCE_ENDS} <= theirs


def ends(text: str, parts: list[str]) -> set[int]:
    """Where the parts end, whitespace left out."""
    found, at = set(), 0
    for part in parts:
        at += len(part)
        found.add(len(text[:at].rstrip()))
    return found


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.name)
def test_no_sentence_ends_within_a_date_of_cldr(language: Language) -> None:
    """Weekdays, months, the day's number and halves of the day, as CLDR abbreviates them."""
    for month in range(1, 13):
        when = datetime(2026, month, 3 + month, 7 + month, 30)
        for pattern in ("medium", "long", "E d MMM", "E d MMM y", "d MMM y, h:mm a"):
            stamp = format_datetime(when, pattern, locale=language.code)
            clauses = split(f"x {stamp} x.", language)
            ended = [one for one in clauses[:-1] if one.rstrip()[-1] in SENTENCE_ENDS]
            assert ended == [], stamp


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.name)
def test_abbreviations_end_no_sentence(language: Language) -> None:
    splitter = ClauseSplitter(None, language)
    for word in language.abbreviations:
        assert splitter.push(f"x {word}. y") == []
        splitter.flush()


pieces = st.sampled_from(
    """Dr. 3. 3,5 z. B. d.h. ca. Mai Das und oder weil que mais ? ! « » ¿Qué ¡Sí! ё что और का है
    । है।वह ؟ ، ؛ نعم לא 今天 。 ， 「好」 ！ は です、 ครับ ค่ะ จอง 5 โมง 네. 습니다 için mı ok. np. …
    **fett** [Text](http://u.v) `c` - 1. •""".split()
)
texts = st.lists(pieces | st.sampled_from([" ", "\n", "  "]) | st.text(max_size=3)).map("".join)


@settings(max_examples=60)
@given(st.sampled_from([*LANGUAGES.values(), UNKNOWN]), texts, st.integers(1, 9))
def test_the_whole_text_is_kept_and_the_cuts_do_not_depend_on_the_deltas(
    language: Language, text: str, deltas: int
) -> None:
    whole = split(text, language)
    assert "".join(whole) == text
    assert split(text, language, deltas=deltas) == whole


def test_a_long_chinese_sentence_is_cut_before_it_takes_fifteen_seconds() -> None:
    text = "好的。" + "我们明天早上先去车站，然后再去机场，" * 20
    assert max(map(len, split(text, LANGUAGES["zh"]))) <= 220 / 3 + 20


def test_of_an_unknown_language_the_script_is_known() -> None:
    text = "यह ठीक है।वह आया। كيف حالك؟ أنا بخير. 今天很好。走吧！"
    cuts = ["यह ठीक है।", "वह आया। ", "كيف حالك؟ ", "أنا بخير. ", "今天很好。", "走吧！"]
    assert split(text, UNKNOWN) == cuts
