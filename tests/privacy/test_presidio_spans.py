"""Which of an analyzer's finds are taken out; they are given, so that none need be
installed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from voicepipe.privacy.patterns import Kind
from voicepipe.privacy.presidio import PresidioFinder

ALL: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Found:
    entity_type: str
    start: int
    end: int
    score: float = 0.9


class Analyzer:
    """Finds these words wherever they stand."""

    def __init__(self, **words: str) -> None:
        self._words = words

    def analyze(self, text: str, **options: Any) -> list[Found]:
        at = {kind: text.find(word) for kind, word in self._words.items()}
        return [Found(k, i, i + len(self._words[k])) for k, i in at.items() if i >= 0]


def redacted(text: str, *kinds: Kind, **words: str) -> str:
    return PresidioFinder(Analyzer(**words), "en").redact(text, kinds or ALL)


def test_a_kind_that_nobody_wants_hides_none_that_is_wanted() -> None:
    words = {"LOCATION": "12 Anna Lee Road", "PERSON": "Anna Lee"}
    assert redacted("at 12 Anna Lee Road", "name", **words) == "at 12 [name] Road"
    assert redacted("at 12 Anna Lee Road", **words) == "at [address]"
    assert (
        redacted("at 12 Anna Lee Road", URL="at 12 Anna", PERSON="Anna Lee") == "at 12 [name] Road"
    )


def test_a_bracket_that_was_typed_hides_nothing() -> None:
    assert redacted("it is Anna [the boss] Lee", PERSON="Anna [the boss] Lee") == "it is [name]"


def test_what_the_patterns_took_out_stays_whole() -> None:
    assert redacted("it is [phone], ok", PERSON="phone") == "it is [phone], ok"
    assert redacted("it is [phone], ok", PERSON="[phone]") == "it is [phone], ok"
    assert redacted("Anna [phone], ok", PERSON="Anna [pho") == "[name], ok"


def test_what_reaches_beyond_the_find_before_goes_too() -> None:
    words = {"PERSON": "Anna Lee", "LOCATION": "Lee Road 12"}
    assert redacted("it is Anna Lee Road 12, ok", **words) == "it is [name][address], ok"
    assert redacted("it is Anna Lee Road 12, ok", "address", **words) == "it is Anna [address], ok"
