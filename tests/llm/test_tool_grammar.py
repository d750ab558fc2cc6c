"""What must follow an answer whose beginning is forced, however much of that the prompt holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, normalizers

from tests.llm.reading import ask
from tests.llm.tiny_tokenizer import write_tokenizer
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import Tool
from voicepipe.llm.tool_grammar import (
    ANY_OBJECT,
    arguments_grammar,
    call_grammar,
    forced_beginning,
    forced_grammar,
    spelling,
    spelt,
)
from voicepipe.llm.tool_parser import CLOSE, OPEN
from voicepipe.models.registry import packaged_models_dir

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


ITEM = {"type": "object", "properties": {"more": {"$ref": "#/$defs/item"}}}
ORDER = Tool(
    "order",
    "",
    {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "whole": {"$ref": "#"},
            "const": {"$ref": "#/$defs/item"},
            "note": {"const": {"$ref": "#/is/data"}},
        },
        "$defs": {"item": ITEM},
    },
)


def schema_of(grammar: str) -> dict[str, Any]:
    rule = next(line for line in grammar.splitlines() if "%json " in line)
    schema: dict[str, Any] = json.loads(rule.partition("%json ")[2])
    return schema


def looked_up(schema: Any, reference: str) -> Any:
    for part in reference.split("/")[1:]:
        schema = schema[int(part)] if isinstance(schema, list) else schema[part]
    return schema


@pytest.mark.parametrize("tools", [(ORDER,), (BOOK, ORDER), (ORDER, CANCEL)])
def test_references_lead_to_where_their_tool_stands(tools: tuple[Tool, ...]) -> None:
    schema = schema_of(call_grammar(tools))
    call = schema if len(tools) == 1 else schema["anyOf"][tools.index(ORDER)]
    arguments = call["properties"]["arguments"]
    item = arguments["$defs"]["item"]
    asked = arguments["properties"]
    for reference in (asked["items"]["items"], asked["const"], item["properties"]["more"]):
        assert looked_up(schema, reference["$ref"]) is item
    assert looked_up(schema, asked["whole"]["$ref"]) is arguments
    assert asked["note"] == {"const": {"$ref": "#/is/data"}}


def test_references_stay_where_the_arguments_are_all_there_is() -> None:
    properties = schema_of(arguments_grammar(ORDER))["properties"]
    assert properties["items"]["items"] == {"$ref": "#/$defs/item"}


NOWHERE = ["#/$defs/none", "https://example.com/item", "#item", "#/required/" + "9" * 5000]


@pytest.mark.parametrize("reference", NOWHERE)
def test_a_tool_that_refers_to_nothing_is_any_object_and_the_others_keep_theirs(
    reference: str,
) -> None:
    properties = {"item": {"$ref": reference}}
    odd = Tool("odd", "", {"type": "object", "properties": properties, "required": []})
    first, second = schema_of(call_grammar((odd, BOOK)))["anyOf"]
    assert first["properties"]["arguments"] == ANY_OBJECT
    assert "table" in second["properties"]["arguments"]["properties"]


def test_the_tag_is_spelled_as_the_tokenizer_has_it() -> None:
    request = replace(ask("x", BOOK), tool_choice="required")
    assert f"\nclose: {CLOSE}\n" in forced_grammar(request, OPEN, CLOSE)
    assert f'\nclose: "{CLOSE}"\n' in forced_grammar(request, OPEN, f'"{CLOSE}"')


def test_what_a_schema_prescribes_is_spelt_as_the_tokenizer_writes_it() -> None:
    tokenizer = ChatTemplate(packaged_models_dir() / "builtin" / "llm").tokenizer
    zone = {"enum": ["Mars/Utopia", 3], "description": "Where"}
    parameters = {"type": "object", "properties": {"const": zone, "kind": {"const": "cold"}}}
    tool = spelt(Tool("get_time", "", parameters), spelling(tokenizer))
    assert tool.name == "⇤ get_time"
    found = tool.parameters["properties"]
    assert found["const"] == {"enum": ["⇤⇧ mars/⇤⇧ utopia", 3], "description": "Where"}
    assert found["kind"] == {"const": "⇤ cold"}
    tokens = tokenizer.encode('"Mars/Utopia"', add_special_tokens=False).tokens
    assert "".join(tokens).startswith('"âĩ¤')


def test_other_tokenizers_write_it_as_it_is(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    plain = ChatTemplate(tmp_path).tokenizer
    marked = Tokenizer(models.BPE())
    marked.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    assert spelling(plain)("Mars/Utopia") == spelling(marked)("Mars/Utopia") == "Mars/Utopia"
