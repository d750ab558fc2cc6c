"""Words out of a text and back, as the language writes them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from voicepipe.languages.language import Language
from voicepipe.languages.script import SPOKEN_UNIT


def split_words(text: str, language: Language) -> list[str]:
    """By spaces; of a script without spaces by the character."""
    return text.split() if language.spaced else SPOKEN_UNIT.findall(text)


def join_words(words: Iterable[str], language: Language) -> str:
    """What `split_words` was given, but for whitespace."""
    return (" " if language.spaced else "").join(words)
