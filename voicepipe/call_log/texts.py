"""What was said in a turn, read from the conversation: the user's words, the agent's as heard, and
what tools were asked and answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from voicepipe.conversation.history import Conversation
from voicepipe.conversation.items import (
    FunctionCallItem,
    FunctionOutputItem,
    McpCallItem,
    MessageItem,
)
from voicepipe.session.dtmf_gather import GET_DIGITS

MAX_RAW_CHARS = 16_000
"""Of a call's arguments, and of its result, before they are redacted and cut to what is kept."""

LEAST_KEYED = 3
"""Fewer keys are a choice from a menu, no secret, and stand in many texts by chance."""


@dataclass(frozen=True, slots=True)
class ToolText:
    """A call of a tool, as the model wrote it, and what the model was told of it."""

    name: str
    arguments: str
    result: str


class TurnTexts:
    """Follows one conversation. Items that were said before a turn, but in no turn, count to the
    next: a greeting, what the client typed."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._told: dict[str, str] = {}  # item to the text that was taken
        self._told_calls: set[str] = set()  # by the ids of their items
        self._keyed: set[str] = set()  # digits that the caller was asked for

    def take(self) -> tuple[str, str]:
        """What the user and the agent said since the last time; a user's item that has grown since
        (a turn that was reopened) is told again whole."""
        said: dict[Literal["user", "assistant"], list[str]] = {"user": [], "assistant": []}
        told: dict[str, str] = {}
        for item in self._conversation:
            if not isinstance(item, MessageItem) or item.role == "system":
                continue
            known = self._told.get(item.id)
            new = known is None or (item.role == "user" and known != item.text)
            told[item.id] = item.text
            if new and item.text:
                said[item.role].append(item.text)
        self._told = told
        return " ".join(said["user"]), " ".join(said["assistant"])

    def take_calls(self) -> list[ToolText]:
        """Calls of tools that have come to something since the last time. Digits that were asked
        for are nobody's to keep, wherever the model has put them since."""
        calls = list(self._calls())
        self._keyed.update(filter(None, (_keyed(one) for _, one in calls)))
        new = [call for item_id, call in calls if item_id not in self._told_calls]
        self._told_calls = {item_id for item_id, _ in calls}
        return [self._masked(call) for call in new if call.name != GET_DIGITS]

    def _masked(self, call: ToolText) -> ToolText:
        if not self._keyed:
            return call
        longest_first = sorted(self._keyed, key=len, reverse=True)
        keyed = re.compile("|".join(map(_pattern, longest_first)))
        arguments, result = (keyed.sub("[digits]", one) for one in (call.arguments, call.result))
        return ToolText(call.name, arguments, result)

    def _calls(self) -> Iterator[tuple[str, ToolText]]:
        asked: dict[str, FunctionCallItem] = {}
        for item in self._conversation:
            if isinstance(item, FunctionCallItem):
                asked[item.call_id] = item
            elif isinstance(item, FunctionOutputItem) and (call := asked.get(item.call_id)):
                yield item.id, _bounded(call.name, call.arguments, item.output)
            elif isinstance(item, McpCallItem) and item.status != "in_progress":
                result = item.output if item.error is None else item.error
                yield item.id, _bounded(item.name, item.arguments, result or "")


def _bounded(name: str, arguments: str, result: str) -> ToolText:
    return ToolText(name, arguments[:MAX_RAW_CHARS], result[:MAX_RAW_CHARS])


def _keyed(call: ToolText) -> str:
    """The digits that `get_digits` gave the model; "" for too few, or another tool."""
    if call.name != GET_DIGITS:
        return ""
    try:
        told = json.loads(call.result)
    except ValueError:
        return ""
    digits = told.get("digits") if isinstance(told, dict) else None
    return digits if isinstance(digits, str) and len(digits) >= LEAST_KEYED else ""


def _pattern(digits: str) -> str:
    """However it is grouped; as a number it has no zeros in front."""
    core = digits.lstrip("0")
    keys = map(re.escape, core if len(core) >= LEAST_KEYED else digits)
    return r"(?:0[\s,./-]{0,3}){0,32}" + r"[\s,./-]{0,3}".join(keys)
