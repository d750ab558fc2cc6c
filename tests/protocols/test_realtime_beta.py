"""The beta dialect: nothing of GA in what goes out, nothing of beta needed in what is inside."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.protocols.realtime_kit import (
    CALL,
    EVENTS,
    REF,
    REPLY,
    USAGE,
    make_codec,
    receive,
    refused,
    response,
    sent,
    session_of,
)
from voicepipe.audio.formats import PCMA_8K, PCMU_8K
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session import events as ev
from voicepipe.session.commands import CreateItem, CreateResponse, UpdateSession
from voicepipe.session.settings import SessionSettings, TurnDetection

GA_NAMES = re.compile(
    r"output_modalities|output_text|output_audio[\"._](?!format|buffer)|\"output_audio\"|"
    r"conversation\.item\.(added|done)|audio/pcm|max_output_tokens\":\"?session|\"audio\":\{"
)


def frames(codec: RealtimeCodec) -> list[str]:
    texts = codec.opening()
    for event in EVENTS:
        texts += codec.send(event)
    return texts


def test_no_ga_names_leak() -> None:
    for text in frames(make_codec("beta")):
        assert not GA_NAMES.search(text), text
    leaks = [text for text in frames(make_codec("ga")) if GA_NAMES.search(text)]
    assert len(leaks) > 10  # the pattern does find GA names


def test_opening() -> None:
    first, second = (json.loads(text) for text in make_codec("beta").opening())
    assert first == {
        "type": "session.created",
        "event_id": "event_1",
        "session": {
            "id": "sess_1",
            "object": "realtime.session",
            "model": "voicepipe",
            "expires_at": 1_800_000_000,
            "modalities": ["text", "audio"],
            "instructions": "Be brief.",
            "voice": "en-us",
            "speed": 1.0,
            "input_audio_format": "pcm16",
            "output_audio_format": "pcm16",
            "input_audio_transcription": None,
            "input_audio_noise_reduction": None,
            "turn_detection": {
                "type": "server_vad",
                "threshold": 0.5,
                "prefix_padding_ms": 300,
                "silence_duration_ms": 500,
                "idle_timeout_ms": None,
                "create_response": True,
                "interrupt_response": True,
            },
            "tools": [],
            "tool_choice": "auto",
            "temperature": 0.8,
            "max_response_output_tokens": "inf",
            "include": None,
            "tracing": None,
        },
    }
    assert second["type"] == "conversation.created"
    assert second["conversation"] == {"id": "conv_1", "object": "realtime.conversation"}


GOLDEN: list[tuple[ev.SessionEvent, dict[str, Any]]] = [
    (
        ev.ItemAdded(REPLY, "item_1"),
        {
            "type": "conversation.item.created",
            "previous_item_id": "item_1",
            "item": {
                "id": "item_2",
                "object": "realtime.item",
                "status": "completed",
                "type": "message",
                "role": "assistant",
                "content": [{"type": "audio", "transcript": "It is seven."}],
            },
        },
    ),
    (ev.TextDelta(REF, "text", "a"), {"type": "response.text.delta", "delta": "a"}),
    (ev.TextDone(REF, "text", "a"), {"type": "response.text.done", "text": "a"}),
    (
        ev.TextDelta(REF, "audio", "a"),
        {"type": "response.audio_transcript.delta", "delta": "a"},
    ),
    (
        ev.TextDone(REF, "audio", "a"),
        {"type": "response.audio_transcript.done", "transcript": "a"},
    ),
    (ev.AudioDelta(REF, b"\0\0\0"), {"type": "response.audio.delta", "delta": "AAAA"}),
    (ev.AudioDone(REF), {"type": "response.audio.done"}),
    (
        ev.PartAdded(REF, "audio"),
        {"type": "response.content_part.added", "part": {"type": "audio", "transcript": ""}},
    ),
    (
        ev.ResponseDone(response("completed", output=(CALL,), usage=USAGE, modality="text")),
        {
            "type": "response.done",
            "response": {
                "id": "resp_1",
                "object": "realtime.response",
                "status": "completed",
                "status_details": None,
                "output": [
                    {
                        "id": "item_5",
                        "object": "realtime.item",
                        "status": "completed",
                        "type": "function_call",
                        "name": "get_time",
                        "call_id": "call_1",
                        "arguments": '{"zone":"UTC"}',
                    }
                ],
                "conversation_id": "conv_1",
                "modalities": ["text"],
                "voice": "en-us",
                "output_audio_format": "pcm16",
                "max_output_tokens": "inf",
                "metadata": {"client_event_id": "abc"},
                "usage": {
                    "total_tokens": 42,
                    "input_tokens": 30,
                    "output_tokens": 12,
                    "input_token_details": {
                        "text_tokens": 30,
                        "audio_tokens": 0,
                        "image_tokens": 0,
                        "cached_tokens": 20,
                        "cached_tokens_details": {
                            "text_tokens": 20,
                            "audio_tokens": 0,
                            "image_tokens": 0,
                        },
                    },
                    "output_token_details": {"text_tokens": 12, "audio_tokens": 0},
                },
            },
        },
    ),
]


@pytest.mark.parametrize(("event", "golden"), GOLDEN, ids=lambda v: str(v)[:40])
def test_golden(event: ev.SessionEvent, golden: dict[str, Any]) -> None:
    shown = sent(make_codec("beta"), event)
    assert shown.pop("event_id") == "event_1"
    if getattr(event, "ref", None) is not None:
        place = {
            "response_id": "resp_1",
            "item_id": "item_2",
            "output_index": 0,
            "content_index": 0,
        }
        golden = {**golden, **place}
    assert shown == golden


def test_an_item_is_announced_once() -> None:
    assert make_codec("beta").send(ev.ItemDone(REPLY, None)) == []


FLAT: dict[str, Any] = {
    "modalities": ["audio", "text"],
    "instructions": "Hallo.",
    "voice": "de",
    "input_audio_format": "g711_ulaw",
    "output_audio_format": "g711_alaw",
    "input_audio_transcription": {"model": "whisper-1"},
    "turn_detection": {"type": "server_vad", "silence_duration_ms": 300},
    "tools": [],
    "temperature": 0.9,
    "max_response_output_tokens": 64,
    "speed": 1.1,
}


def test_a_temperature_sent_back_as_it_was_shown_is_nobodys_wish() -> None:
    """SDKs send the whole session back; the profile's own sampling must stay."""
    codec = make_codec("beta")
    shown = session_of(codec)["temperature"]
    (command,) = receive(codec, type="session.update", session={"temperature": shown})
    assert isinstance(command, UpdateSession)
    assert command.settings.temperature is None
    receive(codec, type="session.update", session={"temperature": 1.1})
    (command,) = receive(codec, type="session.update", session={"temperature": shown})
    assert isinstance(command, UpdateSession)
    assert command.settings.temperature == shown  # now it is one


def test_flat_sessions_are_understood_and_shown_flat() -> None:
    codec = make_codec("beta")
    (command,) = receive(codec, type="session.update", session=FLAT)
    assert isinstance(command, UpdateSession)
    settings = command.settings
    assert (settings.modality, settings.voice, settings.speed) == ("audio", "de", 1.1)
    assert (settings.input_format, settings.output_format) == (PCMU_8K, PCMA_8K)
    assert settings.turn_detection == TurnDetection(silence_duration_ms=300)
    assert (settings.temperature, settings.max_output_tokens) == (0.9, 64)
    shown = session_of(codec)
    expected = {**FLAT, "modalities": ["text", "audio"]}
    expected.pop("turn_detection")
    assert {name: shown[name] for name in expected} == expected
    receive(codec, type="session.update", session={"turn_detection": None})
    assert codec.settings == SessionSettings(
        **{
            **{name: getattr(settings, name) for name in SessionSettings.__slots__},
            "turn_detection": None,
        }
    )


def test_a_flat_first_update_without_a_type_changes_the_dialect() -> None:
    codec = make_codec("ga")
    codec.send(ev.AudioDelta(REF, b"\0\0"))
    flat = {name: value for name, value in FLAT.items() if name != "voice"}
    receive(codec, type="session.update", session=flat)
    assert codec.dialect == "beta"
    assert session_of(codec)["input_audio_format"] == "g711_ulaw"
    assert sent(codec, ev.AudioDelta(REF, b"\0\0"))["type"] == "response.audio.delta"


def test_a_refused_first_update_leaves_the_dialect() -> None:
    codec = make_codec("ga")
    exc = refused(codec, type="session.update", session={"speed": 9})
    assert exc.param == "session.speed"
    assert codec.dialect == "ga"


def test_a_later_flat_update_is_an_error_that_says_so() -> None:
    codec = make_codec("ga")
    receive(codec, type="session.update", session={"type": "realtime"})
    exc = refused(codec, type="session.update", session={"voice": "de"}, event_id="e")
    assert (exc.code, exc.param, exc.event_id) == (
        "missing_required_parameter",
        "session.type",
        "e",
    )


def test_a_type_keeps_ga_whatever_else_is_there() -> None:
    codec = make_codec("ga")
    receive(codec, type="session.update", session={"type": "realtime", "voice": "de"})
    assert codec.dialect == "ga"
    assert codec.settings.voice == "en-us"


@pytest.mark.parametrize(
    ("session", "param"),
    [
        ({"voice": "nobody"}, "session.voice"),
        ({"input_audio_format": "mp3"}, "session.input_audio_format"),
        ({"output_audio_format": 5}, "session.output_audio_format"),
        ({"modalities": []}, "session.modalities"),
        ({"modalities": ["video"]}, "session.modalities"),
        ({"turn_detection": {"threshold": 2}}, "session.turn_detection.threshold"),
        ({"max_response_output_tokens": 0}, "session.max_response_output_tokens"),
        ({"input_audio_transcription": 1}, "session.input_audio_transcription"),
        ({"temperature": 5}, "session.temperature"),
    ],
)
def test_errors_speak_beta(session: dict[str, Any], param: str) -> None:
    exc = refused(make_codec("beta"), type="session.update", session=session, event_id="e")
    assert (exc.param, exc.event_id) == (param, "e")
    assert str(exc).startswith(f"{param} ")
    assert not GA_NAMES.search(str(exc))


def test_the_voice_is_fixed_in_beta_too() -> None:
    codec = make_codec("beta")
    codec.send(ev.AudioDelta(REF, b"\0\0"))
    exc = refused(codec, type="session.update", session={"voice": "de"})
    assert (exc.code, exc.param) == ("cannot_update_voice", "session.voice")
    assert "audio.output" not in str(exc)


def test_responses_in_beta_shape() -> None:
    codec = make_codec("beta")
    wanted = {
        "modalities": ["text"],
        "voice": "de",
        "output_audio_format": "pcm16",
        "max_output_tokens": 9,
        "conversation": "none",
        "metadata": {"a": "b"},
        "temperature": 0.7,
    }
    assert receive(codec, type="response.create", response=wanted) == [
        CreateResponse(
            out_of_band=True,
            modality="text",
            voice="de",
            max_output_tokens=9,
            metadata={"a": "b"},
        )
    ]
    with pytest.raises(ProtocolError) as caught:
        receive(codec, type="response.create", response={"voice": "nobody"})
    assert caught.value.param == "response.voice"
    assert receive(codec, type="response.create") == [CreateResponse()]


def test_items_in_beta_shape() -> None:
    content = [{"type": "text", "text": "Seven."}]
    item = {"type": "message", "role": "assistant", "content": content}
    (command,) = receive(make_codec("beta"), type="conversation.item.create", item=item)
    assert isinstance(command, CreateItem)
    shown = sent(make_codec("beta"), ev.ItemAdded(command.item, None))["item"]["content"]
    assert shown == content


def test_transcription_sessions_have_their_own_names() -> None:
    codec = make_codec("beta")
    flat = {"input_audio_transcription": {"model": "whisper-1"}, "turn_detection": None}
    receive(codec, type="transcription_session.update", session=flat)
    assert codec.settings.transcription_only
    updated = sent(codec, ev.SessionUpdated())
    assert updated["type"] == "transcription_session.updated"
    assert updated["session"]["object"] == "realtime.transcription_session"
    assert updated["session"]["input_audio_transcription"] == {"model": "whisper-1"}
    assert "model" not in updated["session"]
    (first,) = make_codec("beta", SessionSettings(transcription_only=True)).opening()
    assert json.loads(first)["type"] == "transcription_session.created"
