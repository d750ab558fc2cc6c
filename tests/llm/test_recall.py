"""The drills in recall: what is answered was told, and the newer telling counts."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from conversation import Conversation
from recall import FACTS, draw_table, prompt, recall_conversation

SEEDS = range(300)
GREETINGS = "Thank you,|The name is|Hello|I have|For"


def is_told(talk: Conversation) -> bool:
    """The caller tells of things and asks for them; else the caller says names."""
    return str(talk.messages[1]["content"]).startswith("Okay, the ")


def drills(beginning: str) -> list[Conversation]:
    """Those of many whose first message begins so."""
    every = [recall_conversation(random.Random(seed)) for seed in SEEDS]
    return [talk for talk in every if re.match(beginning, talk.messages[0]["content"])]


@pytest.mark.parametrize("seed", SEEDS[:60])
def test_all_facts_of_all_things_stand_in_the_prompt(seed: int) -> None:
    rng = random.Random(seed)
    table = draw_table(rng)
    text = prompt(table, rng).lower()
    assert len(set(table.keys)) == len(table.keys)
    for told in table.facts.values():
        assert len({one.spoken for one in told}) == len(table.keys)
        assert all(one.written.lower() in text for one in told)
    assert all(key.lower() in text for key in table.keys)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_question_has_its_answer_in_spoken_words(seed: int) -> None:
    messages = [
        m for m in recall_conversation(random.Random(seed)).messages if m["role"] != "system"
    ]
    assert [m["role"] for m in messages] == ["user", "assistant"] * (len(messages) // 2)
    said = [m["content"] for m in messages]
    assert all(text and text == text.strip() for text in said)
    assert not any(sign in text for text in said for sign in "[]{}|")


def test_what_the_caller_told_last_is_what_holds() -> None:
    changed = 0
    for seed in SEEDS:
        talk = recall_conversation(random.Random(seed))
        if talk.messages[0]["role"] == "system" or not is_told(talk):
            continue
        known: dict[str, str] = {}
        for message in talk.messages[1::2]:
            if told := re.fullmatch(r"Okay, the (.+?) is (.+)\.", message["content"]):
                changed += told[1] in known
                known[told[1]] = told[2]
                continue
            sentences = [f"The {key} is {value}." for key, value in known.items()]
            assert message["content"] in (*sentences, " ".join(sentences))
    assert changed > 20


def test_a_form_is_read_back_whole() -> None:
    forms = drills("Take down|You note|Form:")
    assert len(forms) > 30
    for talk in forms:
        system, *rest = talk.messages
        listed = re.match(r"(?:Take down|You note|Form:) (.+?)(?:\.| and read)", system["content"])
        assert listed
        fields = listed[1].split(", ")
        assert set(fields) <= set(FACTS)
        last = [m["content"] for m in rest if m["content"].startswith("I have ")][-1]
        assert last.endswith("Is that right?")
        assert all(f"{field} " in last for field in fields)


def test_names_are_said_back_with_their_capitals() -> None:
    met = 0
    for seed in SEEDS:
        talk = recall_conversation(random.Random(seed))
        if talk.messages[0]["role"] == "system" or is_told(talk):
            continue
        for asked, answer in zip(talk.messages[::2], talk.messages[1::2], strict=True):
            told = asked["content"].lower().rstrip(".!?").split()
            said = answer["content"].removesuffix(", right?").removesuffix(" Is that right?")
            names = re.findall(r"\b[A-Z][a-z]+\b", re.sub(f"^({GREETINGS}) ", "", said))
            assert names
            assert "".join(names).lower() in "".join(w for w in told if w != "and")
            met += 1
    assert met > 50
