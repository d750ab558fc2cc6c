"""How much text one client event may carry: counted before anything is made of it."""

from __future__ import annotations

from typing import Any

from voicepipe.protocols.json_fields import errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.runtime.errors import ProtocolError

MAX_TEXT_CHARS = 65_536

_APPEND = "input_audio_buffer.append"


def check(kind: str, message: Json, limit: int) -> None:
    """Raises ProtocolError where the texts of `message` have more characters than `limit`.

    Texts are instructions, tools and items with all their names; audio has limits of its own.
    """
    if kind == _APPEND:
        return  # only its audio is looked at
    chars = text_chars(message) - sum(map(len, _audio(message)))
    if chars > limit:
        raise ProtocolError(
            f"The texts of this {kind[:60]} have {chars} characters; the limit is {limit} "
            "(limits.max_text_chars). Shorten them, or send them in several events.",
            code=errors.LIMIT_EXCEEDED,
        )


def text_chars(value: Any) -> int:
    """Characters of all texts and names in a JSON value."""
    chars, waiting = 0, [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            chars += len(found)
        elif isinstance(found, dict):
            chars += sum(map(len, found))
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
    return chars


def _audio(message: Json) -> list[str]:
    """The base64 texts where items have their audio."""
    response = message.get("response")
    given = response.get("input") if isinstance(response, dict) else None
    items = [message.get("item"), *(given if isinstance(given, list) else [])]
    contents = [item.get("content") for item in items if isinstance(item, dict)]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    audio = [part.get("audio") for part in parts if isinstance(part, dict)]
    return [text for text in audio if isinstance(text, str)]
