"""What a bridge on `/v1/pcm` is told of the conversation: small JSON events, one a line of
docs/telephony/pcm.md."""

from __future__ import annotations

import json
from typing import Any

from voicepipe.session import events as ev


def render(event: ev.SessionEvent) -> str | None:
    """The event's text message; None: the bridge is not told of it."""
    message = _message(event)
    return None if message is None else json.dumps(message)


def ended(reason: str) -> str:
    """The last message of a call."""
    return json.dumps({"type": "call_ended", "reason": reason})


def _message(event: ev.SessionEvent) -> dict[str, Any] | None:
    match event:
        case ev.SpeechStarted(_, at_ms):
            return {"type": "speech_started", "at_ms": at_ms}
        case ev.SpeechStopped(_, at_ms):
            return {"type": "speech_stopped", "at_ms": at_ms}
        case ev.UserTranscript(_, transcript, audio_s):
            return {"type": "transcript", "text": transcript, "audio_s": round(audio_s, 3)}
        case ev.TextDelta(ref, _, delta):
            return {"type": "response_text", "response_id": ref.response_id, "delta": delta}
        case ev.ResponseDone(response):
            done: dict[str, Any] = {"type": "response_done", "response_id": response.id}
            done["status"] = response.status
            return done | ({"error": response.error} if response.error else {})
        case ev.TurnMeasured(record):
            return {"type": "turn", "turn": record.as_dict()}
        case ev.SessionError():
            return {"type": "error", "message": event.message, "code": event.code}
    return None
