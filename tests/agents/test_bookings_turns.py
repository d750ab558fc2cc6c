"""What the desk of the bookings example takes a turn for, and which it leaves to the model."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.agents.at_the_desk import FARRIER, form, note

pytestmark = pytest.mark.usefixtures("importable")


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("hello", []),
        ("hello, is that the barber", []),
        ("hi how are you today", None),
        ("good morning, is that you", []),
        ("i need a cut", ["note"]),
        ("can i bring my dog", ["question"]),
        ("what have you got down for me so far", ["read back"]),
    ],
)
def test_what_a_call_begins_with(said: str, heard: list[str] | None) -> None:
    told = import_module("spoken").answered(note(form(), said))
    assert told.get("heard") == heard, "None: the model talks"


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("lovely, thanks", None),
        ("thanks very much", None),
        ("hang on, the kettle", []),
        ("mumble the jumble", ["unclear"]),
        ("friday", ["note"]),
        ("monday", ["note"]),
        ("and is there parking", ["question"]),
        ("is there a lift", ["question"]),
        ("saturday then, and is there parking", ["question", "note"]),
        ("what time was that again", ["read back"]),
        ("can you read that back to me", ["read back"]),
        ("forget the whole thing, sorry", ["no"]),
        ("yes", ["note"]),
    ],
)
def test_what_a_turn_is_taken_for(said: str, heard: list[str] | None) -> None:
    at = form()
    note(at, "a cut at half past ten")
    told = import_module("spoken").answered(note(at, said))
    assert told.get("heard") == heard, told


def test_the_same_time_on_another_day() -> None:
    at = form(FARRIER)
    assert "refused" in note(at, "friday at six")
    assert note(at, "the same time on monday")["refused"].startswith("on Monday we're open")
    assert "at nine" in note(at, "monday at nine")["booking"]
