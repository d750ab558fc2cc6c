"""Calls at a desk with tools: what callers say is written, what is answered is the desk's own; and
bookings of the scenes, told once more with the same tools."""

from __future__ import annotations

import json
import random
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.random_cases import cases

sys.path.insert(0, str(Path(__file__).parents[2] / "agents" / "bookings"))
sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from conversation import Conversation
from spoken import spoken
from told_desk import CallError, all_calls, read_calls, told
from tooled_desk import DESK, with_tools

HOUSE = '{"name": "Da Lucia", "books": "a table", "hours": {"friday": "17:00-22:00"}, "needs": [{"what": "day"}, {"what": "name"}]}'  # noqa: E501
CALL = f"""
== a table
{HOUSE}
greet: Da Lucia, hello.
> a table on monday
note
> friday then and where are you
note
> novak | it's novak
note
> yes please
confirm
> thanks
You're welcome.
"""


def answers(talk: Conversation) -> list[str]:
    messages = talk.messages
    return [m["content"] for m in messages if m["role"] == "assistant" and m["content"]][1:]


def test_the_desk_answers_for_itself() -> None:
    (call,) = read_calls(CALL)
    assert answers(told(call, random.Random(1))) == [
        "I'm sorry, we're closed on Mondays. For which other day?",
        "I'm sorry, I don't know that. Okay, a table on Friday. Whose name shall I put it under?",
        "Okay. That is a table on Friday for Novak. Shall I book it?",
        "Thank you. A table on Friday for Novak is booked.",
        "You're welcome.",
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [("noted", "tools are note"), ("note\nnote", "stands there already"), ("{]", "line 2")],
)
def test_what_is_wrong_is_told_with_its_line(line: str, why: str) -> None:
    text = f"== a table\n{line}" if line == "{]" else f"== a table\n{HOUSE}\n> hello\n{line}"
    with pytest.raises(CallError, match=why):
        list(read_calls(text))


def test_every_call_can_be_told() -> None:
    assert len(all_calls()) > 40
    for call in all_calls():
        for seed in range(cases(20)):
            talk = told(call, random.Random(seed))
            assert all(answers(talk)), call.title
            assert set(DESK) <= set(talk.tools)


def called(talk: Conversation) -> list[tuple[str, Any, Any]]:
    """Each call: the tool, its arguments, its result."""
    return [
        (
            (function := call["tool_calls"][0]["function"])["name"],
            json.loads(function["arguments"]),
            json.loads(result["content"]),
        )
        for call, result in pairwise(talk.messages)
        if call.get("tool_calls")
    ]


def test_a_booking_is_told_once_more_with_tools() -> None:
    talk = Conversation(random.Random(7), ())
    talk.messages.append(
        {
            "role": "system",
            "content": "You book at Da Lucia. The set menu is 9 €. No more than eight people.",
        }
    )
    for said, answer in (
        ("a table on friday", "Okay, a table on Friday. For how many people?"),
        ("how much is the set menu", "The set menu is nine euros."),
        ("for twelve", "I'm sorry, it is eight people at most. For how many people?"),
        ("four", "Okay. That is a table for four people on Friday. Shall I book it?"),
        ("yes", "Thank you. A table for four people on Friday is booked."),
    ):
        talk.messages += [
            {"role": "user", "content": said},
            {"role": "assistant", "content": answer},
        ]
    seen: dict[str, Any] = {}
    for seed in range(30):
        talk.rng = random.Random(seed)
        again = with_tools(talk)
        assert again is not None
        for name, arguments, result in called(again):
            seen.setdefault(json.dumps([name, *arguments.values()]), result)
            assert spoken(result).partition(", all")[0] in answers_of(again)
    assert seen['["note_booking", "a table on friday"]'] == {
        "booking": "a table on Friday",
        "ask": "For how many people?",
    }
    assert seen['["get_fact", "how much is the set menu"]']["fact"] == "The set menu is nine euros."
    assert seen['["note_booking", "for twelve"]']["refused"] == "it is eight people at most"
    assert seen['["confirm_booking"]']["booked"] == "a table for four people on Friday is booked"


def answers_of(talk: Conversation) -> str:
    return "\n".join(m["content"] for m in talk.messages if m["role"] == "assistant")


def test_a_talk_that_books_nothing_stays_as_it_is() -> None:
    talk = Conversation(random.Random(7), ())
    talk.messages += [
        {"role": "system", "content": "You answer for Da Lucia."},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "Hello! How can I help you?"},
    ]
    assert with_tools(talk) is None
