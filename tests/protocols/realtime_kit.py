"""What the tests of the Realtime codec share: a codec, one of every event, the SDK's word."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
from openai.types.realtime import RealtimeServerEvent
from pydantic import BaseModel, TypeAdapter

from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    McpCallItem,
    McpTool,
    McpToolsItem,
    MessageItem,
    TextPart,
)
from voicepipe.llm.contract import Usage
from voicepipe.protocols.openai_realtime.codec import Dialect, RealtimeCodec
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session import events as ev
from voicepipe.session.commands import Command
from voicepipe.session.settings import SessionSettings

VOICES = ("en-us", "en-gb", "de")
DEFAULTS = SessionSettings(instructions="Be brief.", voice="en-us")


def make_codec(
    dialect: Dialect = "ga",
    defaults: SessionSettings = DEFAULTS,
    voices: tuple[str, ...] = VOICES,
    max_audio_bytes: int = 15 * 1024 * 1024,
    mcp_servers: tuple[str, ...] = (),
) -> RealtimeCodec:
    """A codec whose ids count up, so that its texts can be compared whole."""
    counter = itertools.count(1)
    return RealtimeCodec(
        defaults=defaults,
        model="voicepipe",
        session_id="sess_1",
        voices=voices,
        expires_at=1_800_000_000,
        dialect=dialect,
        conversation_id="conv_1",
        max_audio_bytes=max_audio_bytes,
        mcp_servers=mcp_servers,
        new_id=lambda prefix: f"{prefix}_{next(counter)}",
    )


def receive(codec: RealtimeCodec, **message: Any) -> list[Command]:
    return codec.receive(json.dumps(message))


def refused(codec: RealtimeCodec, **message: Any) -> ProtocolError:
    """The error that a message meets; fails if it passes or changes anything."""
    before, settings = codec.opening()[0], codec.settings
    try:
        receive(codec, **message)
    except ProtocolError as exc:
        assert codec.settings == settings
        assert json.loads(codec.opening()[0])["session"] == json.loads(before)["session"]
        return exc
    raise AssertionError(f"{message} was accepted")


def sent(codec: RealtimeCodec, event: ev.SessionEvent) -> dict[str, Any]:
    """The one server event that a session event becomes."""
    (text,) = codec.send(event)
    message: dict[str, Any] = json.loads(text)
    return message


def session_of(codec: RealtimeCodec) -> dict[str, Any]:
    """The session object as the client sees it now."""
    session: dict[str, Any] = sent(codec, ev.SessionUpdated())["session"]
    return session


REF = ev.PartRef("resp_1", "item_2", 0, 0)
PCM = np.arange(-800, 800, dtype=np.int16)
USER = MessageItem("item_1", "user", (AudioPart("what time is it", PCM, 100.0),))
WAITING = MessageItem("item_1", "user", (AudioPart(None, PCM, 100.0),))
REPLY_OPEN = MessageItem("item_2", "assistant", (), "in_progress")
REPLY = MessageItem("item_2", "assistant", (AudioPart("It is seven.", None, 900.0),))
WRITTEN = MessageItem("item_3", "assistant", (TextPart("Seven."),))
SYSTEM = MessageItem("item_4", "system", (TextPart("Be kind."),))
CALL = FunctionCallItem("item_5", "call_1", "get_time", '{"zone":"UTC"}')
CALL_OUTPUT = FunctionOutputItem("item_6", "call_1", '"07:00"')
USAGE = Usage(prompt_tokens=30, completion_tokens=12, cached_tokens=20)


def response(status: ev.ResponseStatus, **changes: Any) -> ev.Response:
    fields: dict[str, Any] = {
        "id": "resp_1",
        "status": status,
        "modality": "audio",
        "conversation_id": "conv_1",
        "voice": "en-us",
        "metadata": {"client_event_id": "abc"},
    }
    return ev.Response(**{**fields, **changes})


class Turn:
    """Stands for a ledger's record, of which the codec uses one method."""

    def as_dict(self) -> dict[str, Any]:
        return {"turn_id": "turn_1", "voice_to_voice_ms": 431.25}


MCP_TOOLS = McpToolsItem(
    "item_5", "bookings", (McpTool("find", "Find.", {"type": "object"}),), "completed"
)
MCP_CALL = McpCallItem("item_6", "bookings", "find", '{"people":2}', "[4]", None, "completed")
MCP_FAILED = McpCallItem("item_7", "bookings", "find", "{}", None, "no table", "completed")

EVENTS: tuple[ev.SessionEvent, ...] = (
    ev.SessionUpdated(),
    *(ev.McpListing("item_5", state) for state in get_args(ev.McpState)),
    *(ev.McpCall("item_6", 1, state) for state in get_args(ev.McpState)),
    ev.McpArguments("resp_1", "item_6", 1, '{"people":2}', False),
    ev.McpArguments("resp_1", "item_6", 1, '{"people":2}', True),
    *(ev.ItemDone(i, "item_0") for i in (MCP_TOOLS, MCP_CALL, MCP_FAILED)),
    ev.SpeechStarted("item_1", 640),
    ev.SpeechStopped("item_1", 1840),
    ev.AudioCommitted("item_1", None),
    ev.AudioCommitted("item_1", "item_0"),
    ev.AudioCleared(),
    ev.KeyPressed("7", 1_800_000_000),
    ev.IdleTimeout("item_9", 5000, 11000),
    *(ev.ItemAdded(i, None) for i in (USER, WAITING, REPLY_OPEN, SYSTEM, CALL, CALL_OUTPUT)),
    *(ev.ItemDone(i, "item_0") for i in (USER, REPLY, WRITTEN, SYSTEM, CALL, CALL_OUTPUT)),
    *(ev.ItemRetrieved(i) for i in (USER, WAITING, REPLY, WRITTEN, CALL)),
    ev.ItemDeleted("item_1"),
    ev.ItemTruncated("item_2", 0, 400),
    ev.UserTranscriptDelta("item_1", "what "),
    ev.UserTranscript("item_1", "what time is it", 1.2),
    ev.UserTranscriptSegment("item_1", "seg_1", "what time is it", 0.3, 1.1),
    ev.UserTranscriptFailed("item_1", "The recognizer failed."),
    ev.ResponseCreated(response("in_progress")),
    ev.ResponseCreated(response("in_progress", conversation_id=None, metadata=None)),
    ev.ResponseDone(response("completed", output=(REPLY, CALL), usage=USAGE)),
    ev.ResponseDone(response("completed", modality="text", output=(WRITTEN,), usage=USAGE)),
    ev.ResponseDone(response("cancelled", reason="turn_detected")),
    ev.ResponseDone(response("cancelled", reason="client_cancelled", usage=USAGE)),
    ev.ResponseDone(response("incomplete", reason="max_output_tokens", max_output_tokens=5)),
    ev.ResponseDone(response("failed", error="The voice failed.", error_code="tts_failed")),
    ev.OutputItemAdded("resp_1", 0, REPLY_OPEN),
    ev.OutputItemAdded("resp_1", 1, FunctionCallItem("item_5", "call_1", "f", "", "in_progress")),
    ev.OutputItemDone("resp_1", 0, REPLY),
    ev.OutputItemDone("resp_1", 1, CALL),
    ev.PartAdded(REF, "audio"),
    ev.PartAdded(REF, "text"),
    ev.PartDone(REF, "audio", "It is seven."),
    ev.PartDone(REF, "text", "Seven."),
    ev.TextDelta(REF, "audio", "It is "),
    ev.TextDelta(REF, "text", "Sev\u00e9n \u2028 \U0001f600"),
    ev.TextDone(REF, "audio", "It is seven."),
    ev.TextDone(REF, "text", "Seven."),
    ev.AudioDelta(REF, b"\x00\x01\x02\x03"),
    ev.AudioDone(REF),
    ev.ArgumentsDelta(ev.PartRef("resp_1", "item_5", 1, 0), "call_1", '{"zone":'),
    ev.ArgumentsDone(ev.PartRef("resp_1", "item_5", 1, 0), CALL),
    ev.OutputAudioStarted("resp_1"),
    ev.OutputAudioStopped("resp_1"),
    ev.OutputAudioCleared("resp_1"),
    ev.SessionError("No item 'x'.", "item_retrieve_invalid_item_id", "item_id", "event_7"),
    ev.SessionError("It broke.", "server_error", kind="server_error"),
)
"""At least one of every event but `TurnMeasured`, which is not the SDK's."""

SDK_EVENT: TypeAdapter[Any] = TypeAdapter(RealtimeServerEvent)


def unknown_to_sdk(model: Any, path: str = "") -> Iterator[str]:
    """Paths of fields that the SDK's types do not declare."""
    if isinstance(model, BaseModel):
        for name in model.model_extra or {}:
            yield f"{path}.{name}"
        for name in type(model).model_fields:
            yield from unknown_to_sdk(getattr(model, name), f"{path}.{name}")
    elif isinstance(model, list):
        for item in model:
            yield from unknown_to_sdk(item, f"{path}[]")


def nulls(value: Any, path: str = "") -> Iterator[str]:
    """Paths of nulls in decoded JSON."""
    if value is None:
        yield path
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from nulls(item, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from nulls(item, f"{path}[]")
