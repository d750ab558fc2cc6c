"""What leaves the prompt for a summary, and what stays."""

from __future__ import annotations

from voicepipe.conversation.items import (
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    MessageItem,
    TextPart,
)
from voicepipe.conversation.summary import Summary, oldest_turns, without
from voicepipe.llm.prompt import build_messages


def said(number: int) -> Item:
    return MessageItem(f"u{number}", "user", (TextPart(f"Question {number}."),))


def test_a_result_that_came_turns_after_its_call_is_told_to_the_model() -> None:
    """A client's tool may take long, and its result stands where it came."""
    call = FunctionCallItem("a", "c1", "find_table", '{"people": 2}')
    items = [said(1), call, said(2), said(3), FunctionOutputItem("o", "c1", "table 4"), said(4)]
    covered = oldest_turns(items, 60)
    assert [item.id for item in covered] == ["u1", "a"]
    summary = Summary("s", frozenset(item.id for item in covered))
    prompt = build_messages("", without(items, summary))
    assert [m.content for m in prompt if m.role == "tool"] == ["table 4"]
    assert "Question 1." not in str(prompt)
    waiting = build_messages("", without([i for i in items if i.id != "o"], summary))
    assert "find_table" not in str(waiting)
