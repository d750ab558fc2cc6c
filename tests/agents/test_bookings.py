"""The desk of the bookings example: its words, its house, its service."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from importlib import import_module
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.agents.at_the_desk import FARRIER, HERE, TODAY, form, note, words

pytestmark = pytest.mark.usefixtures("importable")


@pytest.mark.parametrize(
    ("told", "minutes"),
    [
        ("half past two", -150),
        ("half four", -270),
        ("six thirty", -390),
        ("quarter to nine", -525),
        ("ten past four", -250),
        ("at three in the afternoon", 900),
        ("2 p.m.", 840),
        ("2:30", -150),
        ("14:15", 855),
        ("noon", 720),
        ("quarter to one", -765),
        ("twelve at night", 0),
        ("seven thirty in the evening", 1170),
        ("ten o'clock", -600),
        ("at nine fifteen", -555),
        ("at four no at five", -300),
    ],
)
def test_a_time_of_day(told: str, minutes: int) -> None:
    read = words().read_time(words().plain(told))
    assert read is not None
    assert read.value == minutes


def test_a_number_alone_is_a_time_only_where_one_was_asked_for() -> None:
    assert words().read_time("ten") is None
    assert words().read_time("ten", bare=True).value == -600
    assert words().read_time("five people", bare=False) is None


@pytest.mark.parametrize(
    ("told", "day", "said"),
    [
        ("on friday", date(2026, 11, 27), "on Friday"),
        ("this thursday", date(2026, 11, 26), "on Thursday"),
        ("next friday", date(2026, 12, 4), "next Friday"),
        ("tomorrow", date(2026, 11, 27), "tomorrow"),
        ("the day after tomorrow", date(2026, 11, 28), "the day after tomorrow"),
        ("the third of june", date(2027, 6, 3), "on the third of June"),
        ("december 24th", date(2026, 12, 24), "on the twenty fourth of December"),
        ("the twenty first", date(2026, 12, 21), "on the twenty first of December"),
        ("friday no saturday", date(2026, 11, 28), "on Saturday"),
        ("the thirty first of february", None, ""),
        ("99999999999th of may", None, ""),
    ],
)
def test_a_day(told: str, day: date | None, said: str) -> None:
    read = words().read_day(told, TODAY)
    assert (read[0], read[1].said) == (day, said) if day else read is None


def test_a_day_later_leans_on_the_day_before() -> None:
    assert words().read_day("a day later", TODAY) is None
    assert words().read_day("a day later", TODAY, date(2026, 12, 1))[0] == date(2026, 12, 2)
    assert words().read_day("two days earlier", TODAY, date(2026, 12, 3))[0] == date(2026, 12, 1)


def test_a_day_whose_hours_are_over_is_the_next_of_its_name() -> None:
    house = form().house
    assert house.over(datetime(2026, 11, 26, 20, 0)), "a Thursday, from eleven to eight"
    assert not house.over(datetime(2026, 11, 26, 19, 59))
    assert words().read_day("on thursday", TODAY, over=True)[0] == date(2026, 12, 3)
    assert words().read_day("on friday", TODAY, over=True)[0] == date(2026, 11, 27)


def test_digits_and_letters() -> None:
    assert words().read_digits("it's oh four double two seven nine")[0] == "042279"
    assert words().read_digits("four five") is None
    assert words().read_letters("barley b a r l e y")[0] == "barley"
    assert words().read_letters("that is a b") is None
    assert words().read_letters(words().plain("S a m w i l l i a m s"))[0] == "samwilliams"
    assert words().plain("two hundred people, or 1,000") == "200 people or 1000"


def test_a_booking_from_its_first_word_to_its_last() -> None:
    at = form()
    assert note(at, "hi i'd like a haircut on friday") == {
        "booking": "a cut on Friday",
        "ask": "For what time?",
    }
    assert at.confirm()["ask"] == "For what time?", "nothing is booked that was not read back"
    assert note(at, "no wait saturday")["booking"] == "a cut on Saturday"
    assert note(at, "at three") == {
        "refused": "on Saturday we're open from eight until two",
        "ask": "For what time?",
    }
    assert note(at, "half past nine then") == {
        "booking": "a cut on Saturday at half past nine",
        "ask": "Whose name shall I put it under?",
    }
    whole = "a cut on Saturday at half past nine for Tom Barley"
    assert note(at, "it's tom barley") == {"booking": whole, "ask": "Shall I book it?"}
    read_back = note(at, "what have you got now")
    assert (read_back["read_back"], read_back["ask"]) == (whole, "Shall I book it?")
    assert at.confirm() == {"booked": f"{whole} is booked"}
    assert at.read_back() == {"read_back": whole}
    assert note(at, "well then thanks") == {}
    assert note(at, "can we make it tuesday") == {
        "changed": "a cut on Tuesday at half past nine for Tom Barley is booked"
    }
    assert note(at, "oh then monday")["refused"] == "we're closed on Mondays"
    assert at.read_back()["read_back"].startswith("a cut on Tuesday"), "what was booked stays"
    assert at.cancel() == {
        "cancelled": "a cut on Tuesday at half past nine for Tom Barley is cancelled"
    }
    assert at.read_back() == {"error": "nothing is booked yet"} == at.cancel()


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("how much is a cut", "A cut is eighteen euros and takes thirty minutes."),
        ("where are you", "We're at fourteen Quay Street, next to the fish market."),
        ("are you open on monday", "We're closed on Mondays."),
        ("when do you close on saturdays", "On Saturday we're open from eight until two."),
        ("do you have a swimming pool", None),
    ],
)
def test_a_question_to_the_house(asked: str, answer: str | None) -> None:
    assert form().house.answer(asked, TODAY) == answer


def test_how_much_is_that_leans_on_what_is_booked() -> None:
    at = form()
    note(at, "a beard trim on friday")
    said = at.house.answer("and how much is that", TODAY, at.words())
    assert said == "A beard trim is twelve euros and takes fifteen minutes."


def test_the_hours_are_a_fact_of_their_own() -> None:
    said = form(FARRIER).house.answer("when are you open", TODAY)
    assert said == "We're open Monday from eight until four and Friday from eight until four."


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda house: house.pop("name"), "name: Field required"),
        (lambda house: house.update(hours={}), "hours: "),
        (lambda house: house.update(hours=["monday"]), "hours: "),
        (lambda house: house.update(hours={"mon": "8:00-9:00"}), "hours.mon"),
        (lambda house: house.update(hours={"monday": ["8:00-9:00"]}), "hours.monday"),
        (lambda house: house.update(hours={"monday": "9-25"}), "hours.monday: '25'"),
        (lambda house: house.update(hours={"monday": "9:00-8:00"}), "ends before"),
        (lambda house: house.update(needs=[]), "needs: "),
        (lambda house: house.update(colour="red"), "colour: Extra"),
        (lambda house: house.update(facts=[{"about": "x"}]), "facts.0"),
        (lambda house: house["needs"].append({"what": "x", "colour": 1}), "needs.6.colour"),
        (lambda house: house["needs"].append({"what": "x", "kind": "y"}), "needs.6.kind"),
        (lambda house: house["needs"].append({"what": "x", "kind": "choice"}), "one_of"),
        (lambda house: house["needs"].append({"what": "x", "least": "two"}), "needs.6.least"),
        (
            lambda house: house["needs"].append({"what": "x", "least": 3, "most": 2}),
            "least is more",
        ),
        (lambda house: house["needs"].append({"what": "x", "said": "{x}"}), "said"),
        (lambda house: house["needs"].append({"what": "day"}), "called the same"),
    ],
)
def test_a_house_that_is_wrong_is_told_where(
    change: Callable[[dict[str, Any]], Any], what: str
) -> None:
    from house import HouseError, read_house

    house = {**FARRIER, "needs": list(FARRIER["needs"])}
    change(house)
    with pytest.raises(HouseError, match=what):
        read_house(house)


@pytest.mark.parametrize(
    ("said", "cut"),
    [
        ("a cut, no wait, a trim, friday at ten", ["a cut", "~a trim", "friday at ten"]),
        ("at ten. and what's a trim", ["at ten", "?and what's a trim"]),
        ("sunday at two so and is there anywhere to park", ["sunday at two", "?so and is there"]),
        ("can we come monday", ["?can we come monday"]),
        ("the two of us, is that alright", ["the two of us", "is that alright"]),
        ("at 2 p.m., please", ["at 2 pm", "please"]),
        ("twelve, chapel road", ["twelve chapel road"]),
        ("no relation, ha ha", ["no relation", "ha ha"]),
        ("four no five then", ["four", "~five then"]),
    ],
)
def test_where_one_thing_ends_and_the_next_begins(said: str, cut: list[str]) -> None:
    found = list(import_module("clauses").clauses(said))
    assert len(found) == len(cut)
    for clause, wanted in zip(found, cut, strict=True):
        assert clause.asks == wanted.startswith("?"), clause
        assert clause.rights == wanted.startswith("~"), clause
        assert wanted.strip("?~") in clause.text


def test_a_call_has_a_booking_of_its_own() -> None:
    from desk import desk
    from house import load_house

    with TestClient(desk(load_house(HERE / "house.toml"))) as client:

        def said(call: str, words: str, turn: str = "") -> Any:
            asked = {"session_id": call, "said": words, "turn": turn}
            return client.post("/hear", json=asked).json()

        for body in ("{", "[]", '{"said": "a cut"}', '{"session_id": "a"}'):
            answer = client.post("/hear", content=body)
            assert (answer.status_code, "session_id" in answer.text) == (400, True)
        said("a", "a cut on friday at ten for me, name is ann lee")
        assert said("b", "what have you got down for me so far") == {
            "say": "I'm sorry, nothing is booked yet.",
            "heard": ["read back"],
        }
        booked = said("a", "yes please")
        assert booked["heard"] == ["yes"]
        assert booked["say"].endswith("A cut on Friday at ten for Ann Lee is booked.")
        assert said("a", "thanks a lot") == {}, "that is the model's"
        (told,) = client.get("/bookings").json()
        assert told["booking"] == "a cut on Friday at ten for Ann Lee"
        day, _, time = told["when"].partition(" ")
        assert (date.fromisoformat(day).weekday(), time) == (4, "10:00"), "that a diary needs"
        assert said("b", "can i pay by card")["say"] == "You can pay in cash or by card."
        assert said("b", "do you sell cakes")["say"] == "I'm sorry, I don't know that."
        told = said("c", "a cut on friday, and where are you")
        assert told["heard"] == ["question", "note"]
        assert told["say"] == (
            "We're at fourteen Quay Street, next to the fish market. "
            "Okay, a cut on Friday. For what time?"
        )
        said("c", "at ten", turn="t1")
        for _ in range(2):
            told = said("c", "an hour later no a day later", turn="t2")
        assert "a cut on Saturday at ten" in told["say"], "a turn is heard once"
