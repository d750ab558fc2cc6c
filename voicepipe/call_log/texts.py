"""What was said in a turn, read from the conversation: the user's words, the agent's as heard, and
what tools were asked and answered."""

from __future__ import annotations

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

    def take(self) -> tuple[str, str]:
        """What the user and the agent said since the last time; a user's item that has grown since
        (a turn that was reopened) is told again whole."""
        said: dict[Literal["user", "assistant"], list[str]] = {"user": [], "assistant": []}
        for item in self._conversation:
            if not isinstance(item, MessageItem) or item.role == "system":
                continue
            known = self._told.get(item.id)
            new = known is None or (item.role == "user" and known != item.text)
            self._told[item.id] = item.text
            if new and item.text:
                said[item.role].append(item.text)
        return " ".join(said["user"]), " ".join(said["assistant"])

    def take_calls(self) -> list[ToolText]:
        """Calls of tools that have come to something since the last time. Digits that were asked
        for are nobody's to keep."""
        found = []
        for item_id, call in self._calls():
            if item_id not in self._told_calls and call.name != GET_DIGITS:
                found.append(call)
            self._told_calls.add(item_id)
        return found

    def _calls(self) -> Iterator[tuple[str, ToolText]]:
        asked: dict[str, FunctionCallItem] = {}
        for item in self._conversation:
            if isinstance(item, FunctionCallItem):
                asked[item.call_id] = item
            elif isinstance(item, FunctionOutputItem) and (call := asked.get(item.call_id)):
                yield item.id, ToolText(call.name, call.arguments, item.output)
            elif isinstance(item, McpCallItem) and item.status != "in_progress":
                result = item.output if item.error is None else item.error
                yield item.id, ToolText(item.name, item.arguments, result or "")
