"""What must follow an answer whose beginning is forced, however much of that the prompt holds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.llm.reading import ask
from voicepipe.llm.contract import Tool
from voicepipe.llm.tool_grammar import forced_beginning, forced_grammar
from voicepipe.llm.tool_parser import CLOSE, OPEN

BOOK = Tool("book", "", {"type": "object", "properties": {"table": {"type": "integer"}}})
CANCEL = Tool("cancel", "")


def start(choice: str, begun: str) -> str:
    request = replace(ask("x", BOOK, CANCEL), tool_choice=choice)
    grammar = forced_grammar(request, begun, CLOSE)
    return next(line for line in grammar.splitlines() if line.startswith("start: "))


@pytest.mark.parametrize("choice", ["auto", "none"])
def test_an_answer_that_need_not_be_a_call_is_free(choice: str) -> None:
    assert forced_grammar(replace(ask("x", BOOK), tool_choice=choice), "", CLOSE) == ""


@pytest.mark.parametrize("kept", range(len(forced_beginning("book")) + 1))
def test_what_the_prompt_lacks_of_the_beginning_comes_first(kept: int) -> None:
    whole = forced_beginning("book")
    missing = json.dumps(whole[kept:]) + " " if whole[kept:] else ""
    rest = r'"\", \"arguments\": " arguments "}\n" close'
    assert start("book", whole[:kept]) == f"start: {missing}{rest}"


def test_a_call_of_any_tool_follows_the_tag() -> None:
    assert start("required", OPEN) == 'start: "\\n" call "\\n" close'
    assert start("required", OPEN[:3]) == f'start: "{OPEN[3:]}" "\\n" call "\\n" close'


def test_the_tag_is_spelled_as_the_tokenizer_has_it() -> None:
    request = replace(ask("x", BOOK), tool_choice="required")
    assert f"\nclose: {CLOSE}\n" in forced_grammar(request, OPEN, CLOSE)
    assert f'\nclose: "{CLOSE}"\n' in forced_grammar(request, OPEN, f'"{CLOSE}"')
