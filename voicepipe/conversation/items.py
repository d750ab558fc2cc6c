"""The items of a conversation. Immutable: a change replaces the item under its id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from voicepipe.audio.pcm import Int16

Status = Literal["in_progress", "completed", "incomplete"]


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text typed by the user or the system, or written by the assistant."""

    text: str


@dataclass(frozen=True, slots=True)
class AudioPart:
    """Speech, of the user or the assistant. `transcript` None: not (yet) known."""

    transcript: str | None = None
    pcm: Int16 | None = None  # 16 kHz for the user, absent where it was not kept
    duration_ms: float = 0.0


Part = TextPart | AudioPart


@dataclass(frozen=True, slots=True)
class MessageItem:
    """Something said or written."""

    id: str
    role: Literal["system", "user", "assistant"]
    content: tuple[Part, ...]
    status: Status = "completed"

    @property
    def text(self) -> str:
        """All that is known of it as text, parts joined by a space."""
        texts = [p.text if isinstance(p, TextPart) else p.transcript or "" for p in self.content]
        return " ".join(filter(None, texts))

    @property
    def chars(self) -> int:
        """Characters of its texts."""
        return len(self.text)


def transcribed(item: MessageItem, text: str) -> MessageItem:
    """With `text` in the place of its sound that had no transcript: where that is in several
    parts, all of it in the first."""
    content: list[Part] = []
    for part in item.content:
        if isinstance(part, AudioPart) and part.transcript is None:
            content.append(replace(part, transcript=text))
            text = ""
        else:
            content.append(part)
    return replace(item, content=tuple(content))


@dataclass(frozen=True, slots=True)
class FunctionCallItem:
    """The assistant asks for a function; `arguments` is JSON text."""

    id: str
    call_id: str
    name: str
    arguments: str
    status: Status = "completed"

    @property
    def chars(self) -> int:
        return len(self.name) + len(self.arguments)


@dataclass(frozen=True, slots=True)
class FunctionOutputItem:
    """What the function returned, as text."""

    id: str
    call_id: str
    output: str
    status: Status = "completed"

    @property
    def chars(self) -> int:
        return len(self.output)


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool of an MCP server; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class McpToolsItem:
    """What an MCP server offers that the client has named; the model knows it from its tools."""

    id: str
    server_label: str
    tools: tuple[McpTool, ...] = ()
    status: Status = "in_progress"

    @property
    def chars(self) -> int:
        return sum(len(t.name) + len(t.description) + len(str(t.parameters)) for t in self.tools)


@dataclass(frozen=True, slots=True)
class McpCallItem:
    """A call of such a tool, with what it came to: `output`, or `error`."""

    id: str
    server_label: str
    name: str
    arguments: str
    output: str | None = None
    error: str | None = None
    status: Status = "in_progress"
    approval_request_id: str = ""  # of the item that asked the client for it

    @property
    def chars(self) -> int:
        return len(self.name) + len(self.arguments) + len(self.output or self.error or "")


@dataclass(frozen=True, slots=True)
class McpApprovalRequestItem:
    """The model wants such a tool called, and the client wants to be asked first."""

    id: str
    server_label: str
    name: str
    arguments: str
    status: Status = "completed"

    @property
    def chars(self) -> int:
        return len(self.name) + len(self.arguments)


@dataclass(frozen=True, slots=True)
class McpApprovalResponseItem:
    """What the client says to that."""

    id: str
    approval_request_id: str
    approve: bool
    reason: str = ""
    status: Status = "completed"

    @property
    def chars(self) -> int:
        return len(self.reason)


Item = (
    MessageItem
    | FunctionCallItem
    | FunctionOutputItem
    | McpToolsItem
    | McpCallItem
    | McpApprovalRequestItem
    | McpApprovalResponseItem
)
