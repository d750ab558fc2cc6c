"""What the desk of the bookings example takes a turn for, and which it leaves to the model."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.agents.at_the_desk import FARRIER, form, full, note

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
        ("i'm not sure, let me ask my wife", []),
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


YESES = [
    "yes",
    "yes ma'am",
    "aye that's champion",
    "absolutely",
    "that is correct",
    "i'm happy with that",
    "go for it",
    "she'll have to come too. yes put us down for that",
]
NO_YESES = [
    "who will do it",
    "can i book it online",
    "what happens if i book it and something comes up",
    "should i go ahead or is there something earlier",
    "did you say yes",
    "yes i have a question",
    "yeah let me check with my wife",
    "yes if my wife agrees",
    "yes maybe",
    "yes unless there's something earlier",
    "yes and a beard trim as well",
    "yes, is there anything earlier",
    "ok so is that all correct",
]


@pytest.mark.parametrize(
    ("said", "books"), [*((one, True) for one in YESES), *((one, False) for one in NO_YESES)]
)
def test_what_books_and_what_does_not(said: str, books: bool) -> None:
    at = full()
    note(at, said)
    assert at.booked == books


@pytest.mark.parametrize(
    ("said", "given_up"),
    [
        ("i don't want it", True),
        ("i've changed my mind", True),
        ("leave it for now, sorry", True),
        ("can you cancel that", True),
        ("where should i leave it", False),
        ("my wife will drop it", False),
        ("is it too late to cancel", False),
        ("is there a fee to cancel", False),
        ("cancel that, i meant saturday", False),
        ("forget it i'll keep friday", False),
    ],
)
def test_what_gives_up_what_is_not_booked_yet(said: str, given_up: bool) -> None:
    at = full()
    note(at, said)
    assert (at.known == {}) == given_up


def test_who_leaves_it_keeps_what_is_booked() -> None:
    at = full()
    at.confirm()
    assert "refused" in note(at, "can you make it monday")
    note(at, "ah leave it then")
    assert at.booked
    assert "on Friday at ten" in at.words()


@pytest.mark.parametrize("said", ["no", "nope", "not yet", "no that's wrong", "no, it's not right"])
def test_a_no_is_asked_what_to_change(said: str) -> None:
    at = full()
    told = import_module("spoken").answered(note(at, said))
    assert told == {"say": "Okay. What shall I change?", "heard": ["no"]}
    assert "booked" in note(at, "nothing, book it")
