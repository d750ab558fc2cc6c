"""What the desk of the bookings example makes of what callers say."""

from __future__ import annotations

import pytest

from tests.agents.at_the_desk import FARRIER, form, full, note

pytestmark = pytest.mark.usefixtures("importable")


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
        assert isinstance(note(at, sign * (1000 // len(sign))), dict)


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


def test_what_is_told_and_asked_at_once_is_heard() -> None:
    at = form()
    said = note(at, "a cut on friday, at ten. and how much is that")
    assert said["fact"] == "A cut is eighteen euros and takes thirty minutes."
    assert said["booking"] == "a cut on Friday at ten"
    assert said["ask"] == "Whose name shall I put it under?"
    assert "booking" not in note(at, "where are you"), "who only asks is told that alone"


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
    at = form()
    note(at, "a cut on friday at ten, name is ann lee")
    assert note(at, "yes but make it eleven")["ask"] == "Shall I book it?"
    assert note(at, "what have you got now")["ask"] == "Shall I book it?", "that is no yes"
    assert "booked" in note(at, "yes please, book it")
    assert note(at, "lovely") == {}, "it is booked"
    assert "cancelled" in note(at, "oh no, cancel that")


def test_praise_is_a_yes_right_after_the_question() -> None:
    at = full()
    note(at, "where are you")
    assert "booked" not in note(at, "lovely"), "that was for the answer"
    assert "booked" in note(full(), "lovely, thanks")
    assert "booked" not in note(full(), "thanks")


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
def test_a_no_books_nothing(said: str) -> None:
    at = full()
    assert "booked" not in note(at, said)
    assert not at.booked


@pytest.mark.parametrize("said", ["yes", "yes please that's lovely", "not bad, yes book it"])
def test_a_yes_books(said: str) -> None:
    assert "booked" in note(full(), said)


@pytest.mark.parametrize(
    ("said", "given_up"),
    [
        ("cancel it will you", True),
        ("can you cancel that please", True),
        ("i'd like to cancel", True),
        ("leave it for now, i'll ring you", False),  # what is booked stays
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


def test_a_yes_and_a_question_at_once() -> None:
    told = note(full(), "yes please, and where are you")
    assert told["fact"].startswith("We're at fourteen Quay Street")
    assert "booked" in told


def test_a_yes_to_giving_up_is_no_booking() -> None:
    at = full()
    assert note(at, "yes cancel it please") == {"dropped": True}
    at = full()
    assert "Saturday" in note(at, "yes well scrap that, make it saturday")["booking"]
    assert not at.booked


def test_to_ask_until_when_one_can_cancel_cancels_nothing() -> None:
    at = full()
    at.confirm()
    note(at, "can i cancel it the day before")
    for said in ("don't cancel it", "i might have to cancel", "my flight was cancelled"):
        note(at, said)
    assert at.booked


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


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("a cut please, it's my toenails", ""),
        ("a cut for my sofa, my children spoilt it", ""),
        ("a cut. just the road here makes me nervous", ""),
        ("hello, here is ulrike brandt speaking, a cut please", "Ulrike Brandt"),
        ("a cut on friday at ten, it's dessie houlihan", "Dessie Houlihan"),
    ],
)
def test_whose_name_it_is_and_what_is_none(said: str, name: str) -> None:
    at = form()
    note(at, said)
    known = at.known.get("name")
    assert (known.said if known else "") == name


def test_where_it_goes_from_and_to_is_heard_before_it_is_asked_for() -> None:
    at = form(
        {
            "name": "Pike Minibuses",
            "books": "a minibus",
            "hours": {"friday": "6:00-22:00"},
            "needs": [
                {"what": "day"},
                {"what": "pickup", "said": ", from {}"},
                {"what": "destination", "said": ", to {}", "question": "Where are you going?"},
            ],
        }
    )
    assert note(at, "i'd like to go on friday")["ask"] == "What is the pickup?"
    told = note(at, "from our office, we're going to york races")
    assert told["booking"] == "a minibus on Friday, from our office, to york races"
