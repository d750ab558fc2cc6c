"""Language models out of sentences, kept until what they are made of changes."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from voicepipe.asr.sphinx import language
from voicepipe.asr.sphinx.language import LanguageFiles, Mixture, language_files
from voicepipe.asr.sphinx.library import Library

ORDERS = ["a large tea", "a small tea"]
ALONE = Mixture(domain=1.0)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A dictionary of four words; nothing is decoded."""
    (tmp_path / "dictionary").write_text("a AH\nlarge L AA R JH\nsmall S M AO L\ntea T IY\n")
    (tmp_path / "general").write_text("not read")
    return Library(None, tmp_path, tmp_path / "dictionary", tmp_path / "general")


def test_a_model_is_of_what_it_was_made_of(library: Library, tmp_path: Path) -> None:
    def made(**change: Any) -> LanguageFiles:
        about = {"sentences": ORDERS, "mixture": ALONE, "library": library, "cache": tmp_path}
        return language_files(**{**about, **change})

    other = tmp_path / "other"
    other.write_text(library.dictionary.read_text() + "tea(2) T EY\n")
    several = [
        made(),
        made(sentences=["a large tea"]),
        made(mixture=replace(ALONE, least=0.1)),
        made(said={"tea": ("T IY AH",)}),
        made(library=replace(library, dictionary=other)),
    ]
    assert made() == several[0]
    assert len({files.model for files in several}) == 5
    assert "tea(2) T EY" in several[-1].dictionary.read_text()


def test_of_many_that_start_at_once_one_makes(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, making = language._make, list[Path]()

    def make(place: Path, *others: Any) -> None:
        making.append(place)
        time.sleep(0.2)  # the others have found nothing by now
        real(place, *others)

    monkeypatch.setattr(language, "_make", make)
    with ThreadPoolExecutor(4) as threads:
        starts = [
            threads.submit(language_files, ORDERS, ALONE, library, tmp_path) for _ in range(4)
        ]
    assert len({start.result() for start in starts}) == 1
    assert len(making) == 1
