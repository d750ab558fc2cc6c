"""The templates that the built-in chat model learns from teach what it must never do wrong."""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from chatter import figures
from conversation import Conversation
from dialogues import TOOLS, Dialogue, dialogues
from several_turns import several_at_bar
from till import TILL

Message = dict[str, Any]
#: What a template leaves behind where it isn't filled.
UNFILLED = re.compile(r"[\[\]]|\{\w")
#: And in a prompt, which may hold JSON.
UNFILLED_PROMPT = re.compile(r"\{[a-zA-Z]+\d|\[\w[^\]]*\|")
CHANGING = ("add_to_order", "change_order", "remove_from_order")


@pytest.fixture(scope="module")
def lessons() -> Sequence[Dialogue]:
    return tuple(itertools.islice(dialogues(7), 3000))


def calls(messages: Sequence[Message]) -> list[tuple[int, str, dict[str, Any]]]:
    """Where a tool is called, which, with what."""
    found = []
    for index, message in enumerate(messages):
        for call in message.get("tool_calls", ()):
            function = call["function"]
            found.append((index, function["name"], json.loads(function["arguments"])))
    return found


def read_back_by_another(message: Message) -> bool:
    """Whether an assistant whose words are not learnt asks for a yes to the order."""
    asks = message["content"].endswith("?") and not message["content"].endswith("Anything else?")
    return message["role"] == "assistant" and not message.get("learn", True) and asks


def test_only_declared_tools_are_called(lessons: Sequence[Dialogue]) -> None:
    known = {*TOOLS, *TILL}
    for lesson in lessons:
        called = {name for _, name, _ in calls(lesson.messages)}
        assert called <= known & set(lesson.tools)


def test_nothing_is_placed_before_the_caller_said_yes_to_what_was_read_back(
    lessons: Sequence[Dialogue],
) -> None:
    placed = 0
    for lesson in lessons:
        called = calls(lesson.messages)
        for index, name, _ in called:
            if name != "place_order":
                continue
            placed += 1
            changes = [at for at, tool, _ in called if at < index and tool in CHANGING]
            since = lesson.messages[max(changes, default=0) : index]
            told = any(tool == "get_order" for _, tool, _ in calls(since)) or any(
                map(read_back_by_another, since)
            )
            assert told, since[-1]["content"]
            assert since[-1]["role"] == "user"
            assert not since[-1]["content"].endswith("?")
    assert placed > 20


def test_every_turn_is_answered(lessons: Sequence[Dialogue]) -> None:
    for lesson in lessons:
        assert lesson.messages[-1]["role"] == "assistant"
        for message in (m for m in lesson.messages if m["role"] != "tool"):
            unfilled = UNFILLED_PROMPT if message["role"] == "system" else UNFILLED
            assert not unfilled.search(message["content"]), message["content"]


def test_several_wishes_are_all_answered() -> None:
    """As many sentences or clauses as tools were called, at least."""
    for seed in range(200):
        talk = Conversation(random.Random(seed), (*TOOLS, *TILL))
        several_at_bar(talk)
        if not talk.messages:
            continue
        answer = talk.last_answer() or ""
        assert answer.count(".") + answer.count("?") >= len(calls(talk.messages))


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        ("make it twenty two percent", "make it 22%"),
        ("one hundred and eighty degrees", "180 degrees"),
        ("at seven thirty", "at 7:30"),
        ("half past one", "half past one"),
        ("five five five two zero one", "555201"),
        ("set it to nineteen and a half degrees", "set it to 19.5 degrees"),
    ],
)
def test_figures(words: str, typed: str) -> None:
    assert figures(words) == typed
