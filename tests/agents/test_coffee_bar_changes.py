"""What callers point at in their order, put right and take back, and what is none of that."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.agents.at_the_bar import Hear


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("a latte and a large latte / and the large one with oat milk",
         "a latte and a large latte with oat milk"),
        ("a tea / and an orange juice no not orange juice a lemonade", "a tea and a lemonade"),
        ("a large black coffee / no not black put milk in it", "a large coffee with milk"),
        ("two lattes with an extra shot and almond milk / no extra shot in the almond ones",
         "two lattes with almond milk"),
        ("a latte with oat milk and a croissant / it should be almond milk not oat milk sorry",
         "a latte with almond milk and a croissant"),
        ("a mocha with soy milk / can i get that but decaf for my mate",
         "a mocha with soy milk and a decaf mocha with soy milk"),
        ("two chais with sugar / in one of the chais put extra ginger",
         "a chai with sugar and a chai with sugar and extra ginger"),
        ("two lattes and a decaf latte / and the other two with oat milk",
         "two lattes with oat milk and a decaf latte"),
        ("five coffees two of them black and the rest with milk",
         "three coffees with milk and two black coffees"),
        ("a tea / i had a cortado once do you do those / i'll have one of those then a double",
         "a tea and a double cortado"),
        ("a cookie each so two cookies", "two cookies"),
        ("three brownies / okay two brownies then not three", "two brownies"),
        ("a latte with oat milk and a muffin / no sorry make that soy milk",
         "a latte with soy milk and a muffin"),
        ("four teas with two sugars / and take the sugar out of one of the teas",
         "three teas with two sugars and a tea"),
        ("five coffees and three coffees with milk / the coffees with milk should be large",
         "five coffees and three large coffees with milk"),
        ("three hot chocolates two small ones and one medium",
         "a medium hot chocolate and two small hot chocolates"),
        ("a large flat white / and another one the same but twelve ounces",
         "a large flat white and a twelve ounce flat white"),
    ],
)  # fmt: skip
def test_what_is_pointed_at_is_what_changes(said: str, order: str, talk: Hear) -> None:
    assert talk(*said.split(" / ")) == f"Okay, {order}. Anything else?"


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("three teas / my brother is here so one tea for him", "four teas"),
        ("a latte with milk and sugar / no milk and no sugar", "a latte"),
        ("a latte with oat milk and caramel / remove the oat milk and the caramel", "a latte"),
        ("a latte / the muffins look great give me two", "a latte and two muffins"),
        ("two lattes / i'll have a muffin they look lovely", "two lattes and a muffin"),
        ("two lattes / and my wife she wants one", "three lattes"),
        ("an extra large latte / an extra hot latte / make it extra hot",
         "an extra large latte and an extra hot latte"),
    ],
)  # fmt: skip
def test_what_a_second_reader_found(said: str, order: str, talk: Hear) -> None:
    assert talk(*said.split(" / ")) == f"Okay, {order}. Anything else?"


@pytest.mark.parametrize(
    "said",
    ["just one thing", "would that be right", "would it be ok", "surely you do",
     "i'd like that but i'll pass", "that's two euros less", "i had one of each", "not large",
     "it's not hot outside", "nothing in it", "the other two with oat milk",
     "thanks we'll come again", "he couldn't catch the bus", "never a tea for me",
     "what are we like"],
)  # fmt: skip
def test_what_is_no_change_changes_nothing_and_a_later_yes_reads_back(
    said: str, talk: Hear, till: TestClient
) -> None:
    talk("an extra large hot latte", "that's all")
    assert talk(said) == ""
    assert till.get("/orders").json() == []
    assert talk("yes").endswith("Shall I place the order?")


def test_what_was_said_last_is_said_again_and_may_still_be_agreed_to(talk: Hear) -> None:
    read_back = talk("a tea", "no that's all")
    assert talk("sorry what did you say") == read_back
    assert talk("yes that's right") == "Thank you. Your order number is one."


def test_what_the_model_said_is_not_the_tills_to_say_again(talk: Hear) -> None:
    assert talk("a tea", "it's raining here", "sorry what did you say") == ""


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("a tea / it's not a tea it's a coffee", "a coffee"),
        ("a scone and a tea / no that's not a tea it's a large latte", "a scone and a large latte"),
        ("a tea / i said not a tea a coffee", "a coffee"),
        ("two muffins / make them both blueberry muffins", "two blueberry muffins"),
        ("a scone and a croissant / make them both brownies", "two brownies"),
        ("a latte and two teas / so the latte and two teas", "a latte and two teas"),
        ("a large latte and a tea / right the latte and two teas with milk",
         "a large latte and two teas with milk"),
        ("a latte / the latte and a muffin please", "a latte and a muffin"),
    ],
)  # fmt: skip
def test_what_is_told_again_or_denied_is_not_more(said: str, order: str, talk: Hear) -> None:
    assert talk(*said.split(" / ")) == f"Okay, {order}. Anything else?"


@pytest.mark.parametrize(
    "said",
    ["okay mary what do you want", "yes mary do you want anything", "yes um what does he want",
     "my name is agave", "yes the name's ginger", "my name is mocha", "you can call me honey"],
)  # fmt: skip
def test_names_and_what_is_asked_of_others_order_nothing(
    said: str, talk: Hear, till: TestClient
) -> None:
    talk("a latte", "that's all")
    assert talk(said) == ""
    assert till.get("/orders").json() == []
    assert talk("yes") == "That is a latte, three euros fifty in all. Shall I place the order?"


def test_a_name_is_told_beside_an_order(talk: Hear) -> None:
    assert talk("my name is ginger and i'd like a latte") == "Okay, a latte. Anything else?"
    assert talk("mary what do you want, and a tea") == "Okay, a latte and a tea. Anything else?"
