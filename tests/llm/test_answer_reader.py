from __future__ import annotations

import pytest

from voicepipe.llm.answer_reader import AnswerReader
from voicepipe.llm.contract import Delta, TextDelta, ToolCallDelta, ToolCallUnusable
from voicepipe.llm.thinking import ThoughtFilter
from voicepipe.runtime.errors import EngineError

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
    with pytest.raises(ToolCallUnusable, match=reason) as caught:
        read(AnswerReader(tools), text)
    assert caught.value.retryable
    assert reason in caught.value.reason
    reader = AnswerReader(tools)
    assert read(reader, "Well.", text) == [TextDelta("Well.")]
    assert reader.has_left_out
    assert reader.finish_reason("stop") == "tool_calls"  # so that nobody keeps it as an answer
    assert "secret" not in caplog.text


def test_answer_of_thoughts_alone_fails_instead_of_being_silently_empty() -> None:
    with pytest.raises(EngineError, match="thought and then said nothing") as caught:
        read(AnswerReader((), ThoughtFilter(("<think>",))), "<think>", "What now?")
    assert caught.value.retryable
    assert "What now" not in str(caught.value)
    reader = AnswerReader(("get_time",), ThoughtFilter(("<think>",)))
    (call,) = read(reader, "<think>The time?</think>\n", CALL)
    assert isinstance(call, ToolCallDelta)


def test_text_that_only_looked_like_the_beginning_of_a_thought_is_said() -> None:
    reader = AnswerReader((), ThoughtFilter(("<think>",)))
    assert read(reader, "Three <thi") == [TextDelta("Three"), TextDelta(" <thi")]
