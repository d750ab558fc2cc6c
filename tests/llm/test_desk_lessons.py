"""What the lessons about a desk teach can be read off its prompt, and never two ways."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from conversation import Conversation
from desk_facts import Desk, draw_desk
from desk_further import together
from desk_world import draw_told_desk
from domain import choose_branches
from follow_turns import follow_turn
from instructed_questions import draw_question
from sheet_desk import draw_sheet_desk
from sheet_values import Money, clock_at, draw_money
from spoken_numbers import spoken_number

Draw = Callable[[random.Random], Desk]
HOUSES: tuple[Draw, ...] = (draw_sheet_desk, draw_told_desk, draw_desk)
NUMBERS = {spoken_number(number): number for number in range(1000)}


def written(price: str) -> Iterator[str]:
    """The whole coins of a price in the ways in which a prompt may write them."""
    words = price.removeprefix("from ").split()
    for end in range(len(words), 0, -1):
        said = " ".join(words[:end])
        if said in NUMBERS:
            yield from (said, said.replace("ty ", "ty-"), str(NUMBERS[said]))
            return
    yield price  # free


@pytest.mark.parametrize("draw", HOUSES)
def test_every_price_stands_in_the_prompt(draw: Draw) -> None:
    rng = random.Random(1)
    priced = 0
    for _ in range(60):
        desk = draw(rng)
        for thing in desk.things:
            priced += 1
            assert any(price in desk.system.lower() for price in written(thing.price)), thing
    assert priced > 40


@pytest.mark.parametrize("draw", HOUSES)
def test_a_question_to_a_prompt_has_one_answer(draw: Draw) -> None:
    rng = random.Random(2)
    for _ in range(25):
        desk = draw(rng)
        answers: dict[str, str] = {}
        for _ in range(60):
            asked = draw_question(desk, rng)
            text = " ".join(choose_branches(asked.text, rng).split())
            assert answers.setdefault(text, asked.answer) == asked.answer, (desk.system, text)


@pytest.mark.parametrize("style", ["words", "hyphens", "figures", "sign", "behind", "code", "bare"])
def test_a_price_is_told_with_its_amount(style: str) -> None:
    rng = random.Random(3)
    for _ in range(50):
        money = draw_money(rng, rng.choice(("euro", "pound", "dollar")), 1, 400)
        whole = money.cents // 100
        told = money.told(style).replace("-", " ")
        assert re.search(rf"\b({whole}|{spoken_number(whole)})\b", told), (style, money, told)


def test_prices_are_added_up_in_one_coin_only() -> None:
    euros, pounds = Money(350, "euro"), Money(200, "pound")
    assert together([euros, euros]) == "That is seven euros together."
    assert together([euros, Money(300, "euro")]) == "That is six euros fifty together."
    assert together([euros, pounds]) is None
    assert together([euros, None]) is None


@pytest.mark.parametrize(
    ("minute", "style", "told", "said"),
    [
        (18 * 60 + 5, "24", "18:05", "six oh five"),
        (18 * 60 + 30, "am", "6:30 pm", "six thirty"),
        (9 * 60, "dot", "9.00", "nine"),
        (12 * 60, "24", "12:00", "noon"),
        (12 * 60 + 15, "figures", "12:15", "twelve fifteen"),
    ],
)
def test_a_time_is_said_as_it_is_told(minute: int, style: str, told: str, said: str) -> None:
    assert clock_at(minute, style) == (told, said)


def test_what_follows_is_answered_from_what_was_said() -> None:
    """Each name in a learnt answer stands before it."""
    rng = random.Random(4)
    answered = 0
    for _ in range(300):
        talk = Conversation(rng, ())
        follow_turn(talk)
        for index, message in enumerate(talk.messages):
            if message["role"] != "assistant" or not message.get("learn", True):
                continue
            answered += 1
            before = " ".join(str(one["content"]) for one in talk.messages[:index])
            names = re.findall(r"(?<=[a-z,] )[A-Z][^\W\d]+", message["content"])
            assert all(name.lower() in before.lower() for name in names), (before, message)
    assert answered > 250
