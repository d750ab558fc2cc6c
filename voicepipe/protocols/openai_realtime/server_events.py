"""Session events to server events in GA shape. Only `AudioDelta` is not here: it is the hot path
and has its own (`audio_delta.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from voicepipe.protocols.json_fields import errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.openai_realtime import items, response_object
from voicepipe.protocols.openai_realtime.session_object import SessionObject
from voicepipe.session import events as ev

_PLAIN: dict[type[Any], tuple[str, tuple[str, ...]]] = {
    ev.SpeechStarted: ("input_audio_buffer.speech_started", ("item_id", "audio_start_ms")),
    ev.SpeechStopped: ("input_audio_buffer.speech_stopped", ("item_id", "audio_end_ms")),
    ev.AudioCommitted: ("input_audio_buffer.committed", ("item_id", "previous_item_id")),
    ev.AudioCleared: ("input_audio_buffer.cleared", ()),
    ev.ItemDeleted: ("conversation.item.deleted", ("item_id",)),
    ev.ItemTruncated: (
        "conversation.item.truncated",
        ("item_id", "content_index", "audio_end_ms"),
    ),
    ev.OutputAudioStarted: ("output_audio_buffer.started", ("response_id",)),
    ev.OutputAudioStopped: ("output_audio_buffer.stopped", ("response_id",)),
    ev.OutputAudioCleared: ("output_audio_buffer.cleared", ("response_id",)),
}
"""Events whose fields go out under their own names."""

_TRANSCRIPTION = "conversation.item.input_audio_transcription"


@dataclass(frozen=True, slots=True)
class ServerEvents:
    """Renders everything but audio deltas."""

    session: SessionObject

    def render(self, event: ev.SessionEvent) -> Json | None:
        """The server event without its `event_id`; None if this client must not see it."""
        plain = _PLAIN.get(type(event))
        if plain is not None:
            kind, names = plain
            return {"type": kind, **{name: getattr(event, name) for name in names}}
        match event:
            case ev.SessionUpdated():
                return {"type": "session.updated", "session": self.session.wire()}
            case ev.SessionError():
                return {"type": "error", "error": errors.to_wire(event)}
            case ev.TurnMeasured() | ev.OutputPaused() | ev.OutputResumed():
                return _own(event) if self.session.settings.turn_events else None
            case ev.IdleTimeout():
                return self._idle_timeout(event)
            case ev.ItemAdded() | ev.ItemDone() | ev.ItemRetrieved():
                return self._item(event)
            case ev.UserTranscriptDelta() | ev.UserTranscript() | ev.UserTranscriptFailed():
                return _transcription(event)
            case ev.ResponseCreated(response) | ev.ResponseDone(response):
                name = "created" if isinstance(event, ev.ResponseCreated) else "done"
                shown = response_object.to_wire(response, self.session)
                return {"type": f"response.{name}", "response": shown}
            case ev.McpListing() | ev.McpArguments() | ev.McpCall():
                return _mcp(event)
            case ev.OutputItemAdded() | ev.OutputItemDone():
                name = "added" if isinstance(event, ev.OutputItemAdded) else "done"
                return {
                    "type": f"response.output_item.{name}",
                    "response_id": event.response_id,
                    "output_index": event.output_index,
                    "item": items.to_wire(event.item),
                }
            case _:
                return _content(event)

    def _item(self, event: ev.ItemAdded | ev.ItemDone | ev.ItemRetrieved) -> Json:
        if isinstance(event, ev.ItemRetrieved):
            item = items.to_wire(event.item, audio_of=self.session.settings)
            return {"type": "conversation.item.retrieved", "item": item}
        name = "added" if isinstance(event, ev.ItemAdded) else "done"
        return {
            "type": f"conversation.item.{name}",
            "previous_item_id": event.previous_item_id,
            "item": items.to_wire(event.item),
        }

    def _idle_timeout(self, event: ev.IdleTimeout) -> Json | None:
        """Only for clients whose session asks for it: some stop at an event they do not know."""
        turn = self.session.settings.turn_detection
        if turn is None or turn.idle_timeout_ms is None:
            return None
        return {
            "type": "input_audio_buffer.timeout_triggered",
            "item_id": event.item_id,
            "audio_start_ms": event.audio_start_ms,
            "audio_end_ms": event.audio_end_ms,
        }


def _own(event: ev.TurnMeasured | ev.OutputPaused | ev.OutputResumed) -> Json:
    """Events that the standard does not have."""
    if isinstance(event, ev.TurnMeasured):
        return _measured(event)
    name = "paused" if isinstance(event, ev.OutputPaused) else "resumed"
    return {"type": f"voicepipe.output_{name}", "response_id": event.response_id}


def _measured(event: ev.TurnMeasured) -> Json:
    turn = event.record.as_dict()
    if not event.provisional:
        return {"type": "voicepipe.turn", "turn": turn}
    return {"type": "voicepipe.turn", "provisional": True, "turn": {**turn, "end": None}}


def _mcp(event: ev.McpListing | ev.McpArguments | ev.McpCall) -> Json:
    head: Json = {"item_id": event.item_id}
    if isinstance(event, ev.McpListing):
        return {"type": f"mcp_list_tools.{event.state}", **head}
    head["output_index"] = event.output_index
    if isinstance(event, ev.McpCall):
        return {"type": f"response.mcp_call.{event.state}", **head}
    name, value = ("done", "arguments") if event.done else ("delta", "delta")
    return {
        "type": f"response.mcp_call_arguments.{name}",
        "response_id": event.response_id,
        **head,
        value: event.arguments,
    }


def ids(ref: ev.PartRef) -> Json:
    """The four fields that place an event within its response."""
    return {
        "response_id": ref.response_id,
        "item_id": ref.item_id,
        "output_index": ref.output_index,
        "content_index": ref.content_index,
    }


def _transcription(
    event: ev.UserTranscriptDelta | ev.UserTranscript | ev.UserTranscriptFailed,
) -> Json:
    head: Json = {"item_id": event.item_id, "content_index": 0}  # speech is the item's only part
    match event:
        case ev.UserTranscriptDelta():
            return {"type": f"{_TRANSCRIPTION}.delta", **head, "delta": event.delta}
        case ev.UserTranscript():
            usage = {"type": "duration", "seconds": round(event.audio_s, 3)}
            text = event.transcript
            return {
                "type": f"{_TRANSCRIPTION}.completed",
                **head,
                "transcript": text,
                "usage": usage,
            }
        case ev.UserTranscriptFailed():
            error = {
                "type": "transcription_error",
                "code": "transcription_failed",
                "message": event.message,
            }
            return {"type": f"{_TRANSCRIPTION}.failed", **head, "error": error}


def _part(kind: str, text: str) -> Json:
    """A content part; note that its type is not `output_text` or `output_audio` here."""
    return {"type": kind, "text" if kind == "text" else "transcript": text}


def _content(event: Any) -> Json:
    """What happens inside an output item."""
    stem = "output_audio_transcript"
    match event:
        case ev.PartAdded(ref, kind):
            part = _part(kind, "")
            return {"type": "response.content_part.added", **ids(ref), "part": part}
        case ev.PartDone(ref, kind, text):
            part = _part(kind, text)
            return {"type": "response.content_part.done", **ids(ref), "part": part}
        case ev.TextDelta(ref, kind, delta):
            name = "output_text" if kind == "text" else stem
            return {"type": f"response.{name}.delta", **ids(ref), "delta": delta}
        case ev.TextDone(ref, "text", text):
            return {"type": "response.output_text.done", **ids(ref), "text": text}
        case ev.TextDone(ref, _, text):
            return {"type": f"response.{stem}.done", **ids(ref), "transcript": text}
        case ev.AudioDone(ref):
            return {"type": "response.output_audio.done", **ids(ref)}
        case ev.ArgumentsDelta(ref, call_id, delta):
            fields = {"call_id": call_id, "delta": delta}
            return _arguments("delta", ref, fields)
        case ev.ArgumentsDone(ref, item):
            fields = {"call_id": item.call_id, "name": item.name, "arguments": item.arguments}
            return _arguments("done", ref, fields)
    raise TypeError(f"no server event renders {type(event).__name__}")


def _arguments(name: str, ref: ev.PartRef, fields: Json) -> Json:
    """A function call is an item without parts, so there is no content_index."""
    return {
        "type": f"response.function_call_arguments.{name}",
        "response_id": ref.response_id,
        "item_id": ref.item_id,
        "output_index": ref.output_index,
        **fields,
    }
