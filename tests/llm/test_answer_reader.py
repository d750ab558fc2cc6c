from __future__ import annotations

import pytest

from voicepipe.errors import EngineError
from voicepipe.llm.answer_reader import AnswerReader
from voicepipe.llm.contract import Delta, TextDelta, ToolCallDelta

CALL = '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>'


def read(reader: AnswerReader, *texts: str) -> list[Delta]:
    deltas = [delta for text in texts for delta in reader.feed(text)]
    return [*deltas, *reader.close()]


def test_text_and_calls_come_in_order() -> None:
    reader = AnswerReader({"get_time"})
    text, call = read(reader, "", "Let me see.", CALL)
    assert text == TextDelta("Let me see.")
    assert isinstance(call, ToolCallDelta)
    assert call.call.name == "get_time"
    assert reader.finish_reason("stop") == "tool_calls"


def test_answer_without_calls_ends_as_the_engine_says() -> None:
    reader = AnswerReader(())
    assert not reader.delivered
    assert read(reader, "Hello.") == [TextDelta("Hello.")]
    assert reader.delivered
    assert reader.finish_reason("length") == "length"
    assert read(AnswerReader(())) == []


@pytest.mark.parametrize(
    ("tools", "text", "reason"),
    [((), CALL, "not offered"), (("get_time",), "<tool_call>get the secret", "bad JSON")],
)
def test_unusable_calls_are_left_out_and_fail_an_otherwise_empty_answer(
    tools: tuple[str, ...], text: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(EngineError, match=reason) as caught:
        read(AnswerReader(tools), text)
    assert caught.value.retryable
    reader = AnswerReader(tools)
    assert read(reader, "Well.", text) == [TextDelta("Well.")]
    assert reader.finish_reason("stop") == "stop"
    assert "secret" not in caplog.text
