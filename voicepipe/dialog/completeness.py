"""Does the text look like a finished turn? The words of the language tell; an audio model can take
their place behind the same interface. Pure.
"""

from __future__ import annotations

from typing import Protocol

from voicepipe.languages.finished import finished
from voicepipe.languages.known import ENGLISH
from voicepipe.languages.language import Language, Verdict

__all__ = ["Completeness", "TextRules", "Verdict"]


class Completeness(Protocol):
    """Judges a transcript (any case, with or without punctuation)."""

    def judge(self, text: str) -> Verdict: ...


class TextRules:
    """By punctuation and the last words. `language` may be set whenever it is known."""

    def __init__(self, language: Language = ENGLISH) -> None:
        self._language = language
        self._judged: tuple[str, Verdict] = "", Verdict.UNKNOWN  # asked on every silent frame

    @property
    def language(self) -> Language:
        return self._language

    @language.setter
    def language(self, language: Language) -> None:
        self._language = language
        self._judged = "", Verdict.UNKNOWN

    def judge(self, text: str) -> Verdict:
        if text != self._judged[0]:
            self._judged = text, finished(text, self._language)
        return self._judged[1]
