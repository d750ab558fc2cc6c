"""Tools called by the caller's words, and answers made of their results, without a model."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
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


HEAR = Tool("hear")
HEARS = {"hear": ToolRule(answer="{say}", always=True), "order": RULE}


class Recorder(SimulatedModel):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(SimulatedSettings(), ("from the model",))
        self.asked: list[ChatRequest] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        self.asked.append(request)
        async for delta in super().stream(request):
            yield delta

    async def warm(self, request: ChatRequest) -> None:
        self.asked.append(request)


def heard(result: str, *, call_id: str = "c", words: str = "") -> tuple[Message, Message]:
    """A call that was made by rule, and its result."""
    call = ToolCall(call_id, "hear", "{}")
    return Message("assistant", words, (call,)), Message("tool", result, call_id=call_id)


async def test_a_tool_is_asked_in_every_turn_before_the_model() -> None:
    model = Recorder()
    one = request(Message("user", "is it far"), tools=(ORDER, HEAR))
    call, _ = [delta async for delta in RuledModel(model, HEARS).stream(one)]
    assert isinstance(call, ToolCallDelta)
    assert (call.call.name, call.call.arguments) == ("hear", "{}")
    assert not model.asked


async def test_the_order_of_the_file_says_which_rule_is_first() -> None:
    one = request(Message("user", "a coffee"), tools=(ORDER, HEAR))
    for rules, name in ((HEARS, "hear"), (dict(reversed(HEARS.items())), "order")):
        call, _ = [delta async for delta in RuledModel(Recorder(), rules).stream(one)]
        assert isinstance(call, ToolCallDelta)
        assert call.call.name == name


@pytest.mark.parametrize("result", ["{}", "[]", "null", "", '{"ok":true}', '{"say":"Next door."}'])
async def test_the_model_is_not_told_of_what_it_cannot_use(result: str) -> None:
    model = Recorder()
    user, said = Message("user", "is it far"), Message("assistant", "Next door.")
    more = Message("user", "and what day is it")
    asked = request(user, *heard(result), said, more, *heard("{}", call_id="d"))
    asked = replace(asked, tools=(ORDER, HEAR))
    answer = [delta async for delta in RuledModel(model, HEARS).stream(asked)]
    assert "".join(d.text for d in answer if isinstance(d, TextDelta)) == "from the model"
    (one,) = model.asked
    assert one.messages == (asked.messages[0], user, said, more)
    assert one.tools == (ORDER,)


async def test_the_model_is_told_what_it_can_use() -> None:
    model = Recorder()
    facts = '{"facts": ["We are next door to the station."]}'
    asked = request(Message("user", "is it far"), *heard(facts, words="One moment."))
    [_ async for _ in RuledModel(model, HEARS).stream(asked)]
    assert model.asked[0].messages == asked.messages


async def test_words_beside_an_idle_call_stay() -> None:
    model = Recorder()
    asked = request(Message("user", "hm"), *heard("{}", words="One moment."))
    [_ async for _ in RuledModel(model, HEARS).stream(asked)]
    assert model.asked[0].messages[2:] == (Message("assistant", "One moment."),)


async def test_who_must_call_may_call_any_and_what_is_warmed_is_what_is_asked() -> None:
    model = Recorder()
    asked = replace(request(Message("user", "hm"), tools=(ORDER, HEAR)), tool_choice="hear")
    [_ async for _ in RuledModel(model, HEARS).stream(asked)]
    await RuledModel(model, HEARS).warm(request(tools=(ORDER, HEAR)))
    assert [one.tools for one in model.asked] == [(ORDER, HEAR), (ORDER,)]


async def test_where_it_had_nothing_to_tell_the_rules_behind_it_are_tried() -> None:
    model, words = Recorder(), Message("user", "a coffee")
    for result, asked in (("{}", "order"), ('{"facts": ["It is hot."]}', "")):
        one = request(words, *heard(result), tools=(ORDER, HEAR))
        deltas = [delta async for delta in RuledModel(model, HEARS).stream(one)]
        calls = [delta.call.name for delta in deltas if isinstance(delta, ToolCallDelta)]
        assert calls == [asked] * bool(asked)
    one = request(words, *heard("{}"), tools=(ORDER, HEAR))
    before_it = dict(reversed(HEARS.items()))
    assert len([delta async for delta in RuledModel(model, before_it).stream(one)]) > 1
