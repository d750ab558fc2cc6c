"""Grammars that a tool call must follow, for llama.cpp's constrained decoding (LLGuidance's Lark).

Only the call is constrained: an answer's spoken part is free, and once the model opens a call the
rest of it is generated under the grammar. So a call always parses, names a tool that was offered
and has arguments after its schema. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from voicepipe.llm.contract import Tool
from voicepipe.llm.tool_parser import CLOSE, OPEN

ANY_OBJECT: Mapping[str, Any] = {"type": "object"}  # of tools that declare nothing
_SPACING = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""One way to write each call, so that a model lost for words cannot fill it with line breaks."""


def call_grammar(tools: Sequence[Tool]) -> str:
    """What follows the opening tag: a call of any of `tools`, and the closing tag."""
    calls = [_call_schema(tool) for tool in tools]
    schema = calls[0] if len(calls) == 1 else {"anyOf": calls}
    return _grammar('"\\n" call "\\n" close', f"call: {_json(schema)}")


def arguments_grammar(tool: Tool) -> str:
    """What follows `forced_beginning`: the arguments and the closing tag."""
    start = r'"\", \"arguments\": " arguments "}\n" close'
    return _grammar(start, f"arguments: {_json(_schema(tool))}")


def forced_beginning(tool: str) -> str:
    """How an answer begins that must call `tool`. It ends where a word ends, and so between two
    tokens: a model has never seen the halves of one.
    """
    return f'{OPEN}\n{{"name": "{tool}'


def _grammar(start: str, rule: str) -> str:
    return f'%llguidance {{}}\nstart: {start}\nclose: "{CLOSE}"\n{rule}\n'


def _call_schema(tool: Tool) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": _schema(tool)},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _schema(tool: Tool) -> Mapping[str, Any]:
    """Where properties are declared there are no others, unless the tool says so."""
    if not tool.parameters:
        return ANY_OBJECT
    closed = {"additionalProperties": False} if "properties" in tool.parameters else {}
    return {**closed, **tool.parameters, "type": "object"}


def _json(schema: Mapping[str, Any]) -> str:
    return f"%json {json.dumps({**schema, 'x-guidance': _SPACING})}"
