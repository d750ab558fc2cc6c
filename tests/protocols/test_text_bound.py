"""What one event may carry is bounded before anything is made of it."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest

from tests.protocols.realtime_kit import make_codec, receive, refused
from voicepipe.protocols.json_fields import wire
from voicepipe.protocols.openai_realtime.session_fields import MAX_TOOLS
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session.commands import AppendAudio

LONG = "x" * 70_000


def message(text: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "role": "user", "content": content}


def tool(number: int, description: str = "") -> dict[str, Any]:
    return {"type": "function", "name": f"tool_{number}", "description": description}


@pytest.mark.parametrize(
    "event",
    [
        {"type": "session.update", "session": {"type": "realtime", "instructions": LONG}},
        {"type": "session.update", "session": {"type": "realtime", "tools": [tool(1, LONG)]}},
        {"type": "session.update", "session": {"instructions": LONG, "modalities": ["text"]}},
        {"type": "conversation.item.create", "item": message(LONG)},
        {"type": "response.create", "response": {"instructions": LONG}},
        {"type": "response.create", "response": {"input": [message(LONG)]}},
        {"type": "response.create", "response": {"input": [message("x" * 700)] * 100}},
    ],
)
def test_event_with_too_much_text_is_refused_and_names_the_limit(event: dict[str, Any]) -> None:
    error = refused(make_codec(), **event)
    assert error.code == "limit_exceeded"
    assert "65536 (limits.max_text_chars)" in str(error)


def test_text_is_counted_where_audio_is_not_looked_for() -> None:
    parameters = {"type": "object", "audio": LONG}
    event = {"type": "realtime", "tools": [{**tool(1), "parameters": parameters}]}
    assert refused(make_codec(), type="session.update", session=event).code == "limit_exceeded"


def test_audio_of_an_item_is_not_text() -> None:
    audio = base64.b64encode(bytes(100_000)).decode()
    item = {**message(""), "content": [{"type": "input_audio", "audio": audio}]}
    assert receive(make_codec(), type="conversation.item.create", item=item)


def test_more_tools_than_upstream_takes_are_refused() -> None:
    tools = [tool(number) for number in range(MAX_TOOLS + 1)]
    session = {"type": "realtime", "tools": tools}
    error = refused(make_codec(), type="session.update", session=session)
    assert f"{MAX_TOOLS + 1} tools; at most {MAX_TOOLS}" in str(error)
    session["tools"] = tools[1:]
    assert receive(make_codec(), type="session.update", session=session)


def test_message_of_a_million_values_is_refused_before_it_is_parsed() -> None:
    frame = "{" + ",".join(f'"k{n}":1' for n in range(1_000_000)) + "}"
    began = time.process_time()
    with pytest.raises(ProtocolError, match="commas"):
        wire.parse(frame)
    assert time.process_time() - began < 0.2, "parsing takes over a second"


@pytest.mark.parametrize("spacing", [(",", ":"), (", ", " : ")])
def test_long_audio_is_cut_out_of_its_frame_and_comes_back(spacing: tuple[str, str]) -> None:
    audio = base64.b64encode(bytes(range(256)) * 2048).decode()
    event = {"event_id": "e1", "type": "input_audio_buffer.append", "audio": audio}
    assert wire.parse(json.dumps(event, separators=spacing)) == event
    (command,) = make_codec().receive(json.dumps(event))
    assert isinstance(command, AppendAudio)
    assert command.audio == bytes(range(256)) * 2048


@pytest.mark.parametrize(
    "event",
    [
        {'my"audio': "x" * 300_000, "type": "a"},
        {"session": {"audio": "x" * 300_000}},
        {"audio": 'x\\"y' * 100_000},
        {"text": '"audio":"' + "x" * 300_000},
        {"audio": {"audio": "x" * 300_000}},
    ],
)
def test_what_only_looks_like_audio_is_parsed_as_it_is(event: dict[str, Any]) -> None:
    assert wire.parse(json.dumps(event)) == event


def test_later_audio_of_the_same_name_wins_as_everywhere_in_json() -> None:
    frame = '{"audio":"' + "x" * 300_000 + '","audio":"AAAA"}'
    assert wire.parse(frame) == {"audio": "AAAA"}


@pytest.mark.parametrize("spoilt", ["=", "@", "é"])
def test_long_audio_is_checked_as_strictly_as_short(spoilt: str) -> None:
    audio = base64.b64encode(bytes(600_000)).decode()
    for at in (131_071, 400_000, 131_072):
        wrong = audio[:at] + spoilt + audio[at + 1 :]
        error = refused(make_codec(), type="input_audio_buffer.append", audio=wrong)
        assert "is not valid base64" in str(error)
