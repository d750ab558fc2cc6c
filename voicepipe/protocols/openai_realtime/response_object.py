"""The response object and its usage, with every key that stock clients read."""

from __future__ import annotations

from voicepipe.llm.contract import Usage
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.openai_realtime import items
from voicepipe.protocols.openai_realtime import session_fields as fields
from voicepipe.protocols.openai_realtime.session_object import SessionObject
from voicepipe.session.events import Response


def to_wire(response: Response, session: SessionObject) -> Json:
    """The response in GA shape. Keys are always all there; those that may be empty are null."""
    fmt = fields.format_object(session.settings.output_format)
    return {
        "id": response.id,
        "object": "realtime.response",
        "status": response.status,
        "status_details": _status_details(response),
        "output": [items.to_wire(item) for item in response.output],
        "conversation_id": response.conversation_id,
        "output_modalities": [response.modality],
        "max_output_tokens": response.max_output_tokens or "inf",
        "audio": {"output": {"format": fmt, "voice": session.voice_label(response.voice)}},
        "metadata": None if response.metadata is None else dict(response.metadata),
        "usage": None if response.status == "in_progress" else _usage(response.usage or Usage()),
    }


def _status_details(response: Response) -> Json | None:
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
