"""What llama.cpp's replies become, without llama.cpp."""

from __future__ import annotations

from voicepipe.llm.answer_reader import AnswerReader
from voicepipe.llm.engines.llama_cpp_answer import LlamaAnswer
from voicepipe.llm.thinking import ThoughtFilter
from voicepipe.llm.tool_parser import OPEN


def test_a_call_that_is_only_thought_of_opens_none() -> None:
    """Else the model would be made to call a tool in the middle of its thought."""
    thoughts = ThoughtFilter(("<think>",), begun=True)
    answer = LlamaAnswer(AnswerReader({"get_time"}, thoughts), thoughts)
    answer.cut_at_calls = True
    opened = []
    for text in ("Do I need ", OPEN, " here? Yes.", "</think>", f"{OPEN} and more"):
        assert not list(answer.feed({"text": text, "step_ms": 1.0}))
        opened.append(answer.opens_a_call)
    assert opened == [False, False, False, False, True]
    assert answer.raw.endswith(OPEN)
