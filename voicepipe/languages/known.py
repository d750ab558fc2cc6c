"""The languages there are tables for, by code."""

from __future__ import annotations

from functools import lru_cache

from voicepipe.languages.language import Language
from voicepipe.languages.tables import (
    ar,
    bn,
    de,
    en,
    es,
    fr,
    he,
    hi,
    id,
    it,
    ja,
    ko,
    nl,
    pl,
    pt,
    ru,
    sw,
    th,
    tr,
    uk,
    vi,
    zh,
)  # fmt: skip

LANGUAGES: dict[str, Language] = {
    table.LANGUAGE.code: table.LANGUAGE
    for table in (
        en, de, fr, es, it, pt, nl, pl, tr, ru, uk, ar, he, hi, bn, zh, ja, ko, vi, id, th, sw,
    )
}  # fmt: skip
ENGLISH = LANGUAGES["en"]
UNKNOWN = Language(code="", name="unknown")
"""Only punctuation and script are known: nothing is finished until it is asked, or silent."""

_OTHER_CODES = {"cmn": "zh", "yue": "zh", "iw": "he", "in": "id", "jp": "ja", "swa": "sw"}


@lru_cache(maxsize=256)
def language_of(code: str | None) -> Language:
    """The table for an ISO 639-1 code or BCP 47 tag ("de", "de-AT", "zh_Hant"); None or a language
    without a table: UNKNOWN."""
    if not code:
        return UNKNOWN
    base = code.replace("_", "-").split("-")[0].lower()
    return LANGUAGES.get(_OTHER_CODES.get(base, base), UNKNOWN)
