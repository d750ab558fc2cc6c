"""Conversation items to and from the wire.

"Omit, never null": a field without a value is left out, because stock clients check each event
against a schema in which such fields are optional but not nullable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never, cast

from voicepipe.audio.formats import AudioFormat
from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    McpApprovalRequestItem,
    McpApprovalResponseItem,
    McpCallItem,
    McpToolsItem,
    MessageItem,
    Part,
    Status,
    TextPart,
)
from voicepipe.protocols.json_fields import audio_field, checks, errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session.settings import SessionSettings

NewId = Callable[[str], str]
"""Makes an id with the given prefix: new_id("item") -> "item_..."."""

_ROLES = ("system", "user", "assistant")
_TYPES = ("message", "function_call", "function_call_output", "mcp_approval_response")
_STATUSES = ("in_progress", "completed", "incomplete")
_PARTS = {
    "system": ("input_text",),
    "user": ("input_text", "input_audio"),
    "assistant": ("output_text", "output_audio"),
}
_BETA_PARTS = {
    "text": {"system": "input_text", "user": "input_text", "assistant": "output_text"},
    "audio": {"user": "input_audio", "assistant": "output_audio"},
}
"""What the beta dialect calls parts; accepted in both dialects, they cannot be misread."""


def to_wire(item: Item, audio_of: SessionSettings | None = None) -> Json:
    """The item as the wire shows it.

    `audio_of`: include kept audio (`AudioPart.pcm`, 16 kHz), converted here to base64 in these
    settings' input format (the user's) or output format (the assistant's); None leaves it out.
    """
    head: Json = {"id": item.id, "object": "realtime.item", "status": item.status}
    match item:
        case MessageItem():
            content = [_part_to_wire(part, item.role, audio_of) for part in item.content]
            return {**head, "type": "message", "role": item.role, "content": content}
        case FunctionCallItem():
            return {
                **head,
                "type": "function_call",
                "name": item.name,
                "call_id": item.call_id,
                "arguments": item.arguments,
            }
        case FunctionOutputItem():
            return {
                **head,
                "type": "function_call_output",
                "call_id": item.call_id,
                "output": item.output,
            }
        case McpToolsItem():
            tools = [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": dict(tool.parameters),
                }
                for tool in item.tools
            ]
            label = item.server_label
            shown = {"id": item.id, "type": "mcp_list_tools"}  # these have no status
            return {**shown, "server_label": label, "tools": tools}
        case McpCallItem():
            return _mcp_call(item)
        case McpApprovalRequestItem():
            asked = {"id": item.id, "type": "mcp_approval_request", "name": item.name}
            return {**asked, "server_label": item.server_label, "arguments": item.arguments}
        case McpApprovalResponseItem():
            said: Json = {"id": item.id, "type": "mcp_approval_response", "approve": item.approve}
            said["approval_request_id"] = item.approval_request_id
            return {**said, "reason": item.reason} if item.reason else said
    assert_never(item)


def _mcp_call(item: McpCallItem) -> Json:
    shown: Json = {
        "id": item.id,
        "type": "mcp_call",
        "server_label": item.server_label,
        "name": item.name,
        "arguments": item.arguments,
    }
    if item.output is not None:
        shown["output"] = item.output
    if item.error is not None:
        shown["error"] = {"type": "tool_execution_error", "message": item.error}
    if item.approval_request_id:
        shown["approval_request_id"] = item.approval_request_id
    return shown


def _part_to_wire(part: Part, role: str, audio_of: SessionSettings | None) -> Json:
    side = "output" if role == "assistant" else "input"
    if isinstance(part, TextPart):
        return {"type": f"{side}_text", "text": part.text}
    shown: Json = {"type": f"{side}_audio"}
    if part.transcript is not None:
        shown["transcript"] = part.transcript
    elif role != "assistant":
        shown["transcript"] = ""  # not known yet: agents-js wants a string in a user's item
    if audio_of is not None and part.pcm is not None:
        fmt = audio_of.output_format if role == "assistant" else audio_of.input_format
        shown["audio"] = audio_field.encode(audio_field.from_samples(part.pcm, fmt))
    return shown


def parse(
    value: object, path: str, *, new_id: NewId, input_format: AudioFormat, max_audio_bytes: int
) -> Item:
    """An item from a client; a missing id is made up. Raises ProtocolError naming the field."""
    item = checks.obj(value, path)
    kind = checks.required(item, "type", f"{path}.type", f"one of {checks.quoted(_TYPES)}")
    checks.choice(kind, f"{path}.type", _TYPES)
    item_id = _optional_id(item, "id", path) or new_id("item")
    status = _status(item, path)
    if kind == "message":
        role = checks.choice(item.get("role"), f"{path}.role", _ROLES)
        content = checks.array(
            checks.required(item, "content", f"{path}.content", "a list of parts"),
            f"{path}.content",
        )
        parts = tuple(
            _parse_part(part, f"{path}.content[{i}]", role, input_format, max_audio_bytes)
            for i, part in enumerate(content)
        )
        return MessageItem(id=item_id, role=role, content=parts, status=status)  # type: ignore[arg-type]
    if kind == "mcp_approval_response":
        return McpApprovalResponseItem(
            id=item_id,
            approval_request_id=_text(item, "approval_request_id", path),
            approve=_flag(item, "approve", path),
            reason="" if item.get("reason") is None else _text(item, "reason", path),
        )
    if kind == "function_call":
        return FunctionCallItem(
            id=item_id,
            call_id=_optional_id(item, "call_id", path) or new_id("call"),
            name=_text(item, "name", path),
            arguments=_text(item, "arguments", path),
            status=status,
        )
    return FunctionOutputItem(
        id=item_id,
        call_id=_text(item, "call_id", path),
        output=_text(item, "output", path),
        status=status,
    )


def _parse_part(
    value: object, path: str, role: str, input_format: AudioFormat, max_audio_bytes: int
) -> Part:
    part = checks.obj(value, path)
    given = part.get("type")
    kind = _BETA_PARTS.get(given, {}).get(role, given) if isinstance(given, str) else given
    if kind == "input_image":
        raise _unsupported(f"{path}.type", "is 'input_image', but this server's models see none.")
    checks.choice(kind, f"{path}.type", _PARTS[role])
    if kind in ("input_text", "output_text"):
        return TextPart(_text(part, "text", path))
    if kind == "output_audio":
        if part.get("audio") is not None:
            problem = "cannot be created by clients: send the transcript of what was said."
            raise _unsupported(f"{path}.audio", problem)
        return AudioPart(transcript=_transcript(part, path))
    where = f"{path}.audio"
    encoded = checks.required(part, "audio", where, "base64 audio in the session's input format")
    audio = audio_field.decode(encoded, where, input_format, max_audio_bytes)
    return AudioPart(
        transcript=_transcript(part, path) or None,
        pcm=audio_field.to_samples(audio, input_format),
        duration_ms=input_format.ms(len(audio)),
    )


def _unsupported(param: str, problem: str) -> ProtocolError:
    return ProtocolError(f"{param} {problem}", code=errors.UNSUPPORTED_CONTENT, param=param)


def _text(item: Json, field: str, path: str) -> str:
    where = f"{path}.{field}"
    return checks.string(checks.required(item, field, where, "a string"), where)


def _flag(item: Json, field: str, path: str) -> bool:
    where = f"{path}.{field}"
    return checks.boolean(checks.required(item, field, where, "true or false"), where)


def _transcript(part: Json, path: str) -> str | None:
    value = part.get("transcript")
    return None if value is None else checks.string(value, f"{path}.transcript")


def _optional_id(item: Json, field: str, path: str) -> str | None:
    value = item.get(field)
    return None if value is None else checks.name(value, f"{path}.{field}", 128)


def _status(item: Json, path: str) -> Status:
    value = item.get("status")
    if value is None:
        return "completed"
    return cast(Status, checks.choice(value, f"{path}.status", _STATUSES))
