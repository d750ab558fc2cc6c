"""Grammars that a tool call must follow, for constrained decoding: LLGuidance's Lark, which
llama.cpp and vLLM read.

Only the call is constrained: an answer's spoken part is free, and once the model opens a call the
rest of it is generated under the grammar. So a call always parses, names a tool that was offered
and has arguments after its schema. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tokenizers import Tokenizer

from voicepipe.llm.contract import ChatRequest, Tool
from voicepipe.llm.schema_references import schema_at
from voicepipe.llm.tool_parser import CLOSE, OPEN

ANY_OBJECT: Mapping[str, Any] = {"type": "object"}  # of tools that declare nothing
_SPACING = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""One way to write each call, so that a model lost for words cannot fill it with line breaks."""


def call_grammar(
    tools: Sequence[Tool], *, missing: str = "", tag: str = f'"{CLOSE}"', again: str = ""
) -> str:
    """What follows the opening tag, of which the end may be `missing`: a call of any of `tools`,
    and the closing tag; `tag`: how the grammar spells that, bare where it is a special token.
    `again`: the same of the opening tag, where more calls may follow."""
    if len(tools) == 1:
        schema = _call_schema(tools[0], "#")
    else:
        schema = {"anyOf": [_call_schema(tool, f"#/anyOf/{n}") for n, tool in enumerate(tools)]}
    start = f'{_text(missing)}"\\n" call "\\n" close'
    if again:
        start += f' ("\\n" {again} "\\n" call "\\n" close)*'
    return _grammar(start, f"call: {_json(schema)}", tag)


def arguments_grammar(tool: Tool, *, missing: str = "", tag: str = f'"{CLOSE}"') -> str:
    """What follows `forced_beginning`: the arguments and the closing tag."""
    start = rf'{_text(missing)}"\", \"arguments\": " arguments "}}\n" close'
    return _grammar(start, f"arguments: {_json(_schema(tool))}", tag)


def forced_grammar(request: ChatRequest, begun: str, tag: str) -> str:
    """What must follow an answer that has `begun` as it had to; "": it need not be a call."""
    if not request.must_call:
        return ""
    if request.tool_choice == "required":
        return call_grammar(request.tools, missing=OPEN.removeprefix(begun), tag=tag)
    tool = next(tool for tool in request.tools if tool.name == request.tool_choice)
    missing = forced_beginning(tool.name).removeprefix(begun)
    return arguments_grammar(tool, missing=missing, tag=tag)


def forced_beginning(tool: str) -> str:
    """How an answer begins that must call `tool`. It ends where a word ends, and so between two
    tokens: a model has never seen the halves of one.
    """
    return f'{OPEN}\n{{"name": "{tool}'


def spelling(tokenizer: Tokenizer) -> Callable[[str], str]:
    """How a text in quotation marks is written in this tokenizer's tokens, which is what a grammar
    goes by: some mark where a word has a capital or no space before it."""
    normalizer = tokenizer.normalizer
    if normalizer is None:
        return str

    def written(text: str) -> str:
        return str(normalizer.normalize_str(f'"{text}"'))[1:-1]

    return str if "▁" in written("a b") else written  # a space, which grammars know


def spelt(tool: Tool, written: Callable[[str], str]) -> Tool:
    """`tool` with its name and all strings that its schema prescribes as they are `written`."""
    if written is str:
        return tool
    parameters = _spelt(tool.parameters, written)
    assert isinstance(parameters, Mapping)
    return replace(tool, name=written(tool.name), parameters=parameters)


def _spelt(schema: Any, written: Callable[[str], str]) -> Any:
    def one(value: Any) -> Any:
        return written(value) if isinstance(value, str) else value

    match schema:
        case Mapping():
            found = {key: _spelt(value, written) for key, value in schema.items()}
            if "const" in found:
                found["const"] = one(found["const"])
            if isinstance(found.get("enum"), list):
                found["enum"] = [one(value) for value in found["enum"]]
            return found
        case list():
            return [_spelt(value, written) for value in schema]
    return schema


def _grammar(start: str, rule: str, tag: str) -> str:
    return f"%llguidance {{}}\nstart: {start}\nclose: {tag}\n{rule}\n"


def _text(text: str) -> str:
    return f"{json.dumps(text)} " if text else ""


def _call_schema(tool: Tool, place: str) -> dict[str, Any]:
    """`place`: a reference to where it will stand."""
    arguments = _schema(tool, f"{place}/properties/arguments")
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _schema(tool: Tool, place: str = "#") -> Mapping[str, Any]:
    """Where properties are declared there are no others, unless the tool says so. One that refers
    to what is not there would be no grammar, for the other tools neither: it is any object."""
    found = schema_at(tool.parameters, place) if tool.parameters else None
    if not found:
        return ANY_OBJECT
    closed = {"additionalProperties": False} if "properties" in found else {}
    return {**closed, **found, "type": "object"}


def _json(schema: Mapping[str, Any]) -> str:
    return f"%json {json.dumps({**schema, 'x-guidance': _SPACING})}"
