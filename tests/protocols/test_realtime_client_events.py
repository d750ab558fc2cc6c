"""What clients may send, what becomes of it, and how what is wrong is refused."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from openai.types.realtime import RealtimeClientEvent
from pydantic import TypeAdapter

from tests.protocols.realtime_kit import make_codec, receive, refused
from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    MessageItem,
    TextPart,
)
from voicepipe.llm.contract import Tool
from voicepipe.protocols.openai_realtime.client_events import CLIENT_EVENTS
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
    UpdateSession,
)

SPEECH = bytes(range(96)) * 10  # 20 ms at 24 kHz
SPEECH64 = base64.b64encode(SPEECH).decode()
TOOL = {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}}

GOOD: list[tuple[dict[str, Any], Command]] = [
    ({"type": "input_audio_buffer.append", "audio": SPEECH64}, AppendAudio(SPEECH)),
    ({"type": "input_audio_buffer.commit"}, CommitAudio()),
    ({"type": "input_audio_buffer.clear"}, ClearAudio()),
    ({"type": "output_audio_buffer.clear"}, ClearOutput()),
    ({"type": "conversation.item.retrieve", "item_id": "i"}, RetrieveItem("i")),
    ({"type": "conversation.item.delete", "item_id": "i"}, DeleteItem("i")),
    (
        {
            "type": "conversation.item.truncate",
            "item_id": "i",
            "content_index": 0,
            "audio_end_ms": 1500,
        },
        TruncateItem("i", 0, 1500),
    ),
    ({"type": "response.cancel"}, CancelResponse()),
    ({"type": "response.cancel", "response_id": "resp_1"}, CancelResponse("resp_1")),
    ({"type": "response.create"}, CreateResponse()),
    (
        {
            "type": "response.create",
            "response": {
                "conversation": "none",
                "input": [
                    {"type": "item_reference", "id": "item_1"},
                    {
                        "type": "message",
                        "id": "m",
                        "role": "user",
                        "content": [{"type": "input_text", "text": "Classify."}],
                    },
                ],
                "instructions": "One word.",
                "tools": [TOOL],
                "tool_choice": {"type": "function", "name": "f"},
                "output_modalities": ["text"],
                "max_output_tokens": 50,
                "audio": {"output": {"voice": "de", "format": {"type": "audio/pcm"}}},
                "metadata": {"topic": "weather"},
            },
        },
        CreateResponse(
            out_of_band=True,
            input=(
                ItemReference("item_1"),
                MessageItem("m", "user", (TextPart("Classify."),)),
            ),
            instructions="One word.",
            modality="text",
            tools=(Tool("f", "d", {"type": "object"}),),
            tool_choice="f",
            max_output_tokens=50,
            voice="de",
            metadata={"topic": "weather"},
        ),
    ),
    (
        {
            "type": "conversation.item.create",
            "previous_item_id": "root",
            "item": {
                "type": "message",
                "id": "mine",
                "role": "system",
                "content": [{"type": "input_text", "text": "Be kind."}],
            },
        },
        CreateItem(MessageItem("mine", "system", (TextPart("Be kind."),)), "root"),
    ),
    (
        {
            "type": "conversation.item.create",
            "item": {
                "type": "message",
                "role": "assistant",
                "status": "incomplete",
                "content": [
                    {"type": "output_text", "text": "Hi."},
                    {"type": "output_audio", "transcript": "Hello."},
                ],
            },
        },
        CreateItem(
            MessageItem("item_1", "assistant", (TextPart("Hi."), AudioPart("Hello.")), "incomplete")
        ),
    ),
    (
        {
            "type": "conversation.item.create",
            "item": {"type": "function_call", "id": "c", "name": "f", "arguments": "{}"},
        },
        CreateItem(FunctionCallItem("c", "call_1", "f", "{}")),
    ),
    (
        {
            "type": "conversation.item.create",
            "item": {"type": "function_call_output", "id": "o", "call_id": "k", "output": ""},
        },
        CreateItem(FunctionOutputItem("o", "k", "")),
    ),
]


@pytest.mark.parametrize(("message", "command"), GOOD, ids=lambda v: str(v)[:60])
def test_good_events_become_commands(message: dict[str, Any], command: Command) -> None:
    assert receive(make_codec(), **message) == [command]
    if "item_reference" not in json.dumps(message):  # the SDK's read model leaves these out
        TypeAdapter(RealtimeClientEvent).validate_python(message)  # the test's own JSON is right


@pytest.mark.parametrize("message", [m for m, _ in GOOD], ids=lambda m: m["type"])
def test_commands_keep_the_event_id(message: dict[str, Any]) -> None:
    (command,) = receive(make_codec(), **message, event_id="ev_mine")
    assert command.event_id == "ev_mine"


def test_every_client_event_has_a_good_sample() -> None:
    assert {m["type"] for m, _ in GOOD} | {"session.update"} == set(CLIENT_EVENTS)


def test_unknown_fields_are_ignored() -> None:
    message = {"type": "response.cancel", "reason": "bored", "event_id": None}
    assert receive(make_codec(), **message) == [CancelResponse()]
    assert receive(make_codec(), type="response.create", response=None) == [CreateResponse()]


def test_fractional_truncation_is_cut_to_whole_milliseconds() -> None:
    message = {"item_id": "i", "content_index": 0.0, "audio_end_ms": 99.9}
    command = receive(make_codec(), type="conversation.item.truncate", **message)
    assert command == [TruncateItem("i", 0, 99)]


def test_an_empty_append_is_no_command() -> None:
    assert receive(make_codec(), type="input_audio_buffer.append", audio="") == []


def test_null_in_a_response_means_absent() -> None:
    nothing = dict.fromkeys(
        "conversation input instructions tools tool_choice output_modalities max_output_tokens "
        "audio metadata prompt".split()
    )
    assert receive(make_codec(), type="response.create", response=nothing) == [CreateResponse()]
    inside = {"audio": {"output": {"voice": None, "format": None}}, "max_output_tokens": "inf"}
    assert receive(make_codec(), type="response.create", response=inside) == [CreateResponse()]


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("", "invalid_json"),
        ("hello", "invalid_json"),
        ('{"type": "response.create"', "invalid_json"),
        ('{"type": "response.create"} {}', "invalid_json"),
        ('{"type": "response.create", "x": NaN}', "invalid_json"),
        ('{"type": "response.create", "x": -Infinity}', "invalid_json"),
        ('{"type": "response.create", "x": 1e999}', "invalid_json"),
        ('{"type": "response.create", "x": ' + "9" * 5000 + "}", "invalid_json"),
        ('{"type": "response.create", "x": ' + "[" * 100 + "]" * 100 + "}", "invalid_json"),
        ('{"type": "response.create", "x": ' + "[" * 100_000, "invalid_json"),
        ('{"type": "response.create", "x": "\\ud800"}', "invalid_json"),
        ('{"type": "response.create", "x": "\ud800"}', "invalid_json"),
        ("[]", "invalid_event"),
        ('"session.update"', "invalid_event"),
        ("null", "invalid_event"),
        ("{}", "invalid_event"),
        ('{"type": 7}', "invalid_event"),
        ('{"type": null}', "invalid_event"),
        (b'{"type": "response.create"}', "invalid_event"),
    ],
    ids=lambda v: repr(v)[:50],
)
def test_frames_that_are_no_event(frame: str | bytes, code: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        make_codec().receive(frame)
    assert caught.value.code == code


def test_sixty_four_levels_of_nesting_are_the_most() -> None:
    """The message, its session and the outer list are three of them."""

    def nested(levels: int) -> str:
        lists = "[" * (levels - 2) + "]" * (levels - 2)
        return '{"type": "session.update", "session": {"x": ' + lists + "}}"

    assert make_codec().receive(nested(64))
    with pytest.raises(ProtocolError, match="64 levels"):
        make_codec().receive(nested(65))


def test_a_whole_surrogate_pair_is_text() -> None:
    frame = '{"type": "session.update", "session": {"instructions": "\\ud83d\\ude00"}}'
    codec = make_codec()
    codec.receive(frame)
    assert codec.settings.instructions == "\U0001f600"


def item(**fields: Any) -> dict[str, Any]:
    return {"type": "conversation.item.create", "item": fields}


def message(role: str, **part: Any) -> dict[str, Any]:
    return item(type="message", role=role, content=[part])


def response(**fields: Any) -> dict[str, Any]:
    return {"type": "response.create", "response": fields}


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "response.creat"}, "invalid_value", "type"),
    ({"type": "transcription_session.update", "session": {}}, "invalid_value", "type"),
    ({"type": "input_audio_buffer.append"}, "missing_required_parameter", "audio"),
    ({"type": "input_audio_buffer.append", "audio": 5}, "invalid_type", "audio"),
    ({"type": "input_audio_buffer.append", "audio": "!!!!"}, "invalid_value", "audio"),
    ({"type": "input_audio_buffer.append", "audio": "AAA"}, "invalid_value", "audio"),
    ({"type": "input_audio_buffer.append", "audio": "AA\nAA"}, "invalid_value", "audio"),
    ({"type": "input_audio_buffer.append", "audio": "_-AA"}, "invalid_value", "audio"),
    ({"type": "input_audio_buffer.append", "audio": "\u00e9AAA"}, "invalid_value", "audio"),
    ({"type": "input_audio_buffer.append", "audio": "AAAA"}, "invalid_value", "audio"),
    ({"type": "session.update"}, "missing_required_parameter", "session"),
    ({"type": "session.update", "session": []}, "invalid_type", "session"),
    ({"type": "conversation.item.retrieve"}, "missing_required_parameter", "item_id"),
    ({"type": "conversation.item.delete", "item_id": ""}, "invalid_value", "item_id"),
    ({"type": "conversation.item.delete", "item_id": 4}, "invalid_type", "item_id"),
    (
        {"type": "conversation.item.truncate", "item_id": "i", "content_index": 0},
        "missing_required_parameter",
        "audio_end_ms",
    ),
    (
        {
            "type": "conversation.item.truncate",
            "item_id": "i",
            "content_index": 0,
            "audio_end_ms": -1,
        },
        "invalid_value",
        "audio_end_ms",
    ),
    (
        {
            "type": "conversation.item.truncate",
            "item_id": "i",
            "content_index": True,
            "audio_end_ms": 1,
        },
        "invalid_type",
        "content_index",
    ),
    ({"type": "response.cancel", "response_id": 1}, "invalid_type", "response_id"),
    ({"type": "conversation.item.create"}, "missing_required_parameter", "item"),
    (item(), "missing_required_parameter", "item.type"),
    (item(type="song"), "invalid_value", "item.type"),
    (item(type="mcp_call"), "invalid_value", "item.type"),
    (item(type="message", role="user"), "missing_required_parameter", "item.content"),
    (item(type="message", role="dev", content=[]), "invalid_value", "item.role"),
    (item(type="message", role="user", content=[], id="x" * 129), "invalid_value", "item.id"),
    (item(type="message", role="user", content=[], status="ok"), "invalid_value", "item.status"),
    (message("user", type="input_text"), "missing_required_parameter", "item.content[0].text"),
    (message("user", type="output_text", text="x"), "invalid_value", "item.content[0].type"),
    (message("system", type="input_audio"), "invalid_value", "item.content[0].type"),
    (
        message("user", type="input_image", image_url="data:"),
        "unsupported_content_type",
        "item.content[0].type",
    ),
    (
        message("assistant", type="output_audio", audio="AAAA"),
        "unsupported_content_type",
        "item.content[0].audio",
    ),
    (
        message("user", type="input_audio", audio="AAAA"),
        "invalid_value",
        "item.content[0].audio",
    ),
    (
        message("user", type="input_audio", transcript="hi"),
        "missing_required_parameter",
        "item.content[0].audio",
    ),
    (item(type="function_call", name="f"), "missing_required_parameter", "item.arguments"),
    (
        item(type="function_call", name="f", arguments={}),
        "invalid_type",
        "item.arguments",
    ),
    (item(type="function_call_output", output=""), "missing_required_parameter", "item.call_id"),
    (response(conversation="other"), "invalid_value", "response.conversation"),
    (response(output_modalities=["text", "audio"]), "invalid_value", "response.output_modalities"),
    (response(max_output_tokens=0), "invalid_value", "response.max_output_tokens"),
    (response(max_output_tokens=True), "invalid_type", "response.max_output_tokens"),
    (response(prompt={"id": "p"}), "invalid_value", "response.prompt"),
    (response(metadata={"n": 1}), "invalid_type", "response.metadata.n"),
    (response(metadata={"n": "x" * 513}), "invalid_value", "response.metadata.n"),
    (response(metadata={str(i): "" for i in range(17)}), "invalid_value", "response.metadata"),
    (
        response(input=[{"type": "item_reference"}]),
        "missing_required_parameter",
        "response.input[0].id",
    ),
    (response(input={}), "invalid_type", "response.input"),
    (
        response(audio={"output": {"voice": "nobody"}}),
        "invalid_value",
        "response.audio.output.voice",
    ),
    (
        response(audio={"output": {"format": {"type": "audio/pcmu"}}}),
        "invalid_value",
        "response.audio.output.format",
    ),
    (
        response(tool_choice={"type": "function", "name": "f"}),
        "invalid_value",
        "response.tool_choice.name",
    ),
    (response(tools=[{"type": "mcp"}]), "invalid_value", "response.tools[0].type"),
    (
        response(tools=[{"type": "function", "function": {"name": "f"}}]),
        "missing_required_parameter",
        "response.tools[0].name",
    ),
    (
        response(tools=[{"type": "function", "name": "has space"}]),
        "invalid_value",
        "response.tools[0].name",
    ),
    (response(tools=[TOOL, TOOL]), "invalid_value", "response.tools[1].name"),
]


@pytest.mark.parametrize(("sent", "code", "param"), BAD, ids=lambda v: str(v)[:60])
def test_bad_events_are_refused(sent: dict[str, Any], code: str, param: str) -> None:
    exc = refused(make_codec(), **sent, event_id="ev_bad")
    assert (exc.code, exc.param, exc.event_id) == (code, param, "ev_bad")
    assert str(exc).startswith(param)


def test_a_misspelt_event_type_names_the_right_one() -> None:
    exc = refused(make_codec(), type="response.creat")
    assert "did you mean 'response.create'?" in str(exc)


@pytest.mark.parametrize("event_id", [5, "", "x" * 513])
def test_an_event_id_that_is_none_is_refused(event_id: object) -> None:
    exc = refused(make_codec(), type="response.cancel", event_id=event_id)
    assert exc.param == "event_id"
    assert exc.event_id is None


def test_a_reused_tool_choice_of_the_session_is_known_to_responses() -> None:
    codec = make_codec()
    (update,) = receive(codec, type="session.update", session={"tools": [TOOL]})
    assert isinstance(update, UpdateSession)
    choice = {"type": "function", "name": "f"}
    (command,) = receive(codec, **response(tool_choice=choice))
    assert command == CreateResponse(tool_choice="f")


@pytest.mark.parametrize(
    ("tools", "choice"), [([], "auto"), ([{**TOOL, "name": "g"}], "auto"), ([TOOL], None)]
)
def test_a_function_that_the_response_lacks_need_not_be_called(
    tools: list[dict[str, Any]], choice: str | None
) -> None:
    """The session's choice names it, and the response has tools of its own."""
    codec = make_codec()
    named = {"type": "function", "name": "f"}
    session = {"type": "realtime", "tools": [TOOL], "tool_choice": named}
    receive(codec, type="session.update", session=session)
    (command,) = receive(codec, **response(tools=tools))
    assert isinstance(command, CreateResponse)
    assert command.tool_choice == choice


@pytest.mark.parametrize(("tools", "choice"), [([], "auto"), ([TOOL], None)])
def test_a_call_that_the_session_requires_is_not_where_there_are_no_tools(
    tools: list[dict[str, Any]], choice: str | None
) -> None:
    codec = make_codec()
    session = {"type": "realtime", "tools": [TOOL], "tool_choice": "required"}
    receive(codec, type="session.update", session=session)
    (command,) = receive(codec, **response(tools=tools))
    assert isinstance(command, CreateResponse)
    assert command.tool_choice == choice


def test_an_error_does_not_quote_long_values() -> None:
    exc = refused(make_codec(), type="x" * 100_000)
    assert len(str(exc)) < 700
