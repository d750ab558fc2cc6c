"""What the model is asked when its tools have answered."""

from __future__ import annotations

import pytest

from voicepipe.conversation.items import (
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    MessageItem,
    TextPart,
)
from voicepipe.llm.contract import ChatRequest, ToolCall
from voicepipe.llm.prompt import build_messages
from voicepipe.session.prompting import after_calls
from voicepipe.tools.contract import ToolResult


@pytest.mark.parametrize("output", ['{"order":"a tea","total":"two €"}', "plain words", "{broken"])
def test_a_result_reads_at_once_as_it_reads_in_every_later_prompt(output: str) -> None:
    """Else the model is asked in a spelling that it never meets again, and nothing of the prompt
    behind the result is found in a prefix cache."""
    asked = MessageItem("i1", "user", (TextPart("a tea please"),))
    call = ToolCall("c1", "add_to_order", '{"items": "a tea"}')
    request = ChatRequest(build_messages("Take orders.", [asked]))
    now = after_calls(request, "", [call], [ToolResult(call.name, output)])
    items: list[Item] = [
        asked,
        FunctionCallItem("i2", call.call_id, call.name, call.arguments),
        FunctionOutputItem("i3", call.call_id, output),
    ]
    assert now.messages == build_messages("Take orders.", items)
