"""What goes through a call, as a header and payload bytes: every item of the engines' contracts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.asr.language import SpokenLanguage
from voicepipe.audio import pcm
from voicepipe.audio.pcm import Int16
from voicepipe.cluster.plain import plain, restored
from voicepipe.llm.contract import ChatRequest, Finish, TextDelta, ToolCallDelta
from voicepipe.tts.contract import Speech, Voice, WordTime

Header = dict[str, Any]

_KINDS = {
    kind.__name__: kind
    for kind in (TextDelta, ToolCallDelta, Finish, Hypothesis, Transcript, ChatRequest, Voice)
}


class Unreadable(ValueError):
    """What came is no item of the contracts; the message names it."""


def packed(item: object) -> tuple[Header, bytes]:
    """An item as {"is": its type, ...fields} and, for speech, PCM (s16, little-endian)."""
    if isinstance(item, Speech):
        return _packed_speech(item)
    return {"is": type(item).__name__, **plain(item)}, b""


def unpacked(header: Mapping[str, Any], payload: bytes = b"") -> Any:
    """The item. Raises Unreadable."""
    name = header.get("is")
    try:
        if name == "Speech":
            return _unpacked_speech(header, payload)
        return restored(_KINDS[str(name)], header)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{name!r} cannot be read: {type(error).__name__}") from None


def samples(payload: bytes) -> Int16:
    """Audio of a message, writable as an engine's own. Raises Unreadable for half a sample."""
    try:
        return pcm.from_bytes(bytearray(payload))
    except ValueError as error:
        raise Unreadable(str(error)) from None


def _packed_speech(speech: Speech) -> tuple[Header, bytes]:
    header: Header = {"is": "Speech", "words": plain(speech.words)}
    if speech.planned_s is not None:
        header["planned_s"] = speech.planned_s
    if speech.route:
        header["route"] = dict(speech.route)
    return header, pcm.to_bytes(speech.pcm)


def _unpacked_speech(header: Mapping[str, Any], payload: bytes) -> Speech:
    words = tuple(restored(WordTime, word) for word in header["words"])
    return Speech(samples(payload), words, header.get("planned_s"), header.get("route", {}))


def packed_options(options: AsrOptions) -> Header:
    """The wishes; of the session's language memory, what it knows now."""
    names = (field.name for field in fields(options) if field.name != "spoken")
    header: Header = {name: getattr(options, name) for name in names}
    if options.spoken is not None:
        header["spoken"] = options.spoken.known
    return header


def unpacked_options(header: Mapping[str, Any]) -> AsrOptions:
    """With a language memory of its own, whose news go back with what is heard."""
    known = {field.name for field in fields(AsrOptions)} - {"spoken"}
    given = {name: value for name, value in header.items() if name in known}
    if header.get("spoken") is None:
        return AsrOptions(**given)
    spoken = SpokenLanguage()
    spoken.take(header["spoken"])
    return AsrOptions(**given, spoken=spoken)
