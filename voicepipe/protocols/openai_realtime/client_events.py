"""Client events to commands. `session.update` alone is not here: it changes the codec's own
session object (`codec.py`)."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from voicepipe.conversation.items import Item
from voicepipe.protocols.json_fields import audio_field, checks, errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.openai_realtime import items
from voicepipe.protocols.openai_realtime import session_fields as fields
from voicepipe.protocols.openai_realtime.session_object import SessionObject
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session.commands import (
    AppendAudio,
    CancelResponse,
    ClearAudio,
    ClearOutput,
    Command,
    CommitAudio,
    CreateItem,
    CreateResponse,
    DeleteItem,
    ItemReference,
    RetrieveItem,
    TruncateItem,
)

T = TypeVar("T")

_MAX_METADATA = 16  # pairs, as upstream, with keys and values of at most these lengths
_MAX_METADATA_KEY = 64
_MAX_METADATA_VALUE = 512
_MAX_AUDIO_MS = 24 * 3600 * 1000  # longer than any session; keeps numbers small


def event_id(message: Json) -> str | None:
    """The client's own id of its event. Raises ProtocolError if it cannot be one."""
    value = message.get("event_id")
    return None if value is None else checks.name(value, "event_id")


def event_type(message: Json) -> str:
    """The event's type, known or not. Raises ProtocolError if there is none."""
    kind = message.get("type")
    if not isinstance(kind, str):
        is_what = "is missing" if kind is None else f"is {errors.json_kind(kind)}"
        raise ProtocolError(
            f"type {is_what}; every event needs one, for example 'session.update'.",
            code=errors.INVALID_EVENT,
            param="type",
        )
    return kind


@dataclass(frozen=True, slots=True)
class ClientEvents:
    """Parses all client events that become commands."""

    session: SessionObject
    new_id: items.NewId
    max_audio_bytes: int

    def parse(self, kind: str, message: Json, event_id: str | None) -> list[Command]:
        """The commands of one event. Raises ProtocolError naming the field."""
        parser = _PARSERS.get(kind)
        if parser is None:
            raise _unknown(kind)
        command = parser(self, message, event_id)
        return [] if command is None else [command]

    def append(self, message: Json, event_id: str | None) -> Command | None:
        value = message.get("audio")
        if value is None:
            raise errors.missing("audio", "base64 audio in the session's input format")
        fmt = self.session.settings.input_format
        audio = audio_field.decode(value, "audio", fmt, self.max_audio_bytes)
        return AppendAudio(audio, event_id=event_id) if audio else None

    def commit(self, _: Json, event_id: str | None) -> Command:
        return CommitAudio(event_id=event_id)

    def clear(self, _: Json, event_id: str | None) -> Command:
        return ClearAudio(event_id=event_id)

    def clear_output(self, _: Json, event_id: str | None) -> Command:
        return ClearOutput(event_id=event_id)

    def create_item(self, message: Json, event_id: str | None) -> Command:
        value = checks.required(message, "item", "item", "a conversation item")
        previous = message.get("previous_item_id")
        if previous is not None:
            checks.name(previous, "previous_item_id")
        return CreateItem(self._item(value, "item"), previous, event_id=event_id)

    def retrieve_item(self, message: Json, event_id: str | None) -> Command:
        return RetrieveItem(_item_id(message), event_id=event_id)

    def delete_item(self, message: Json, event_id: str | None) -> Command:
        return DeleteItem(_item_id(message), event_id=event_id)

    def truncate_item(self, message: Json, event_id: str | None) -> Command:
        index = checks.required(message, "content_index", "content_index", "0")
        end = checks.required(message, "audio_end_ms", "audio_end_ms", "the milliseconds played")
        return TruncateItem(
            _item_id(message),
            content_index=checks.integer(index, "content_index", 0, 1_000_000),
            audio_end_ms=math.floor(checks.number(end, "audio_end_ms", 0, _MAX_AUDIO_MS)),
            event_id=event_id,
        )

    def cancel_response(self, message: Json, event_id: str | None) -> Command:
        value = message.get("response_id")
        response_id = None if value is None else checks.name(value, "response_id")
        return CancelResponse(response_id, event_id=event_id)

    def create_response(self, message: Json, event_id: str | None) -> Command:
        value = message.get("response")
        return self._response({} if value is None else checks.obj(value, "response"), event_id)

    def _response(self, given: Json, event_id: str | None) -> CreateResponse:
        """Null means absent here: a response has no state that null could switch off."""
        _optional(given, "prompt", fields.prompt)
        modalities = _optional(given, "output_modalities", fields.output_modalities)
        limit = _optional(given, "max_output_tokens", fields.max_output_tokens)
        tools = _optional(given, "tools", fields.function_tools)
        choice = _optional(given, "tool_choice", fields.tool_choice)
        declared = self._tool_names(tools)
        if choice is not None:
            self.session.check_tool_choice(choice, declared, "response.tool_choice")
        elif tools is not None and self._session_wants_another(declared):
            choice = "auto"
        conversation = _optional(given, "conversation", _conversation)
        return CreateResponse(
            out_of_band=conversation == "none",
            input=_optional(given, "input", self._input),
            instructions=_optional(given, "instructions", fields.instructions),
            modality=None if modalities is None else fields.modality(modalities),
            tools=None if tools is None else fields.tool_settings(tools),
            tool_choice=None if choice is None else fields.tool_choice_setting(choice),
            parallel_tools=_optional(given, "parallel_tool_calls", checks.boolean),
            max_output_tokens=None if limit is None else fields.token_limit(limit),
            voice=_optional(given, "audio", self._voice),
            metadata=_optional(given, "metadata", _metadata),
            event_id=event_id,
        )

    def _tool_names(self, tools: list[Json] | None) -> list[str]:
        if tools is None:
            return [tool.name for tool in self.session.settings.tools]
        return [tool["name"] for tool in tools]

    def _session_wants_another(self, declared: list[str]) -> bool:
        """Whether the session's tool choice is a function that is not among these."""
        choice = self.session.settings.tool_choice
        if choice == "required":
            return not declared
        return choice not in ("auto", "none") and choice not in declared

    def _item(self, value: object, path: str) -> Item:
        return items.parse(
            value,
            path,
            new_id=self.new_id,
            input_format=self.session.settings.input_format,
            max_audio_bytes=self.max_audio_bytes,
        )

    def _input(self, value: object, path: str) -> tuple[Item | ItemReference, ...]:
        def one(item: object, where: str) -> Item | ItemReference:
            if isinstance(item, dict) and item.get("type") == "item_reference":
                item_id = checks.required(item, "id", f"{where}.id", "the id of an item")
                return ItemReference(checks.name(item_id, f"{where}.id"))
            return self._item(item, where)

        listed = checks.array(value, path)
        return tuple(one(item, f"{path}[{i}]") for i, item in enumerate(listed))

    def _voice(self, value: object, path: str) -> str | None:
        """The voice in `response.audio`; the format there must be the session's."""
        output = checks.obj(value, path).get("output")
        if output is None:
            return None
        given, where = checks.obj(output, f"{path}.output"), f"{path}.output"
        if given.get("format") is not None:
            wanted = fields.audio_format(given["format"], f"{where}.format")
            if wanted != self.session.output_format:
                raise errors.bad_value(
                    f"{where}.format",
                    "differs from the session's output format, in which all responses come; "
                    "change that with session.update.",
                )
        if given.get("voice") is None:
            return None
        name = fields.voice(given["voice"], f"{where}.voice")
        return self.session.engine_voice(name, f"{where}.voice")


Parser = Callable[[ClientEvents, Json, str | None], Command | None]

_PARSERS: dict[str, Parser] = {
    "input_audio_buffer.append": ClientEvents.append,
    "input_audio_buffer.commit": ClientEvents.commit,
    "input_audio_buffer.clear": ClientEvents.clear,
    "output_audio_buffer.clear": ClientEvents.clear_output,
    "conversation.item.create": ClientEvents.create_item,
    "conversation.item.retrieve": ClientEvents.retrieve_item,
    "conversation.item.delete": ClientEvents.delete_item,
    "conversation.item.truncate": ClientEvents.truncate_item,
    "response.create": ClientEvents.create_response,
    "response.cancel": ClientEvents.cancel_response,
}
CLIENT_EVENTS = ("session.update", *_PARSERS)
"""Every type a client may send in the GA dialect."""


def _unknown(kind: str) -> ProtocolError:
    near = difflib.get_close_matches(kind[:100], CLIENT_EVENTS, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"known are {checks.quoted(CLIENT_EVENTS)}."
    return errors.bad_value("type", f"{checks.shown(kind)} is not an event clients send; {hint}")


def _optional(given: Json, name: str, check: Callable[[object, str], T]) -> T | None:
    value = given.get(name)
    return None if value is None else check(value, f"response.{name}")


def _item_id(message: Json) -> str:
    value = checks.required(message, "item_id", "item_id", "the id of an item")
    return checks.name(value, "item_id")


def _conversation(value: object, path: str) -> str:
    return checks.choice(value, path, ("auto", "none"))


def _metadata(value: object, path: str) -> dict[str, str]:
    """Up to 16 pairs of short strings, echoed in the response."""
    pairs = checks.obj(value, path)
    if len(pairs) > _MAX_METADATA:
        raise errors.bad_value(path, f"has {len(pairs)} pairs; at most {_MAX_METADATA} may be.")
    for key, text in pairs.items():
        if len(key) > _MAX_METADATA_KEY:
            raise errors.bad_value(path, f"has a key of over {_MAX_METADATA_KEY} characters.")
        if len(checks.string(text, f"{path}.{key}")) > _MAX_METADATA_VALUE:
            where = f"{path}.{key}"
            raise errors.bad_value(where, f"has over {_MAX_METADATA_VALUE} characters.")
    return dict(pairs)
