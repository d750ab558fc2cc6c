"""A conversation under construction."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from order_items import Item

if TYPE_CHECKING:
    from booking_turns import Booking
    from house_things import Deed

Message = dict[str, Any]


@dataclass
class Conversation:
    """A conversation under construction and what the assistant knows in it."""

    rng: random.Random
    tools: tuple[str, ...]
    messages: list[Message] = field(default_factory=list)
    timers: list[dict[str, Any]] = field(default_factory=list)
    groceries: list[str] = field(default_factory=list)
    order: list[Item] = field(default_factory=list)
    placed: str = ""  # the order that was placed, in words
    booked: list[str] = field(default_factory=list)
    numbers: dict[str, str] = field(default_factory=dict)  # the caller's, by kind, in words
    house: list[Deed] = field(default_factory=list)  # what was done in it, the last at the end
    bookings: list[Booking] = field(default_factory=list)
    lost: str = ""
    alarm: str = ""  # when it rings, in words
    reminder: str = ""  # of what and when
    note: str = ""
    name: str | None = None
    aside: Callable[[Conversation], None] | None = None  # a turn about something else
    calls: int = 0

    def user(self, text: str) -> None:
        """Append a user message, now and then split in two as turns are when merged."""
        words = text.split()
        if len(words) > 5 and self.rng.random() < 0.04:
            cut = self.rng.randint(2, len(words) - 2)
            self.messages.append({"role": "user", "content": " ".join(words[:cut])})
            words = words[cut:]
        self.messages.append({"role": "user", "content": " ".join(words)})

    def assistant(self, text: str) -> None:
        """Append a spoken answer."""
        self.messages.append({"role": "assistant", "content": text.replace(".m..", ".m.")})

    def call(self, tool: str, arguments: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Append a tool call and its result."""
        self.calls += 1
        call_id = f"call_{self.calls}"
        function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
        self.messages += [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": call_id, "type": "function", "function": function}],
            },
            {
                "role": "tool",
                "tool_call_id": call_id,
                "content": json.dumps(result, ensure_ascii=False),
            },
        ]

    def awaits(self, word: str) -> bool:
        """Whether the last answer asked about this."""
        last = self.last_answer() or ""
        return last.endswith("?") and word in last

    def last_answer(self) -> str | None:
        """The last thing the assistant said."""
        for message in reversed(self.messages):
            if message["role"] == "assistant" and message["content"]:
                return str(message["content"])
        return None
