"""JSON texts in and out. What comes in is hostile until proven otherwise: only plain, finite,
encodable and reasonably shallow JSON objects pass."""

from __future__ import annotations

import json
import math
import re
import secrets
from typing import Any, NoReturn

from voicepipe.protocols.json_fields import errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.runtime.errors import ProtocolError

LONG = 256 * 1024
"""Characters; in a longer frame audio at the top level is cut out before the rest is parsed."""

MAX_COMMAS = 20_000
"""A message of a million values keeps the parser, and with it every session, for seconds."""

MAX_DEPTH = 64
"""Levels of nesting. What is echoed (tools, metadata) must be writable again, and Python's JSON
writer recurses."""


def parse(frame: str | bytes) -> Json:
    """One client message. Raises ProtocolError `invalid_json` or `invalid_event`."""
    if not isinstance(frame, str):
        raise ProtocolError(
            "Binary frames are not part of this protocol; send JSON in text frames, audio as "
            "base64 in input_audio_buffer.append.",
            code=errors.INVALID_EVENT,
        )
    if len(frame) > LONG:
        cut = _cut_audio(frame)
        if cut is not None:
            rest, mark, audio = cut
            message = _parsed(rest)
            if message.get("audio") == mark:
                return {**message, "audio": audio}
    return _parsed(frame)


def _cut_audio(frame: str) -> tuple[str, str, str] | None:
    """The frame with a mark in place of its audio, the mark, the audio: a parser would hold up all
    threads for as long as it looks at fifteen megabytes. None: there is nothing to cut."""
    found = _AUDIO.search(frame)
    end = -1 if found is None else frame.find('"', found.end())
    if found is None or end < 0:
        return None
    audio = frame[found.end() : end]
    if "\\" in audio:  # then the text may go on behind that quote
        return None
    mark = secrets.token_hex(8)
    return f"{frame[: found.end()]}{mark}{frame[end:]}", mark, audio


def _parsed(frame: str) -> Json:
    if frame.count(",") > MAX_COMMAS:
        raise ProtocolError(
            f"The message has over {MAX_COMMAS} commas, the limit here: send less at a time.",
            code=errors.INVALID_EVENT,
        )
    try:
        message = _DECODER.decode(frame)
    except json.JSONDecodeError as exc:
        where = f"line {exc.lineno}, column {exc.colno}"
        raise _invalid_json(f"{exc.msg} at {where}") from None
    except RecursionError:
        raise _invalid_json(f"it is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as exc:  # a number of thousands of digits, NaN, Infinity
        raise _invalid_json(str(exc)) from None
    if not isinstance(message, dict):
        raise ProtocolError(
            f"A message must be a JSON object with a field 'type', but is "
            f"{errors.json_kind(message)}.",
            code=errors.INVALID_EVENT,
        )
    if _too_deep(message):
        raise _invalid_json(f"it is nested deeper than {MAX_DEPTH} levels")
    if not _encodable(frame, message):
        raise _invalid_json("it holds half of a surrogate pair, which no text can contain")
    return message


def dump(message: Json) -> str:
    """One server message. ASCII only, so that it can always be encoded."""
    return _ENCODER.encode(message)


def quote(text: str) -> str:
    """`text` as a JSON string."""
    return _ENCODER.encode(text)


def _invalid_json(problem: str) -> ProtocolError:
    return ProtocolError(f"The message is not valid JSON: {problem}.", code=errors.INVALID_JSON)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _too_deep(message: Json) -> bool:
    """Counts levels of nesting without recursion, and no further than is of interest."""
    level: list[Any] = [message]
    for _ in range(MAX_DEPTH):
        values = (v for c in level for v in (c.values() if isinstance(c, dict) else c))
        level = [v for v in values if isinstance(v, dict | list)]
        if not level:
            return False
    return True


def _encodable(frame: str, message: Json) -> bool:
    """Whether every string can be written as UTF-8. Plain frames, the rule, cost nothing."""
    escaped = "\\" in frame
    if frame.isascii() and not escaped:
        return True
    try:
        (json.dumps(message, ensure_ascii=False) if escaped else frame).encode()
    except UnicodeEncodeError:
        return False
    return True


_AUDIO = re.compile(r'"audio"\s*:\s*"')
_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(separators=(",", ":"))
