"""Words over the agent's voice, in every script."""

from __future__ import annotations

import pytest

from voicepipe.languages.known import LANGUAGES, UNKNOWN, language_of
from voicepipe.languages.language import Language
from voicepipe.languages.overheard import count, is_echo, meant, says_stop, units

every_language = pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.name)


def meant_in(text: str, language: Language) -> tuple[str, ...]:
    return meant(units(text, language), language.backchannels)


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("de", "hmm ja genau", 0),
        ("de", "Ja, okay. Verstehe!", 0),
        ("de", "nein das will ich nicht", 5),
        ("de", "warte", 1),
        ("fr", "oui d’accord", 0),
        ("fr", "non ce n’est pas ça", 4),
        ("zh", "等一下", 2),
        ("zh", "嗯嗯", 0),
        ("zh", "嗯，好的。", 0),
        ("zh", "好的我要退票", 2),
        ("zh", "不是", 1),
        ("ja", "ちょっと待って", 4),
        ("ja", "はいはい", 0),
        ("ja", "そうですね", 0),
        ("ja", "いいで", 0),  # a partial transcript of "いいですね"
        ("ja", "はい、違います", 2),
        ("ja", "あー、そうなんですね", 0),
        ("zh", "嗯我知道了", 0),
        ("th", "หยุดก่อนนะครับ", 3),
        ("th", "ครับๆ", 1),
        ("th", "อืมครับ", 0),
        ("ko", "네 그렇군요", 0),
        ("ko", "잠깐만요", 1),
        ("hi", "हाँ जी", 0),
        ("hi", "नहीं रुकिए", 2),
        ("ar", "نَعَم طيب", 0),
        ("ar", "لا أريد هذا", 3),
        ("ru", "угу понятно", 0),
        ("", "mhm", 1),
        ("", "等一下", 2),
    ],
)
def test_meant_words(code: str, text: str, expected: int) -> None:
    assert count(meant_in(text, language_of(code))) == expected


@every_language
def test_each_language_has_backchannels_and_words_that_stop(language: Language) -> None:
    assert len(language.backchannels) >= 15
    for word in language.backchannels:
        assert meant_in(word, language) == ()
    assert len(language.stops) >= 2
    for word in language.stops:
        assert says_stop(units(word, language), language)
        if " " not in word:
            assert word not in language.backchannels


@pytest.mark.parametrize(
    ("code", "text", "stops"),
    [
        ("en", "no wait", True),
        ("en", "waiting rooms", False),
        ("de", "Moment mal", True),
        ("es", "un momento por favor", True),
        ("zh", "你等一下", True),
        ("zh", "停车场在哪里", False),
        ("zh", "稍等", True),
        ("ko", "저기요", True),
        ("ru", "секунду", True),
        ("fr", "excusez-moi", True),
        ("hi", "एक मिनट", True),
        ("", "stop", False),
    ],
)
def test_stopping(code: str, text: str, stops: bool) -> None:
    language = language_of(code)
    assert says_stop(units(text, language), language) is stops


AGENT = {
    "de": "Ihr Tisch für zwei ist um sieben Uhr reserviert.",
    "zh": "您好，我已经为您预订了明天晚上七点的双人桌。",
    "ja": "明日の夜七時に二名様でご予約を承りました。",
    "th": "จองโต๊ะสำหรับสองคนตอนเจ็ดโมงเรียบร้อยแล้วค่ะ",
    "ar": "تم حجز طاولتك لشخصين في الساعة السابعة.",
}


@pytest.mark.parametrize(
    ("code", "text", "echo"),
    [
        ("de", "für zwei ist um sieben", True),
        ("de", "nein für drei Personen", False),
        ("de", "sieben", False),  # one word is too little
        ("zh", "明天晚上七点的", True),
        ("zh", "不要明天要后天", False),
        ("zh", "等一下", False),
        ("ja", "二名様でご予約", True),
        ("ja", "三名でお願いします", False),
        ("th", "สำหรับสองคนตอนเจ็ดโมง", True),
        ("th", "ไม่ใช่สามคนครับ", False),
        ("ar", "لشخصين في الساعة", True),
        ("ar", "لا أريد ثلاثة", False),
    ],
)
def test_echo(code: str, text: str, echo: bool) -> None:
    language = language_of(code)
    assert is_echo(units(text, language), AGENT[code], language) is echo


def test_echo_of_an_unknown_language() -> None:
    assert is_echo(units("明天晚上七点", UNKNOWN), AGENT["zh"], UNKNOWN)
    assert not is_echo(units("table for two", UNKNOWN), "", UNKNOWN)
