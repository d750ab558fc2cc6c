"""The bench that speaks a language and hears it again, on the built-in engines."""

from __future__ import annotations

import pytest

from scripts.bench_round_trip import finished, letters, round_trips
from voicepipe.config.loading import load_settings
from voicepipe.languages.known import LANGUAGES


@pytest.mark.slow
async def test_english_is_heard_and_who_has_no_recognizer_is_said() -> None:
    settings = load_settings("builtin", environ={})
    english, german = await round_trips(settings, ["en", "de"], 6)
    assert english.sentences == 6
    assert english.errors is not None
    assert english.errors.share < 0.6  # most of these sentences are outside its small world
    assert german.errors is None
    assert german.not_run.startswith("NOT RUN: it lacks a recognizer: builtin/asr knows English")


def test_every_language_has_whole_sentences_to_speak() -> None:
    for code in LANGUAGES:
        sentences = finished(code)
        assert len(sentences) >= 50
        assert all("|" not in text and letters(text) for text in sentences)
    assert letters("C'est à 3 h, n'est-ce pas ?") == list("cestà3hnestcepas")
