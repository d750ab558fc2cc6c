"""Tools called by the caller's words, and answers made of their results, without a model."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from voicepipe.config import SimulatedSettings
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    Message,
    TextDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
)
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.llm.routing.tool_rules import RuledModel, ToolRule
from voicepipe.tools.schema import read_arguments

SCHEMA = {"properties": {"drink": {"type": "string"}, "count": {"type": "integer"}}}
ORDER = Tool("order", parameters=SCHEMA)
WHEN = re.compile(r"((?P<count>\d+)\s+)?(?P<drink>coffee|tea)s?\b", re.IGNORECASE)
RULE = ToolRule((WHEN,), "Your number is {number}.", "I cannot order now.")


def request(*messages: Message, tools: tuple[Tool, ...] = (ORDER,)) -> ChatRequest:
    return ChatRequest((Message("system", "be good"), *messages), tools)


async def told(asked: ChatRequest, rule: ToolRule = RULE) -> tuple[list[Delta], int]:
    """What came, and how often the model itself was asked."""
    model = SimulatedModel(SimulatedSettings(), ("from the model",))
    deltas = [delta async for delta in RuledModel(model, {"order": rule}).stream(asked)]
    return deltas, model.started_requests


WORDS = [
    ("A Coffee, please.", {"drink": "coffee"}),
    ("make it 2 teas", {"drink": "tea", "count": 2}),
]


@pytest.mark.parametrize(("words", "arguments"), WORDS)
async def test_the_callers_words_are_the_call(words: str, arguments: dict[str, object]) -> None:
    (call, finish), asked = await told(request(Message("user", words)))
    assert isinstance(call, ToolCallDelta)
    assert call.call.name == "order"
    assert json.loads(call.call.arguments) == arguments
    assert finish == Finish("tool_calls")
    assert asked == 0


SIZES = {"enum": ["small", "large"]}
OPTIONAL = [
    {"type": ["string", "null"], **SIZES},
    {"anyOf": [{"type": "string", **SIZES}, {"type": "null"}]},  # as Python's `| None` makes it
    {"$ref": "#/$defs/Size"},  # as Python's enums make it
    SIZES,
    {"enum": ["Small", "LARGE"]},
]


@pytest.mark.parametrize("size", OPTIONAL)
async def test_an_argument_fits_its_schema_however_that_is_written(size: dict[str, Any]) -> None:
    count = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    schema = {"properties": {"size": size, "count": count, "any": True}, "$defs": {"Size": SIZES}}
    rule = ToolRule((re.compile(r"(?P<count>\d+) (?P<size>large) (?P<any>teas)", re.IGNORECASE),))
    asked = request(Message("user", "2 Large teas"), tools=(Tool("order", parameters=schema),))
    (call, _), _ = await told(asked, rule)
    assert isinstance(call, ToolCallDelta)
    arguments = read_arguments(call.call, schema)
    assert arguments["count"] == 2
    assert arguments["size"].lower() == "large"


async def test_other_words_are_the_models() -> None:
    deltas, asked = await told(request(Message("user", "what do you have")))
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == "from the model"
    assert asked == 1


async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    words = Message("user", "a coffee")
    for one in (request(words, tools=()), replace(request(words), tool_choice="none")):
        assert (await told(one))[1] == 1


def after(result: str) -> ChatRequest:
    call = Message("assistant", "", tool_calls=(ToolCall("c", "order", "{}"),))
    return request(Message("user", "a tea"), call, Message("tool", result, call_id="c"))


RESULTS = [
    ('{"number": 7}', "Your number is 7."),
    ('{"error": "order could not be reached"}', "I cannot order now."),
    ('{"id": 7}', "from the model"),
    ('{"not_done_yet": true, "number": 7, "note": "ask first"}', "from the model"),
    ('{"running": true, "number": 7, "note": "it goes on"}', "from the model"),
    ("plain words", "from the model"),
    ('{"number": 7, "error": null}', "Your number is 7."),
    ('{"number": null}', "from the model"),
]


@pytest.mark.parametrize(("result", "said"), RESULTS)
async def test_a_result_is_said_by_rule_where_it_fits(result: str, said: str) -> None:
    deltas, _ = await told(after(result))
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == said


async def test_without_a_text_the_model_speaks_of_the_result() -> None:
    assert (await told(after('{"number": 7}'), ToolRule((WHEN,))))[1] == 1


async def test_before_anybody_has_spoken_no_rule_applies() -> None:
    _, asked = await told(ChatRequest((), (ORDER,)))
    assert asked == 1


async def test_a_result_nested_without_end_is_the_models() -> None:
    call = Message("assistant", "", (ToolCall("c1", "order", "{}"),))
    _, asked = await told(request(call, Message("tool", "[" * 100_000, call_id="c1")))
    assert asked == 1
