"""What was said in a turn, read from the conversation: the user's words, the agent's as heard."""

from __future__ import annotations

from typing import Literal

from voicepipe.conversation.history import Conversation
from voicepipe.conversation.items import MessageItem


class TurnTexts:
    """Follows one conversation. Items that were said before a turn, but in no turn, count to the
    next: a greeting, what the client typed."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._told: dict[str, str] = {}  # item to the text that was taken

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
