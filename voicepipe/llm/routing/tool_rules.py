"""Tools that are called by the caller's words, without asking the model, and answers made from
their results. A round of the model is the dearest part of a tool's turn; where the words leave no
doubt ("a large coffee, please") it is not needed, and a model that cannot call tools need not.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from voicepipe.config import ToolRuleSettings
from voicepipe.llm.call_ids import new_call_id
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    LanguageModel,
    Message,
    TextDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
)
from voicepipe.llm.wrapped import WrappedModel

MAX_DEPTH = 4
"""Of an argument's schema: references, and choices within them."""

_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class ToolRule:
    """Of one tool. Named groups of `when` are its arguments; `{name}` in `answer` is a field of its
    result, which is JSON then."""

    when: tuple[re.Pattern[str], ...] = ()  # the caller's words in which it is found
    answer: str = ""  # said of a result; "" = the model says something of it
    answer_failed: str = ""  # said when the call has failed; "" likewise


def tool_rules(settings: Mapping[str, ToolRuleSettings]) -> dict[str, ToolRule]:
    """As the settings say; case does not matter in what a caller says."""
    return {
        name: ToolRule(
            tuple(re.compile(text, re.IGNORECASE) for text in one.when),
            one.answer,
            one.answer_failed,
        )
        for name, one in settings.items()
    }


class RuledModel(WrappedModel):
    """Asks `inner` where no rule applies. `rules`: by the tool's name."""

    def __init__(self, inner: LanguageModel, rules: Mapping[str, ToolRule]) -> None:
        super().__init__(inner)
        self._rules = rules

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """A call or an answer by rule, or what the model says."""
        ruled = self._ruled(request)
        if ruled is not None:
            yield ruled
            by_rule = {"llm": "rule"}
            if isinstance(ruled, ToolCallDelta):
                yield Finish("tool_calls", route=by_rule)
            else:
                yield Finish("stop", route=by_rule)
            return
        async with aclosing(super().stream(request)) as deltas:
            async for delta in deltas:
                yield delta

    def _ruled(self, request: ChatRequest) -> ToolCallDelta | TextDelta | None:
        if not request.messages:  # nobody has spoken, and there are no instructions
            return None
        last, rules = request.messages[-1], self._rules
        if last.role == "user" and request.tool_choice == "auto":
            call = called(last.content, request.tools, rules)
            return None if call is None else ToolCallDelta(call)
        if last.role == "tool":
            text = _answered(request.messages, rules)
            return None if text is None else TextDelta(text)
        return None


def called(words: str, tools: tuple[Tool, ...], rules: Mapping[str, ToolRule]) -> ToolCall | None:
    """The first rule that finds itself in the caller's words, of the tools that are offered."""
    offered = {tool.name: tool for tool in tools}
    for name, rule in rules.items():
        for pattern in rule.when if name in offered else ():
            found = pattern.search(words)
            if found is not None:
                arguments = _arguments(found, offered[name].parameters)
                return ToolCall(new_call_id(), name, json.dumps(arguments, ensure_ascii=False))
    return None


def _arguments(found: re.Match[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The groups that took part, as numbers where the schema wants numbers, and as it spells them
    where it lists what there is."""
    properties = schema.get("properties", {})
    return {
        name: _as(text.strip(), [*_shapes(properties.get(name), schema)])
        for name, text in found.groupdict().items()
        if text is not None
    }


def _as(text: str, shapes: Sequence[Mapping[str, Any]]) -> object:
    kinds: set[object] = set()
    for shape in shapes:
        kind = shape.get("type")
        kinds |= {kind} if isinstance(kind, str) else set(kind or ())
        for choice in (*shape.get("enum", ()), shape.get("const")):
            if isinstance(choice, str) and choice.lower() == text.lower():
                return choice
    try:
        if "integer" in kinds:
            return int(text)
        if "number" in kinds:
            return float(text)
    except ValueError:
        pass
    return text.lower() if "string" in kinds else text


def _shapes(node: object, schema: Mapping[str, Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """A part of `schema`, what it refers to, and what it leaves to choose from: an argument that
    may be left out is often written so."""
    if not isinstance(node, Mapping) or depth > MAX_DEPTH:
        return
    yield node
    referred = _at(node["$ref"], schema) if "$ref" in node else None
    for inner in (referred, *node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())):
        yield from _shapes(inner, schema, depth + 1)


def _at(pointer: str, schema: Mapping[str, Any]) -> object:
    """What `pointer` ("#/$defs/Size") points to; None for nothing."""
    node: object = schema
    for name in pointer.split("/")[1:]:
        node = node.get(name) if isinstance(node, Mapping) else None
    return node


def _answered(messages: tuple[Message, ...], rules: Mapping[str, ToolRule]) -> str | None:
    """What a rule says of the one result that ends the prompt; None: it is the model's to say."""
    if len(messages) < 2 or len(messages[-2].tool_calls) != 1:
        return None
    (call,) = messages[-2].tool_calls
    rule = rules.get(call.name)
    if rule is None:
        return None
    try:
        result = json.loads(messages[-1].content)
    except (ValueError, RecursionError):
        result = None
    fields = result if isinstance(result, dict) else {}
    if "note" in fields and (fields.get("not_done_yet") or fields.get("running")):
        return None  # the toolbox's own word: nothing has been done yet
    if _tells_failure(fields):
        return rule.answer_failed or None
    return _filled(rule.answer, fields)


def _tells_failure(fields: Mapping[str, Any]) -> bool:
    """Services write `"error": null` beside what went well; a failed call's result is nothing but
    its error, which may have no words."""
    return "error" in fields and (bool(fields["error"]) or len(fields) == 1)


def _filled(template: str, fields: Mapping[str, Any]) -> str | None:
    """None where a field is missing or null: then the model makes something of the result."""
    if not template or any(fields.get(name) is None for name in _PLACE.findall(template)):
        return None
    return _PLACE.sub(lambda place: str(fields[place[1]]), template)
