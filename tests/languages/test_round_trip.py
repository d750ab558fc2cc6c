"""The bench that speaks a language and hears it again, on the built-in engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.bench_round_trip import finished, letters, phrases, phrases_heard, round_trips
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


@pytest.mark.slow
async def test_other_languages_are_heard_by_their_phrases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    settings = load_settings("builtin", environ={})
    rows = await phrases_heard(settings, ["es", "ja"], 5, alone=False)
    for row in rows:
        assert row.errors is not None
        assert row.by_chance is not None
        assert row.words is not None
        assert row.sentences == 5
        assert row.errors.share < 0.2
        assert row.by_chance.share > 0.8
        assert row.words > 150


def test_every_language_has_whole_sentences_to_speak() -> None:
    for code in LANGUAGES:
        sentences = finished(code)
        assert len(sentences) >= 50
        assert all("|" not in text and letters(text) for text in sentences)
        assert len(phrases(code)) >= 50
    assert letters("C'est à 3 h, n'est-ce pas ?") == list("cestà3hnestcepas")
