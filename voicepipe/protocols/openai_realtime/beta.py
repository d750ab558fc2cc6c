"""The beta dialect, as a translation of the GA one at the edge: client payloads come in and are
turned into GA shape, rendered GA events are turned into beta names and shapes on the way out."""

from __future__ import annotations

from typing import Any

from voicepipe.protocols.json_fields import checks, errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.runtime.errors import ProtocolError

TRANSCRIPTION_UPDATE = "transcription_session.update"
"""What beta clients send in place of `session.update` for transcription sessions."""

_FORMATS = {"pcm16": "audio/pcm", "g711_ulaw": "audio/pcmu", "g711_alaw": "audio/pcma"}
_FORMAT_NAMES = {ga: beta for beta, ga in _FORMATS.items()}

_FLAT: dict[str, tuple[str, ...]] = {
    "modalities": ("output_modalities",),
    "max_response_output_tokens": ("max_output_tokens",),
    "input_audio_format": ("audio", "input", "format"),
    "input_audio_transcription": ("audio", "input", "transcription"),
    "input_audio_noise_reduction": ("audio", "input", "noise_reduction"),
    "turn_detection": ("audio", "input", "turn_detection"),
    "output_audio_format": ("audio", "output", "format"),
    "voice": ("audio", "output", "voice"),
    "speed": ("audio", "output", "speed"),
}
"""Beta session and response fields and their place in GA."""

_SHARED = (
    "model instructions tools tool_choice tracing include prompt temperature voicepipe "
    "conversation input metadata".split()
)
"""Fields of the same name and shape in both dialects (temperature: beta only)."""

_EVENT_NAMES = (
    ("response.output_text.", "response.text."),
    ("response.output_audio_transcript.", "response.audio_transcript."),
    ("response.output_audio.", "response.audio."),
)
_PART_TYPES = {"output_text": "text", "output_audio": "audio"}
SHOWN_TEMPERATURE = 0.8  # what upstream shows while no client has set one

AUDIO_DELTA = "response.audio.delta"


def looks_flat(session: Json) -> bool:
    """Whether a `session.update` without a type speaks beta: fields that only beta has."""
    ga = session.keys() & {"type", "audio", "output_modalities", "max_output_tokens"}
    return not ga and bool(session.keys() & {*_FLAT, "temperature"})


def to_ga(fields: object, path: str) -> Json:
    """A flat session or response in GA shape. Raises ProtocolError in beta terms."""
    given = checks.obj(fields, path)
    result: Json = {name: given[name] for name in _SHARED if name in given}
    if path == "response" and "max_output_tokens" in given:  # both spellings were in use
        result["max_output_tokens"] = given["max_output_tokens"]
    for name, place in _FLAT.items():
        if name not in given:
            continue
        target = result
        for step in place[:-1]:
            target = target.setdefault(step, {})
        target[place[-1]] = _value_to_ga(name, given[name], f"{path}.{name}")
    return result


def _value_to_ga(name: str, value: Any, path: str) -> Any:
    if value is None:
        return None
    if name.endswith("_format"):
        return {"type": _FORMATS[checks.choice(value, path, tuple(_FORMATS))]}
    if name == "modalities":
        allowed = ("audio", "text")
        names = {checks.choice(v, path, allowed) for v in checks.array(value, path)}
        if not names:
            raise errors.bad_value(path, "must be ['text', 'audio'] or ['text'].")
        return ["audio"] if "audio" in names else ["text"]
    return value


def translated_error(exc: ProtocolError) -> ProtocolError:
    """The error with the GA path it names, in `param` and in its message, put in beta terms."""
    if exc.param is None:
        return exc
    for beta_name, place in _FLAT.items():
        for root in ("session", "response"):
            ga_path = ".".join((root, *place))
            if exc.param == ga_path or exc.param.startswith(f"{ga_path}."):
                path = f"{root}.{beta_name}"
                message = str(exc).replace(ga_path, path)
                param = exc.param.replace(ga_path, path, 1)
                return ProtocolError(message, code=exc.code, param=param, event_id=exc.event_id)
    return exc


def from_ga(message: Json) -> Json | None:
    """A rendered GA event in beta; None where beta has no such event."""
    kind: str = message["type"]
    if kind == "conversation.item.done":
        return None  # `.created` has said it all
    result = {**message, "type": _event_name(kind)}
    if "session" in result:
        result["session"] = _session(result["session"])
        if message["session"]["type"] == "transcription":
            result["type"] = f"transcription_{kind}"
    if "response" in result:
        result["response"] = _response(result["response"])
    if "item" in result:
        result["item"] = _item(result["item"])
    return result


def _event_name(kind: str) -> str:
    if kind == "conversation.item.added":
        return "conversation.item.created"
    for ga, beta in _EVENT_NAMES:
        if kind.startswith(ga):
            return beta + kind.removeprefix(ga)
    return kind


def _item(item: Json) -> Json:
    if "content" not in item:
        return item
    parts = [{**p, "type": _PART_TYPES.get(p["type"], p["type"])} for p in item["content"]]
    return {**item, "content": parts}


def _modalities(output_modalities: list[str]) -> list[str]:
    return ["text"] if output_modalities == ["text"] else ["text", "audio"]


def _format(fmt: Json) -> str:
    return _FORMAT_NAMES[fmt["type"]]


def _response(response: Json) -> Json:
    result = {k: v for k, v in response.items() if k not in ("audio", "output_modalities")}
    output = response["audio"]["output"]
    return {
        **result,
        "output": [_item(item) for item in response["output"]],
        "modalities": _modalities(response["output_modalities"]),
        "voice": output["voice"],
        "output_audio_format": _format(output["format"]),
    }


def _session(session: Json) -> Json:
    heard = session["audio"]["input"]
    flat: Json = {
        name: session[name]
        for name in ("id", "object", "expires_at", "include", "voicepipe")
        if name in session
    }
    flat |= {
        "input_audio_format": _format(heard["format"]),
        "input_audio_transcription": heard["transcription"],
        "input_audio_noise_reduction": heard["noise_reduction"],
        "turn_detection": heard["turn_detection"],
    }
    if session["type"] == "transcription":
        return flat
    output = session["audio"]["output"]
    temperature = session.get("temperature")
    return flat | {
        "model": session["model"],
        "modalities": _modalities(session["output_modalities"]),
        "instructions": session["instructions"],
        "voice": output["voice"],
        "speed": output["speed"],
        "output_audio_format": _format(output["format"]),
        "tools": session["tools"],
        "tool_choice": session["tool_choice"],
        "temperature": SHOWN_TEMPERATURE if temperature is None else temperature,
        "max_response_output_tokens": session["max_output_tokens"],
        "tracing": session["tracing"],
    }
