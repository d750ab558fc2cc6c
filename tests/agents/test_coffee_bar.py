"""The till of the coffee bar hears orders, and says what it made of them."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import pytest
from starlette.testclient import TestClient

from scripts.bench_till import JUDGE, faults
from tests.agents.at_the_bar import Hear, hear

PRACTICE = JUDGE.with_name("practice.jsonl")


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("a large iced latte with oat milk and two sugars and a blueberry muffin", None),
        ("two lattes, a scone and three small americanos", None),
        ("a sixteen ounce dark roast coffee with a bit of cream", None),
        ("two sandwiches", None),
        ("Hi, um, can I get 2 flat whites please?", "two flat whites"),
        ("three lattes a cappuccino and two teas", "three lattes, a cappuccino and two teas"),
        ("a latte no sorry a mocha", "a mocha"),
        ("an espresso a double espresso actually", "a double espresso"),
        ("four scones no five scones", "five scones"),
        ("two lattes one with oat milk", "a latte and a latte with oat milk"),
        ("four coffees two black and two with milk", "two coffees with milk and two black coffees"),
    ],
)
def test_an_order_at_once(said: str, order: str | None, talk: Hear) -> None:
    assert talk(said) == f"Okay, {order or said}. Anything else?"


@pytest.mark.parametrize(
    ("change", "order"),
    [
        ("make it medium", "two teas and a medium latte with two sugars"),
        ("can you make it a twelve ounce", "two teas and a twelve ounce latte with two sugars"),
        ("no make that three", "two teas and three large lattes with two sugars"),
        ("iced please", "two teas and a large iced latte with two sugars"),
        ("three sugars", "two teas and a large latte with three sugars"),
        ("and oat milk", "two teas and a large latte with two sugars and oat milk"),
        ("no sugar", "two teas and a large latte"),
        ("make the latte a cappuccino", "two teas and a large cappuccino"),
        ("one of the teas with milk", "a tea, a tea with milk and a large latte with two sugars"),
        ("actually just the one tea", "a tea and a large latte with two sugars"),
        ("make that three teas", "three teas and a large latte with two sugars"),
        ("both teas with lemon", "two teas with lemon and a large latte with two sugars"),
        ("not the latte a mocha", "two teas and a large mocha"),
        ("take the teas off", "a large latte with two sugars"),
        ("take one of the teas off", "a tea and a large latte with two sugars"),
        ("she doesn't want the latte so take that off", "two teas"),
        ("another tea", "three teas and a large latte with two sugars"),
        (
            "the same again but small",
            "two teas, a large latte with two sugars and a small latte with two sugars",
        ),
    ],
)
def test_a_change(change: str, order: str, talk: Hear) -> None:
    assert talk("two teas and a large latte with two sugars", change).startswith(f"Okay, {order}.")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("how much is that", "That is six euros ten."),
        ("what have i got so far", "a cappuccino and a blueberry muffin"),
        ("how much is a mocha", "A mocha is three euros eighty."),
        ("do you have scones", "scone is two euros forty. Would you like one?"),
        ("do you do bubble tea", "there is no bubble tea"),
        ("what have you got to eat", "croissant, muffin, bagel"),
        ("what sizes are there", "small, medium, large"),
        ("what teas do you have", "iced tea, tea, green tea and mint tea"),
        ("how many cappuccinos did i say", "One."),
        ("do you have wifi", "I don't know that"),
        ("and a helicopter", "there is no helicopter"),
        ("take the bagel off", "There is no bagel in your order."),
    ],
)
def test_a_question_changes_nothing(asked: str, answer: str, talk: Hear) -> None:
    assert answer in talk("a cappuccino and a blueberry muffin", asked)
    assert "a cappuccino and a blueberry muffin, six euros ten" in talk("that's all")


@pytest.mark.parametrize("asked", ["do you have brownies", "how much is a brownie"])
@pytest.mark.parametrize(
    ("said", "order"), [("two of those", "two brownies"), ("yes please", "a brownie")]
)
def test_what_was_asked_after_can_be_had(asked: str, said: str, order: str, talk: Hear) -> None:
    assert talk(asked, said) == f"Okay, {order}. Anything else?"


@pytest.mark.parametrize("said", ["thanks", "what time is it", "hello", "it's raining here", ""])
def test_what_is_no_affair_of_the_till_s_is_the_models(said: str, till: TestClient) -> None:
    hear(till, "a tea")
    assert hear(till, said) == {}


@pytest.mark.parametrize(
    ("said", "order"),
    [
        (
            "what teas do you have / how much is the mint one / a large one please",
            "a large mint tea",
        ),
        ("a muffin um the blueberry one", "a blueberry muffin"),
        ("a chai latte and a mocha please both large", "a large chai latte and a large mocha"),
        (
            "two large lattes one with vanilla syrup and one with soy milk and a tea",
            "a large latte with soy milk, a large latte with vanilla syrup and a tea",
        ),
        ("three muffins / only two muffins sorry not three", "two muffins"),
        ("two no wait three scones", "three scones"),
        ("a double espresso / a single espresso then not a double", "a single espresso"),
        ("an espresso a double", "a double espresso"),
        ("two espressos / make the espressos doubles", "two double espressos"),
        ("a muffin / she says no muffin she'd rather have a brownie", "a brownie"),
        ("a cold brew / take that off / he'll have a cortado instead", "a cortado"),
        ("a mocha / oh wait my friend wants a mocha as well", "two mochas"),
        ("a tea with milk and a scone / make it two of each", "two teas with milk and two scones"),
        ("a tea and a scone / the same again both things", "two teas and two scones"),
        ("a bagel / another one of those bagels then", "two bagels"),
        ("a tea with lemon / make the tea a green tea", "a green tea with lemon"),
        (
            "two scones with jam / one of the scones without jam",
            "a scone with jam and a scone",
        ),
        (
            "a latte with caramel syrup / no sorry hazelnut syrup not caramel",
            "a latte with hazelnut syrup",
        ),
        (
            "a latte and a latte with caramel syrup / the one with caramel make that decaf",
            "a latte and a decaf latte with caramel syrup",
        ),
        (
            "a hot chocolate and a hot chocolate with cream / make the hot chocolates small",
            "a small hot chocolate and a small hot chocolate with cream",
        ),
        ("a sandwich without cheese and mayo", "a sandwich with no cheese and no mayo"),
        ("a chai latte / and soy milk in the chai", "a chai latte with soy milk"),
        ("a tea and a scone / no not the scone make that a bagel", "a tea and a bagel"),
        ("a coffee / no he says a small one or he can't sleep", "a small coffee"),
        ("can i get a latte or a mocha / a mocha then", "a mocha"),
    ],
)
def test_what_is_meant_in_a_call(said: str, order: str, talk: Hear) -> None:
    assert talk(*said.split(" / ")) == f"Okay, {order}. Anything else?"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("do you do mochas / and what do they cost", "That is three euros eighty."),
        ("do you do mochas / how much would a large one be", "A large mocha is four euros forty."),
        ("a tea and a scone / what was the tea again how much is it", "A tea is two euros forty."),
        (
            "how much are the brownies and the scones",
            "A brownie is two euros sixty. A scone is two euros forty.",
        ),
        ("a latte or a mocha please", "Which would you like, a latte or a mocha?"),
        ("a tea / what's my order number", "Nothing is placed yet. Anything else?"),
        ("a tea / that's all / uh huh", "Thank you. Your order number is one."),
        (
            "a tea / could you read me my order again / yes that's correct please place it",
            "Thank you. Your order number is one.",
        ),
        ("a tea / that's all / yes / sorry which number was that", "Your order number is one."),
    ],
)
def test_what_is_answered_in_a_call(said: str, answer: str, talk: Hear) -> None:
    assert talk(*said.split(" / ")) == answer


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("a latte and a tea / the tea is not decaf", ""),
        ("a latte / and a tea not iced", "Okay, a latte and a tea. Anything else?"),
        (
            "a latte and my son likes it hot so a tea",
            "Okay, a latte and a tea. Anything else?",
        ),
        (
            "a coffee without sugar and oat milk",
            "Okay, a coffee with no sugar and oat milk. Anything else?",
        ),
        (
            "a latte with oat milk and a latte with soya milk / take off the one with oat milk",
            "Okay, a latte with soya milk. Anything else?",
        ),
        (
            "two large lattes / another one of the large lattes",
            "Okay, three large lattes. Anything else?",
        ),
        (
            "a latte and a tea / another one of each",
            "Okay, two lattes and two teas. Anything else?",
        ),
        ("a latte with oat milk / no milk / no milk", "Okay, a latte with no milk. Anything else?"),
        (
            "a latte with soya milk / no dairy milk",
            "Okay, a latte with soya milk and no dairy milk. Anything else?",
        ),
        ("my friend said the muffins are great", ""),
        (
            "two teas / how much is a muffin and a scone / yes",
            "What else can I get you?",
        ),
        ("a tea / that's all / okay that one", ""),
        ("a latte and a tea / take off the latte or a tea", ""),
        ("take both off", "You haven't ordered anything yet. What would you like?"),
        (
            "a latte / that's all / yes / cancel both",
            "You haven't ordered anything yet. What would you like?",
        ),
    ],
)
def test_what_was_heard_wrongly_by_its_first_readers(said: str, answer: str, talk: Hear) -> None:
    assert talk(*said.split(" / ")) == answer


@pytest.mark.parametrize(
    "said",
    ["okay can you", "yes send", "that", "um that", "she says yes", "they're saying it's fine",
     "ok is it", "right is that everything"],
)  # fmt: skip
def test_a_piece_of_a_sentence_is_no_yes(said: str, till: TestClient, talk: Hear) -> None:
    assert talk("a latte", "that's all").endswith("Shall I place the order?")
    talk(said)
    assert till.get("/orders").json() == []


@pytest.mark.parametrize("said", ["it's raining here", "what have i got and cancel everything"])
def test_place_it_is_a_yes_only_right_after_the_whole_order_was_told(
    said: str, till: TestClient, talk: Hear
) -> None:
    talk("two lattes", "what have i ordered", *said.split(" / "), "place it")
    assert till.get("/orders").json() == []


@pytest.mark.parametrize(
    "said",
    ["where do i place the order", "i want to place another order", "confirm my order number",
     "i'm going to place the order in a minute", "can you send that by text"],
)  # fmt: skip
def test_what_is_said_of_placing_places_nothing(said: str, till: TestClient, talk: Hear) -> None:
    talk("two lattes", "what have i ordered", said)
    assert till.get("/orders").json() == []


def test_only_a_yes_to_the_reading_back_places_an_order(till: TestClient, talk: Hear) -> None:
    assert talk("a tea") == "Okay, a tea. Anything else?"
    assert talk("yes") == "What else can I get you?"
    assert talk("place it").endswith("Shall I place the order?")
    assert talk("no") == "Okay. What shall I change?"
    assert talk("make it two", "that's it") == (
        "That is two teas, four euros eighty in all. Shall I place the order?"
    )
    assert talk("no that's it").endswith("Shall I place the order?"), "that is no yes"
    assert talk("how much was that again") == "That is four euros eighty. Shall I place the order?"
    assert till.get("/orders").json() == []
    assert hear(till, "yes please", caller="+15550111") == {
        "say": "Thank you. Your order number is one."
    }
    assert till.get("/orders").json() == [{"number": 1, "order": "two teas", "caller": "+15550111"}]
    assert talk("that's all") == "You haven't ordered anything yet. What would you like?"


def test_a_turn_that_comes_again_is_heard_once_and_calls_are_apart(till: TestClient) -> None:
    hear(till, "a tea", turn="1")
    assert hear(till, "a tea and", turn="1") == {"say": "Okay, a tea. Anything else?"}
    assert hear(till, "a scone", session_id="s2") == {"say": "Okay, a scone. Anything else?"}


def test_an_order_has_bounds(talk: Hear, at_the_bar: None) -> None:
    for name in list(import_module("menu").MENU)[:20]:
        talk(f"a {name}")
    assert "at most twenty things" in talk("a sandwich")
    assert "at most" not in talk("make the coffee two")
    for said in ("fifty coffees", "make the coffee fifty", "only fifty coffees"):
        assert "twenty coffees" in (answer := talk(said))
        assert "at most twenty of a thing" in answer


def test_one_drink_at_once_as_the_guide_has_it(till: TestClient) -> None:
    made = till.post("/orders", json={"drink": "cappuccino", "size": "large", "caller": "+1555"})
    assert made.json() == {"number": 1, "order": "a large cappuccino", "caller": "+1555"}
    refused = till.post("/orders", json={"drink": "beer"})
    assert (refused.status_code, refused.json()) == (409, {"error": "there is no beer"})


@pytest.mark.parametrize("body", ["", "[]", "7", '{"said": "a tea"}', '{"session_id": "s1"}'])
def test_what_is_no_question_is_refused(body: str, till: TestClient) -> None:
    assert till.post("/hear", content=body).status_code == 400


@pytest.mark.parametrize(
    "said",
    [
        "the " * 120 + "one",
        "a large " * 60,
        "one of the " * 45,
        "if you " + "have " * 90,
        "and a latte with " * 30,
        "what " * 100 + "do you",
        "no sorry " * 55,
        "twelve ounce " * 40 + "x",
    ],
)
def test_a_hostile_sentence_takes_no_time(said: str, talk: Hear) -> None:
    began = time.process_time()
    talk("two teas", said)
    assert time.process_time() - began < 2


def test_the_calls_it_was_made_by_are_held(at_the_bar: None) -> None:
    told: list[Any] = list(faults(PRACTICE))
    wrong = [turn for turn, faulty in told if faulty]
    assert len(told) > 900
    assert len(wrong) <= 0.05 * len(told), "\n".join(wrong)


@pytest.mark.parametrize(
    "said",
    [
        "don't place it",
        "before you place it how much is it",
        "it's all wrong",
        "that's it no wait",
        "that's fine but make it large",
        "i'm fine thanks i don't want to order",
        "send that back",
        "no you're grand thanks",
        "no that's it",
    ],
)
def test_what_is_no_plain_yes_places_nothing(said: str, talk: Hear, till: TestClient) -> None:
    talk("a latte", "that's all", said)
    assert till.get("/orders").json() == []


@pytest.mark.parametrize(
    "said",
    ["yes", "yeah go ahead", "no that's right", "alright", "please do", "yep that's all good"],
)
def test_a_plain_yes_does(said: str, talk: Hear, till: TestClient) -> None:
    talk("a latte", "that's all", said)
    assert [one["order"] for one in till.get("/orders").json()] == ["a latte"]


def test_a_yes_to_something_else_has_it_read_back_again(talk: Hear, till: TestClient) -> None:
    talk("a latte", "that's all")
    assert talk("how are you") == ""
    assert talk("great thanks").endswith("Shall I place the order?")
    assert till.get("/orders").json() == []


def test_a_yes_that_goes_on_takes_the_order_back(till: TestClient, talk: Hear) -> None:
    talk("a latte", "that's all")
    hear(till, "yes", turn="3")
    hear(till, "yes but make it large", turn="3")
    assert till.get("/orders").json() == []
    assert talk("that's it").startswith("That is a large latte")


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("sixteen muffins", "sixteen muffins"),
        ("20 lattes", "twenty lattes"),
        ("a dozen cookies", "twelve cookies"),
        ("a mocha without cream", "a mocha with no cream"),
        ("two oat milk lattes", "two oat milk lattes"),
        ("a large latte and a small one", "a large latte and a small latte"),
        ("start over a tea please", "a tea"),
    ],
)
def test_numbers_and_kinds(said: str, order: str, talk: Hear) -> None:
    assert talk(said) == f"Okay, {order}. Anything else?"


@pytest.mark.parametrize(
    "said",
    [
        "is it large",
        "i had a coffee this morning",
        "i'm hot today",
        "are you there",
        "a tea or a mocha",
    ],
)
def test_talk_changes_nothing(said: str, talk: Hear) -> None:
    talk("a latte", said)
    assert talk("what did i order").startswith("You have ordered a latte,")
