"""Session events to server events in GA shape."""

from __future__ import annotations

import binascii
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from voicepipe.asr.contract import Word
from voicepipe.llm.contract import Usage
from voicepipe.protocols.json_fields import errors, wire
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.openai_realtime import items
from voicepipe.protocols.openai_realtime.session_object import SessionObject
from voicepipe.session import events as ev
from voicepipe.session.settings import TranscriptDetail

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

DTMF = "input_audio_buffer.dtmf_event_received"
"""The one event without an id, as upstream."""

LEAST_CONFIDENCE = 1e-6
"""A confidence of 0 has no logarithm."""


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
            case ev.KeyPressed() | ev.IdleTimeout():
                return self._input(event)
            case ev.ItemAdded() | ev.ItemDone() | ev.ItemRetrieved():
                return self._item(event)
            case ev.UserTranscript():
                return _transcript(event, self.session.settings.details)
            case ev.UserTranscriptDelta() | ev.UserTranscriptSegment() | ev.UserTranscriptFailed():
                return _transcription(event)
            case ev.ResponseCreated(response) | ev.ResponseDone(response):
                name = "created" if isinstance(event, ev.ResponseCreated) else "done"
                shown = _response(response, self.session)
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

    def _input(self, event: ev.KeyPressed | ev.IdleTimeout) -> Json | None:
        """Timeouts go only to clients whose session asks for them: some stop at an event that they
        do not know."""
        if isinstance(event, ev.KeyPressed):
            return {"type": DTMF, "event": event.key, "received_at": event.received_at}
        turn = self.session.settings.turn_detection
        if turn is None or turn.idle_timeout_ms is None:
            return None
        return {
            "type": "input_audio_buffer.timeout_triggered",
            "item_id": event.item_id,
            "audio_start_ms": event.audio_start_ms,
            "audio_end_ms": event.audio_end_ms,
        }


class AudioDeltas:
    """Renders `response.output_audio.delta`, fifty times a second and connection: its JSON is put
    together from parts that are made once per content part, and the audio is touched once, by
    base64. `type_name`: the event's name in its dialect."""

    def __init__(self, type_name: str, new_id: Callable[[str], str]) -> None:
        self._type_name = type_name
        self._new_id = new_id
        self._ref: ev.PartRef | None = None
        self._head = ""

    def rename(self, type_name: str) -> None:
        """The dialect changed."""
        self._type_name = type_name
        self._ref = None

    def render(self, event: ev.AudioDelta) -> str:
        """The whole text frame."""
        ref = event.ref
        if ref is not self._ref and ref != self._ref:
            head = wire.dump({"type": self._type_name, **_ids(ref)})
            self._head = f'{head[:-1]},"event_id":"'
            self._ref = ref
        audio = binascii.b2a_base64(event.audio, newline=False).decode("ascii")
        return f'{self._head}{self._new_id("event")}","delta":"{audio}"}}'


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


def _ids(ref: ev.PartRef) -> Json:
    """The four fields that place an event within its response."""
    return {
        "response_id": ref.response_id,
        "item_id": ref.item_id,
        "output_index": ref.output_index,
        "content_index": ref.content_index,
    }


def _response(response: ev.Response, session: SessionObject) -> Json:
    """The response object, with every key that stock clients read; those that may be empty are
    null."""
    return {
        "id": response.id,
        "object": "realtime.response",
        "status": response.status,
        "status_details": _status_details(response),
        "output": [items.to_wire(item) for item in response.output],
        "conversation_id": response.conversation_id,
        "output_modalities": [response.modality],
        "max_output_tokens": response.max_output_tokens or "inf",
        "audio": {
            "output": {
                "format": session.output_format,
                "voice": session.voice_label(response.voice),
            }
        },
        "metadata": None if response.metadata is None else dict(response.metadata),
        "usage": None if response.status == "in_progress" else _usage(response.usage or Usage()),
    }


def _status_details(response: ev.Response) -> Json | None:
    """Null unless there is something to say about how it ended."""
    if response.status not in ("cancelled", "failed", "incomplete"):
        return None
    details: Json = {"type": response.status}
    if response.reason is not None:
        details["reason"] = response.reason
    if response.status == "failed":
        details["error"] = {
            "type": "server_error",
            "code": response.error_code or "server_error",
            "message": response.error or "The response could not be made.",
        }
    return details


def _usage(usage: Usage) -> Json:
    """Tokens of the language model. It reads and writes text, so audio costs none."""
    return {
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "input_token_details": {
            "text_tokens": usage.prompt_tokens,
            "audio_tokens": 0,
            "image_tokens": 0,
            "cached_tokens": usage.cached_tokens,
            "cached_tokens_details": {
                "text_tokens": usage.cached_tokens,
                "audio_tokens": 0,
                "image_tokens": 0,
            },
        },
        "output_token_details": {"text_tokens": usage.completion_tokens, "audio_tokens": 0},
    }


def _transcript(event: ev.UserTranscript, details: Collection[TranscriptDetail]) -> Json:
    message: Json = {
        "type": f"{_TRANSCRIPTION}.completed",
        "item_id": event.item_id,
        "content_index": 0,  # speech is the item's only part
        "transcript": event.transcript,
        "usage": {"type": "duration", "seconds": round(event.audio_s, 3)},
    }
    if "logprobs" in details:
        message["logprobs"] = [_logprob(word) for word in event.words]
    if "words" in details:
        message["words"] = [
            {"word": word.text, "start": round(word.start_s, 3), "end": round(word.end_s, 3)}
            for word in event.words
        ]
    return message


def _logprob(word: Word) -> Json:
    """A word stands for its tokens: recognizers do not tell them apart."""
    logprob = round(math.log(max(word.confidence, LEAST_CONFIDENCE)), 4)
    return {"token": word.text, "bytes": list(word.text.encode()), "logprob": logprob}


def _transcription(
    event: ev.UserTranscriptDelta | ev.UserTranscriptSegment | ev.UserTranscriptFailed,
) -> Json:
    head: Json = {"item_id": event.item_id, "content_index": 0}
    match event:
        case ev.UserTranscriptDelta():
            return {"type": f"{_TRANSCRIPTION}.delta", **head, "delta": event.delta}
        case ev.UserTranscriptSegment():
            return {
                "type": f"{_TRANSCRIPTION}.segment",
                **head,
                "id": event.id,
                "speaker": "user",  # nobody else is on this line
                "text": event.text,
                "start": round(event.start_s, 3),
                "end": round(event.end_s, 3),
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
            return {"type": "response.content_part.added", **_ids(ref), "part": part}
        case ev.PartDone(ref, kind, text):
            part = _part(kind, text)
            return {"type": "response.content_part.done", **_ids(ref), "part": part}
        case ev.TextDelta(ref, kind, delta):
            name = "output_text" if kind == "text" else stem
            return {"type": f"response.{name}.delta", **_ids(ref), "delta": delta}
        case ev.TextDone(ref, "text", text):
            return {"type": "response.output_text.done", **_ids(ref), "text": text}
        case ev.TextDone(ref, _, text):
            return {"type": f"response.{stem}.done", **_ids(ref), "transcript": text}
        case ev.AudioDone(ref):
            return {"type": "response.output_audio.done", **_ids(ref)}
        case ev.ArgumentsDelta(ref, call_id, delta):
            return _arguments("delta", ref, {"call_id": call_id, "delta": delta})
        case ev.ArgumentsDone(ref, item):
            said = {"call_id": item.call_id, "name": item.name, "arguments": item.arguments}
            return _arguments("done", ref, said)
    raise TypeError(f"no server event renders {type(event).__name__}")


def _arguments(name: str, ref: ev.PartRef, said: Json) -> Json:
    """A function call is an item without parts, so there is no content_index."""
    return {
        "type": f"response.function_call_arguments.{name}",
        "response_id": ref.response_id,
        "item_id": ref.item_id,
        "output_index": ref.output_index,
        **said,
    }
