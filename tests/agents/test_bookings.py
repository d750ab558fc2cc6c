"""The desk of the bookings example reads what callers tell, keeps it, and says it again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

HERE = Path(__file__).parents[2] / "agents" / "bookings"
MODULES = (
    "clauses",
    "counts",
    "desk",
    "facts",
    "form",
    "hearing",
    "house",
    "listening",
    "names",
    "phrases",
    "spoken",
    "texts",
    "words",
)
TODAY = date(2026, 11, 26)  # a Thursday
FARRIER: dict[str, Any] = {
    "name": "Penrose Farriers",
    "books": "a visit",
    "hours": {"monday": "8:00-16:00", "friday": "8:00-16:00"},
    "needs": [
        {"what": "day"},
        {"what": "time"},
        {"what": "horses", "kind": "count", "of": "horses", "most": 6},
        {"what": "name"},
        {"what": "yard", "said": ", at {}"},
        {"what": "phone"},
    ],
    "facts": [
        "A trim is thirty five euros a horse.",
        {"say": "We come to you.", "about": "bring them, travel"},
    ],
}


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(HERE))
    yield
    for name in MODULES:
        sys.modules.pop(name, None)


def form(house: dict[str, Any] | None = None) -> Any:
    from form import Form
    from house import load_house, read_house

    return Form(read_house(house) if house else load_house(HERE / "house.toml"), TODAY)


def note(at: Any, said: str, asking: bool = False) -> Any:
    """What the desk says to it."""
    return import_module("listening").hear(at, said, asking)


def words() -> Any:
    """The module, imported as the desk imports it."""
    return import_module("words")


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
    assert at.told() == {"booking": whole, "ask": "Shall I book it?"}
    assert at.confirm() == {"booked": f"{whole} is booked"}
    assert at.told() == {"booking": whole} == note(at, "well then")
    assert note(at, "can we make it tuesday") == {
        "changed": "a cut on Tuesday at half past nine for Tom Barley is booked"
    }
    assert note(at, "oh then monday")["refused"] == "we're closed on Mondays"
    assert at.told()["booking"].startswith("a cut on Tuesday"), "what was booked stays"
    assert at.cancel() == {
        "cancelled": "a cut on Tuesday at half past nine for Tom Barley is cancelled"
    }
    assert at.told() == {"error": "nothing is booked yet"} == at.cancel()


def test_what_is_told_at_once_is_asked_for_no_more() -> None:
    at = form()
    told = note(at, "a beard trim tomorrow at quarter to five, name's Ingrid Sorensen please")
    assert told == {
        "booking": "a beard trim tomorrow at quarter to five for Ingrid Sorensen",
        "ask": "Shall I book it?",
    }
    assert note(at, "no both, cut and beard")["booking"].startswith("a cut and beard trim")
    assert at.cancel() == {"dropped": True}


@pytest.mark.parametrize(
    ("told", "count"),
    [
        ("four horses", "four"),
        ("it's for two", "two"),
        ("three", "three"),
        ("there are six of them", "six"),
    ],
)
def test_a_number_of_what_is_counted(told: str, count: str) -> None:
    at = form(FARRIER)
    note(at, "friday at ten")
    assert f"for {count} horses" in note(at, told)["booking"]


@pytest.mark.parametrize("told", ["two hundred horses", "1,000 horses", "twenty five horses"])
def test_too_many_are_refused_however_they_are_told(told: str) -> None:
    assert note(form(FARRIER), told)["refused"] == "it is six horses at most"


def test_nothing_that_is_said_is_too_long_or_too_odd() -> None:
    at = form(FARRIER)
    for said in ("", "9999999 days later", "may 07700900123", "the " * 250, "a " * 500):
        note(at, said)
    note(at, "my number is 0441722")
    for sign in (
        "it is ",
        "one ",
        "cancel ",
        "1 ",
        "a ",
        "and ",
        "the ",
        "not ",
        "four ",
        "|",
        "é",
    ):
        assert note(at, sign * (1000 // len(sign)))


def test_limits_names_and_what_is_left() -> None:
    at = form(FARRIER)
    note(at, "friday about ten in the morning")
    assert note(at, "it's for eight horses") == {
        "refused": "it is six horses at most",
        "ask": "For how many horses?",
    }
    note(at, "alright just six then")
    assert note(at, "tom barley b a r l e y")["ask"] == "What is the yard?"
    note(at, "mill lane stables")
    done = note(at, "oh four four one seven double two nine")
    assert done["booking"] == (
        "a visit for six horses on Friday at ten for Tom Barley, at mill lane stables, "
        "number zero four four one seven two two nine"
    )


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("it's tom barley", "Tom Barley"),
        ("very well put it under novak please", "Novak"),
        ("okafor harry okafor", "Harry Okafor"),
        ("oezdemir that's o e z d e m i r", "Oezdemir"),
        ("the surname is spelled b o y l e", "Boyle"),
        ("ingrid sorensen and would friday be possible", "Ingrid Sorensen"),
        ("friday after school", ""),
        ("by the way dorothy finch like the bird", "Dorothy Finch"),
        ("my daughter's called lily santos", "Lily Santos"),
        ("say wednesday", ""),
        ("could somebody look at it", ""),
        ("malik johnson that's too sweet", "Malik Johnson"),
        ("what do you mean", ""),
        ("my number is five five two one eight", ""),
    ],
)
def test_a_name_where_one_was_asked_for(told: str, name: str) -> None:
    at = form()
    note(at, "a cut on friday at ten")
    note(at, told)
    assert at.words().endswith(f" for {name}" if name else " at ten")


def test_a_name_that_nobody_asked_for() -> None:
    for told in (
        "hello ruth callaghan here i'd like a cut",
        "good morning my name is ruth callaghan i'd like a cut",
    ):
        at = form()
        assert note(at, told)["booking"] == "a cut for Ruth Callaghan"


def test_a_number_before_a_street_is_no_time() -> None:
    at = form(FARRIER)
    note(at, "friday for two horses, name is ann lee")
    assert note(at, "we live at 14 weaver street")["ask"] == "For what time?"
    assert note(at, "at ten please")["booking"].startswith(
        "a visit for two horses on Friday at ten"
    )


def test_what_is_counted_twice_is_told_apart() -> None:
    at = form(
        {
            "name": "Lakeside",
            "books": "a boat",
            "hours": {"friday": "8:00-16:00"},
            "needs": [
                {"what": "name"},
                {"what": "people", "kind": "count"},
                {"what": "hours", "kind": "count", "of": "hours"},
            ],
        }
    )
    assert note(at, "priya nair")["ask"] == "For how many people?", "the greeting may have asked"
    assert note(at, "for six days")["ask"] == "For how many people?"
    assert note(at, "an hour")["booking"] == "a boat for one hour for Priya Nair"
    assert note(at, "four of us")["booking"] == "a boat for four people for one hour for Priya Nair"


def test_what_is_put_right() -> None:
    at = form()
    note(at, "a cut on monday")
    assert note(at, "then a day later")["booking"] == "a cut on Tuesday", "than the day refused"
    note(at, "at ten for me, name is ann lee")
    assert "a beard trim" in note(at, "a beard trim instead of the cut")["booking"]
    assert note(at, "could we do eleven instead")["booking"].endswith("at eleven for Ann Lee")
    assert note(at, "twelve rather than eleven")["booking"].endswith("at twelve for Ann Lee")


def test_a_number_that_is_put_right_is_the_one_it_was() -> None:
    at = form(FARRIER)
    note(at, "two horses on friday at ten, name is ann lee")
    assert "for three horses on Friday at ten" in note(at, "three not two")["booking"]
    assert "for three horses on Friday at nine" in note(at, "nine rather than ten")["booking"]
    assert "at nine" in note(at, "the short one")["booking"], "which is no time"


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


@pytest.mark.parametrize("asking", [False, True])
def test_what_is_told_and_asked_at_once_is_heard_by_whatever_tool_it_comes(asking: bool) -> None:
    at = form()
    said = note(at, "a cut on friday, at ten. and how much is that", asking)
    assert said["fact"] == "A cut is eighteen euros and takes thirty minutes."
    assert said["booking"] == "a cut on Friday at ten"
    assert said["ask"] == "Whose name shall I put it under?"
    assert "booking" not in note(at, "where are you", asking), "who only asks is told that alone"


@pytest.mark.parametrize(
    ("said", "booking"),
    [
        ("not friday, i'm at work fridays, say monday", "a visit on Monday"),
        ("friday? no hang on i work fridays. monday", "a visit on Monday"),
        ("monday, any time after two, well, half two say", "a visit on Monday at half past two"),
        ("there's two, no tell a lie, three, there's one in the shed", "a visit for three horses"),
        ("well my brother has two of his own so that's five", "a visit for five horses"),
        ("a couple of horses on friday", "a visit for two horses on Friday"),
        ("i've mass at ten on friday so monday at nine", "a visit on Monday at nine"),
        ("quarter of ten on friday", "a visit on Friday at quarter to ten"),
    ],
)
def test_remarks_are_no_values(said: str, booking: str) -> None:
    at = form(FARRIER)
    note(at, "hello there")
    assert note(at, said).get("booking", "") == booking


def test_a_number_alone_is_of_what_it_can_be() -> None:
    at = form(FARRIER)
    note(at, "three horses on friday at ten, name's ann lee, the yard is mill lane, 44 17 229")
    assert "at nine for Ann" in note(at, "could we say nine though")["booking"], "six at most"
    assert "for four horses" in note(at, "my sister's coming too so make it four")["booking"]
    assert "at eleven" in note(at, "no that's a bit early, eleven")["booking"]
    assert "at ten" in note(at, "eleven is a bit late, let's say ten")["booking"]
    refused = note(at, "make it eight horses")
    assert refused["refused"] == "it is six horses at most"
    assert "for four horses" in note(at, "oh well then")["booking"], "what was possible stays"


def test_an_address_is_put_right() -> None:
    at = form(FARRIER)
    note(at, "two horses friday at ten, it's ann lee")
    note(at, "it's at twelve chapel road, no, sorry, twenty chapel road")
    assert "at twenty chapel road" in at.words()
    assert "at twenty two chapel road" in note(at, "no sorry, twenty two")["booking"]
    note(at, "before the neighbours park up")
    assert "at twenty two chapel road" in at.words(), "a remark is no address"


def test_a_telephone_number_goes_on_after_a_breath_and_has_another_end() -> None:
    at = form(FARRIER)
    said = note(at, "it's oh four four, um, one seven double two. no, double three at the end")
    assert said["booking"] == "a visit, number zero four four one seven three three"


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("it's priya, p r i y a, priya nair", "Priya Nair"),
        ("nora dunleavy, mrs, that's d u n l e a v y", "Nora Dunleavy"),
        ("niamh o'shea, n i a m h, you'll never spell the rest", "Niamh O'shea"),
        ("nora deasy's the name", "Nora Deasy"),
        ("i'm the secretary so put mine, it's ailsa reid", "Ailsa Reid"),
        ("it's wyatt, no that's my son, luis echeverria", "Luis Echeverria"),
        ("blimey. hargreaves", "Hargreaves"),
        ("brown", "Brown"),
        ("my name is sarah young", "Sarah Young"),
        ("it's for my mum, her name is mary kelly", "Mary Kelly"),
        ("bear with me", ""),
        ("sorry i miscounted", ""),
    ],
)
def test_a_name_and_how_it_is_spelled(told: str, name: str) -> None:
    at = form()
    note(at, "a cut on friday at ten")
    note(at, told)
    assert at.words().endswith(f" for {name}" if name else " at ten")


def test_a_yes_with_something_new_in_it_is_read_back_first() -> None:
    agreed = import_module("listening").agreed
    at = form()
    note(at, "a cut on friday at ten, name is ann lee")
    assert agreed(at, "yes but make it eleven")["ask"] == "Shall I book it?"
    assert agreed(at, "what have you got now")["ask"] == "Shall I book it?", "that is no yes"
    assert "booked" in note(at, "yes please, book it"), "a yes by the wrong tool is a yes"
    assert agreed(at, "lovely") == {"booking": "a cut on Friday at eleven for Ann Lee"}
    assert "cancelled" in note(at, "oh no, scrap that"), "and so is giving it up"


def full() -> Any:
    """A booking that lacks nothing."""
    at = form()
    note(at, "a cut on friday at ten, name is ann lee")
    return at


@pytest.mark.parametrize(
    "said",
    [
        "no",
        "no thanks, leave it",
        "don't book it",
        "yes but not friday",
        "that's not right",
        "no thanks that's it",
        "sure that's the problem",
        "ok so is that all correct",
        "yes but how much is it",
        "hang on",
    ],
)
def test_a_no_by_the_wrong_tool_books_nothing(said: str) -> None:
    at = full()
    assert "booked" not in import_module("listening").agreed(at, said)
    assert not at.booked
    at = full()
    assert "booked" not in note(at, said)


@pytest.mark.parametrize("said", ["yes", "yes please that's lovely", "not bad, yes book it", ""])
def test_a_yes_books(said: str) -> None:
    assert "booked" in import_module("listening").agreed(full(), said)


@pytest.mark.parametrize(
    ("said", "given_up"),
    [
        ("cancel it will you", True),
        ("can you cancel that please", True),
        ("i'd like to cancel", True),
        ("leave it for now, i'll ring you", True),
        ("don't cancel it", False),
        ("i might have to cancel it later", False),
        ("i had to cancel my flight so i'm free", False),
        ("forget about it raining, is there parking", False),
        ("scrap that, make it saturday", False),
    ],
)
def test_what_gives_a_booking_up_and_what_does_not(said: str, given_up: bool) -> None:
    at = full()
    at.confirm()
    assert ("cancelled" in note(at, said)) == given_up


def test_one_more_person_is_no_name() -> None:
    at = form(
        {
            "name": "Da Lucia",
            "books": "a table",
            "hours": {"friday": "17:00-22:00"},
            "needs": [{"what": "people", "kind": "count"}, {"what": "day"}, {"what": "name"}],
        }
    )
    note(at, "a table for four on friday")
    assert note(at, "one more person")["booking"] == "a table for five people on Friday"


@pytest.mark.parametrize("asking", [False, True])
def test_a_yes_and_a_question_at_once(asking: bool) -> None:
    told = note(full(), "yes please, and where are you", asking)
    assert told["fact"].startswith("We're at fourteen Quay Street")
    assert "booked" in told


@pytest.mark.parametrize("act", ["hear", "agreed"])
def test_a_yes_to_giving_up_is_no_booking(act: str) -> None:
    heard = getattr(import_module("listening"), act)
    at = full()
    assert heard(at, "yes cancel it please") == {"dropped": True}
    at = full()
    assert "Saturday" in heard(at, "yes well scrap that, make it saturday")["booking"]
    assert not at.booked


def test_to_ask_until_when_one_can_cancel_cancels_nothing() -> None:
    at = full()
    at.confirm()
    dropped = import_module("listening").dropped
    dropped(at, "can i cancel it the day before")
    for said in ("don't cancel it", "i might have to cancel", "my flight was cancelled"):
        dropped(at, said)
    assert at.booked
    assert "cancelled" in dropped(at, "the boss has got somebody, sorry")


@pytest.mark.parametrize(
    "said",
    [
        "thanks a lot, see you tomorrow",
        "it's my birthday on saturday",
        "i finish work at five",
        "do you have anything on saturday",
        "great, will you send me a reminder on wednesday",
    ],
)
def test_a_remark_moves_nothing_that_is_booked(said: str) -> None:
    at = full()
    at.confirm()
    note(at, said)
    assert at.words() == "a cut on Friday at ten for Ann Lee"


def test_a_story_is_kept_whole() -> None:
    at = form(
        {
            "name": "Oakfield Vets",
            "books": "a visit",
            "hours": {"friday": "8:00-16:00"},
            "needs": [{"what": "day"}, {"what": "problem", "said": ", {}"}],
        }
    )
    note(at, "friday")
    assert note(at, "he cut his paw on saturday")["booking"] == (
        "a visit on Friday, he cut his paw on saturday"
    )


def test_none_is_a_number_where_none_will_do() -> None:
    at = form(
        {
            "name": "Kinloch",
            "books": "a stay",
            "hours": {"friday": "8:00-16:00"},
            "needs": [{"what": "dogs", "kind": "count", "of": "dogs", "least": 0}, {"what": "day"}],
        }
    )
    note(at, "a stay please")
    assert note(at, "none")["booking"] == "a stay for no dogs"


def test_a_question_of_what_was_said_just_before() -> None:
    at = form()
    said = note(at, "a cut on friday. i've a pram with me, is that alright")
    assert said["fact"].startswith("There is one step"), "a pram is among what it is about"


def test_a_call_has_a_booking_of_its_own() -> None:
    from desk import desk
    from house import load_house

    with TestClient(desk(load_house(HERE / "house.toml"))) as client:

        def said(call: str, act: str, **asked: str) -> dict[str, Any]:
            answer: dict[str, Any] = client.post(
                f"/{act}", json={"session_id": call, **asked}
            ).json()
            return answer

        for body in ("{", "[]", '{"what": "a cut"}'):
            answer = client.post("/note", content=body)
            assert (answer.status_code, "session_id" in answer.text) == (400, True)
        said("a", "note", what="a cut on friday at ten for me, name is ann lee")
        assert said("b", "get") == {"say": "I'm sorry, nothing is booked yet."}, (
            "an error beside it would be a failure, of which the model speaks"
        )
        assert said("a", "confirm")["booked"] == "a cut on Friday at ten for Ann Lee is booked"
        (told,) = client.get("/bookings").json()
        assert told["booking"] == "a cut on Friday at ten for Ann Lee"
        day, _, time = told["when"].partition(" ")
        assert (date.fromisoformat(day).weekday(), time) == (4, "10:00"), "that a diary needs"
        assert (
            said("b", "fact", about="can i pay by card")["fact"]
            == "You can pay in cash or by card."
        )
        assert (
            said("b", "fact", about="do you sell cakes")["say"] == "I'm sorry, I don't know that."
        )
        told = said("c", "note", what="a cut", said="a cut on friday, and where are you")
        assert told["say"] == (
            "We're at fourteen Quay Street, next to the fish market. "
            "Okay, a cut on Friday. For what time?"
        ), "the caller's own words go before the model's copy"
        said("c", "note", said="at ten", turn="t1")
        for tool in ("fact", "note"):
            told = said("c", tool, said="an hour later no a day later", turn="t2")
        assert "a cut on Saturday at ten" in told["say"], "a turn is heard once, by whatever tools"
