"""The text rules of completeness, as a table."""

from __future__ import annotations

import pytest

from voicepipe.dialog.completeness import TextRules, Verdict

COMPLETE, UNKNOWN, INCOMPLETE = Verdict.COMPLETE, Verdict.UNKNOWN, Verdict.INCOMPLETE

TABLE = [
    ("what time is it", COMPLETE),
    ("What time is it?", COMPLETE),
    ("SET A TIMER FOR FIVE MINUTES", COMPLETE),
    ("play some music please", COMPLETE),
    ("yes", COMPLETE),
    ("Stop!", COMPLETE),
    ("thanks", COMPLETE),
    ("please", COMPLETE),
    ("", UNKNOWN),
    ("   ", UNKNOWN),
    ("...", UNKNOWN),
    ("paris", UNKNOWN),
    ("Seven.", UNKNOWN),
    ("set a timer for", INCOMPLETE),
    ("set a timer for.", INCOMPLETE),  # a recognizer puts a full stop after anything
    ("i would like to book a", INCOMPLETE),
    ("turn on the", INCOMPLETE),
    ("remind me to", INCOMPLETE),
    ("i want coffee and", INCOMPLETE),
    ("my name is", INCOMPLETE),
    ("i think i'll", INCOMPLETE),
    ("i think i’ll", INCOMPLETE),  # the typographer's apostrophe
    ("well, um", INCOMPLETE),
    ("call me at eight,", INCOMPLETE),
    ("call me at eight...", INCOMPLETE),
    ("call me at eight…", INCOMPLETE),
    ("i need two things:", INCOMPLETE),
    ("the twenty-", INCOMPLETE),
]


@pytest.mark.parametrize(("text", "verdict"), TABLE)
def test_verdict(text: str, verdict: Verdict) -> None:
    assert TextRules().judge(text) is verdict
