"""Separates what is to be spoken from tool calls in a streamed answer (Hermes form).

    <tool_call>
    {"name": "get_time", "arguments": {"city": "Paris"}}
    </tool_call>

Tags may arrive split over any number of pieces; there may be several calls, with text around.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from voicepipe.llm.call_ids import new_call_id
from voicepipe.llm.contract import ToolCall

OPEN = "<tool_call>"
CLOSE = "</tool_call>"
MAX_CALL_CHARS = 32_768
"""A call that grows beyond this is the model babbling; it is given up as broken."""

_TOO_DEEP = "a call nested too deep"


@dataclass(frozen=True, slots=True)
class SpokenText:
    """Text to be spoken; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class BrokenCall:
    """Something between call tags that is no call. The model's words are left out on purpose:
    they are neither to be spoken nor to be logged.
    """

    reason: str


Parsed = SpokenText | ToolCall | BrokenCall


class HermesToolParser:
    """Feed it deltas; it returns at once all text that cannot be the beginning of a tag.

    White space is held back until text follows, so that the line breaks around calls are not
    spoken.
    """

    def __init__(self, new_id: Callable[[], str] = new_call_id) -> None:
        self._new_id = new_id
        self._pending = ""  # not yet decided: a tag's beginning, white space, or the open call
        self._in_call = False

    @property
    def in_call(self) -> bool:
        """A call is open."""
        return self._in_call

    def take_back(self) -> str:
        """Forget what has come of the open call behind its tag; that is returned."""
        assert self._in_call, "there is none"
        pending, self._pending = self._pending, ""
        return pending

    def feed(self, text: str) -> list[Parsed]:
        """Parse one more delta."""
        self._pending += text
        found: list[Parsed] = []
        while self._step(found):
            pass
        return found

    def close(self) -> list[Parsed]:
        """The answer is over: what was held back, or the call whose end tag never came (models
        that stop right after the JSON mean it).
        """
        pending, self._pending = self._pending, ""
        if self._in_call:
            self._in_call = False
            return [self._parse_call(pending)]
        return [SpokenText(pending.rstrip())] if pending.strip() else []

    def _step(self, found: list[Parsed]) -> bool:
        """Consume up to the next tag; True if there may be more to do."""
        tag = CLOSE if self._in_call else OPEN
        at = self._pending.find(tag)
        if at < 0:
            self._consume_open_end(found)
            return False
        before, self._pending = self._pending[:at], self._pending[at + len(tag) :]
        if self._in_call:
            found.append(self._parse_call(before))
        elif before.strip():
            found.append(SpokenText(before.rstrip()))
        self._in_call = not self._in_call
        return True

    def _consume_open_end(self, found: list[Parsed]) -> None:
        if self._in_call:
            if len(self._pending) > MAX_CALL_CHARS:
                found.append(BrokenCall(f"a call longer than {MAX_CALL_CHARS} characters"))
                self._pending = self._pending[-len(CLOSE) :]
            return
        keep = len(self._pending) - _possible_tag_length(self._pending)
        sure = self._pending[:keep].rstrip()
        if sure:
            found.append(SpokenText(sure))
            self._pending = self._pending[len(sure) :]

    def _parse_call(self, text: str) -> Parsed:
        try:
            name, arguments = split_call(text)
        except ValueError as error:
            return BrokenCall(str(error))
        return ToolCall(self._new_id(), name, arguments)


def split_call(text: str) -> tuple[str, str]:
    """Name and arguments of one call; the arguments are the JSON object's own characters. What
    stands behind the call's object is left out: small models go on with words, or with one brace
    too many.

    Raises ValueError, whose message quotes nothing of the text.
    """
    members = _raw_members(text.strip())
    try:
        name = json.loads(members.get("name", "null"))
        raw = members.get("arguments", members.get("parameters", "{}"))
        arguments = json.loads(raw)
        if isinstance(arguments, str):  # some models write the object as a string
            raw, arguments = arguments, json.loads(arguments or "null")
        if arguments is None:  # of a tool that takes none
            raw, arguments = "{}", {}
    except json.JSONDecodeError as error:
        raise ValueError(f"bad JSON in a call: {error.msg}") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if not isinstance(name, str) or not name:
        raise ValueError("a call without a name")
    if not isinstance(arguments, dict):
        raise ValueError("a call whose arguments are not a JSON object")
    return name, raw


def _raw_members(text: str) -> dict[str, str]:
    """Top-level members of the JSON object at the beginning, values as they are written."""
    decoder = json.JSONDecoder()
    members: dict[str, str] = {}
    at = _expect(text, 0, "{")
    while text[at : at + 1] != "}":
        key, at = _value(decoder, text, at)
        at = _expect(text, at, ":")
        start = at
        _, at = _value(decoder, text, at)
        members[str(key)] = text[start:at].rstrip()
        at = _skip_space(text, at)
        if text[at : at + 1] == ",":
            at = _skip_space(text, at + 1)
        elif text[at : at + 1] != "}":
            raise ValueError("bad JSON in a call: ',' or '}' expected")
    return members


def _value(decoder: json.JSONDecoder, text: str, at: int) -> tuple[object, int]:
    try:
        value, end = decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise ValueError(f"bad JSON in a call: {error.msg}") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return value, _skip_space(text, end)


def _expect(text: str, at: int, char: str) -> int:
    if text[at : at + 1] != char:
        raise ValueError(f"bad JSON in a call: {char!r} expected")
    return _skip_space(text, at + 1)


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _possible_tag_length(text: str) -> int:
    """Length of the longest end of `text` that could be the beginning of the open tag."""
    for length in range(min(len(OPEN) - 1, len(text)), 0, -1):
        if OPEN.startswith(text[-length:]):
            return length
    return 0
