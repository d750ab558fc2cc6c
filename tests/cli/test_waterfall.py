"""A turn as bars in a terminal: whose words, and whether what was prepared was there in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from rich.console import Console

from tests.call_log.harness import turn_record
from voicepipe.cli.waterfall import waterfall


def drawn(words: str = "", given: Mapping[str, Any] | None = None, **marks: float) -> str:
    turn = turn_record(1).as_dict() | {"preemption": "hit", **(given or {})}
    turn["marks_ms"] |= marks
    console = Console(width=80, record=True)
    console.print(waterfall(turn, words))
    return console.export_text()


def test_it_is_headed_by_the_words_and_fits_80_columns() -> None:
    text = drawn("what time is it")
    assert "“what time is it”" in text
    assert "turn_" not in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "; inside 800 ms\n" in text


@pytest.mark.parametrize(
    ("first_audio_ms", "says"),
    [(200, "was ready 100 ms before the endpoint"), (350, "first sound came 50 ms after it")],
)
def test_what_was_prepared_is_not_said_to_have_waited_where_it_came_late(
    first_audio_ms: float, says: str
) -> None:
    text = drawn(endpoint=300, tts_first_audio=first_audio_ms, audio_out=360)
    assert says in " ".join(text.split())


@pytest.mark.parametrize(
    ("whys", "says"),
    [
        (["user_went_on"], "1 prepared reply discarded (user went on)"),
        (["stale", "failed", "stale"], "3 prepared replies discarded (failed, stale)"),
        (["", ""], "2 prepared replies discarded\n"),
    ],
)
def test_why_replies_were_discarded_is_said_where_it_is_known(whys: list[str], says: str) -> None:
    dropped = [{"end": "discarded", **({"why": why} if why else {})} for why in whys]
    trace = {"attempts": [*dropped, {"end": "committed"}]}
    assert says in drawn(given={"discards": len(whys), "trace": trace})
    text = drawn(given={"discards": 2, "trace": None})
    assert "2 prepared replies discarded\n" in text
