"""The drills in reading: what is answered stands in the prompt; what is not told is not known."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from lookup_facts import KINDS, Kind, Told
from lookups import (
    QUALITIES,
    SERVICES,
    THINGS,
    UNKNOWN,
    draw_keys,
    draw_sheet,
    lookup_conversation,
    prompt,
)
from scene_values import MONEY
from spoken_numbers import spoken_number

SEEDS = range(300)


def test_the_words_are_many_and_each_stands_once() -> None:
    assert len(THINGS) == len(set(THINGS)) > 1200
    assert len(SERVICES) == len(set(SERVICES)) > 300
    assert len(QUALITIES) == len(set(QUALITIES)) > 150
    assert all(words and words == words.lower() for words in (*THINGS, *SERVICES, *QUALITIES))


@pytest.mark.parametrize("seed", SEEDS[:40])
def test_all_facts_of_all_things_stand_in_the_prompt(seed: int) -> None:
    rng = random.Random(seed)
    sheet = draw_sheet(rng)
    text = prompt(sheet, rng).lower()
    for key in sheet.keys:
        assert key.one in text or key.many in text
    for _, told in sheet.facts:
        for fact in told:
            assert fact.written.lower() in text


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.title)
def test_facts_of_a_kind_differ_however_many_there_are(kind: Kind) -> None:
    for seed in SEEDS:
        told = kind.draw(random.Random(seed), 5)
        assert len({fact.spoken for fact in told}) == len(told) == 5


def test_things_of_one_kind_differ_in_a_word() -> None:
    for seed in SEEDS:
        keys = draw_keys(random.Random(seed), 4)
        assert len({key.one for key in keys}) == 4


@pytest.mark.parametrize("seed", SEEDS)
def test_each_question_is_one_and_has_its_answer(seed: int) -> None:
    messages = lookup_conversation(random.Random(seed)).messages
    said = [message["content"] for message in messages[1:]]
    assert not any(sign in text for text in said for sign in "[]{}|")
    answers = [m["content"] for m in messages if m["role"] == "assistant" and m.get("learn", True)]
    assert answers
    assert not any(char.isdigit() for text in answers for char in text)
    assert messages[-1]["role"] == "assistant"


def test_the_lesser_of_two_and_their_sum() -> None:
    (prices,) = [kind for kind in KINDS if kind.title == "Prices"]
    dearer, together = prices.compared[0], prices.compared[1]
    kettle = ("kettle", Told("12.50 euros", "twelve euros fifty", 1250))
    harp = ("harp", Told("80 euros", "eighty euros", 8000))
    answers = {dearer(random.Random(seed), kettle, harp)[1] for seed in range(20)}
    assert answers == {
        "a kettle is cheaper, twelve euros fifty.",
        "a harp is more expensive, eighty euros.",
    }
    assert together(random.Random(1), kettle, harp)[1] == "That is ninety two euros fifty together."


def test_one_price_for_several() -> None:
    (prices,) = [kind for kind in KINDS if kind.title == "Prices"]
    kettle = ("kettle", Told("12.50 euros", "twelve euros fifty", 1250))
    for seed in range(20):
        question, answer = prices.compared[-1](random.Random(seed), kettle, kettle)
        count = next(n for n in range(2, 10) if f"for {spoken_number(n)}" in question)
        assert answer == f"That is {MONEY['euros'].words(count * 1250)} together."


def test_what_is_not_told_is_not_known() -> None:
    unknown = 0
    for seed in SEEDS:
        messages = lookup_conversation(random.Random(seed)).messages
        unknown += sum(message["content"] == UNKNOWN for message in messages)
    assert 100 < unknown < 500
