"""What the codec sends, judged by the official SDK's types and the needs of stock clients."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args
from unittest.mock import ANY

import pytest
from openai._models import construct_type_unchecked
from openai.types.realtime import RealtimeServerEvent, RealtimeSessionCreateResponse

from tests.protocols.realtime_kit import (
    CALL,
    DEFAULTS,
    EVENTS,
    REF,
    REPLY,
    SDK_EVENT,
    USAGE,
    USER,
    WAITING,
    Turn,
    make_codec,
    nulls,
    receive,
    response,
    sent,
    session_of,
    unknown_to_sdk,
)
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.runtime.errors import EngineError, LimitExceeded, ProtocolError, VoicepipeError
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings

SESSION_HEAD = {".session.id", ".session.object", ".session.expires_at"}
"""In the object, per the sheet, though the SDK's type of these two events is the request's."""

MAY_BE_NULL = {
    ".previous_item_id",
    ".response.status_details",
    ".response.conversation_id",
    ".response.metadata",
    ".session.tracing",
    ".session.prompt",
    ".session.include",
    ".session.audio.input.transcription",
    ".session.audio.input.noise_reduction",
    ".session.audio.input.turn_detection",
    ".session.audio.input.turn_detection.idle_timeout_ms",
}


def everything_asked_for() -> RealtimeCodec:
    codec = make_codec()
    turn_detection = {"type": "server_vad", "idle_timeout_ms": 6000}
    audio = {"input": {"turn_detection": turn_detection}}
    receive(codec, type="session.update", session={"type": "realtime", "audio": audio})
    return codec


def test_the_samples_cover_every_event() -> None:
    kinds = {type(event) for event in EVENTS} | {ev.TurnMeasured, ev.OutputPaused, ev.OutputResumed}
    assert kinds == set(get_args(ev.SessionEvent))


@pytest.mark.parametrize("event", EVENTS, ids=lambda e: type(e).__name__)
def test_sdk_knows_every_event_and_field(event: ev.SessionEvent) -> None:
    (text,) = everything_asked_for().send(event)
    raw = json.loads(text)
    model = SDK_EVENT.validate_json(text, strict=True)
    assert model.type == raw["type"]
    assert set(unknown_to_sdk(model)) - SESSION_HEAD == set()
    allowed = MAY_BE_NULL | ({".response.usage"} if raw["type"] == "response.created" else set())
    assert set(nulls(raw)) - allowed == set()
    # the SDK's own, unvalidated way of reading picks the same type
    read: Any = construct_type_unchecked(value=raw, type_=RealtimeServerEvent)  # type: ignore[arg-type]
    assert type(read) is type(model)
    assert raw["event_id"].startswith("event_")


def test_event_ids_differ() -> None:
    codec = make_codec()
    texts = [text for event in EVENTS for text in codec.send(event)]
    ids = [json.loads(text)["event_id"] for text in texts]
    assert len(set(ids)) == len(ids)


def test_opening_is_session_created_alone() -> None:
    (text,) = make_codec().opening()
    model = SDK_EVENT.validate_json(text, strict=True)
    assert model.type == "session.created"
    session = json.loads(text)["session"]
    full = RealtimeSessionCreateResponse.model_validate(session, strict=True)
    assert set(unknown_to_sdk(full)) == set()
    assert session == {
        "type": "realtime",
        "object": "realtime.session",
        "id": "sess_1",
        "model": "voicepipe",
        "expires_at": 1_800_000_000,
        "output_modalities": ["audio"],
        "instructions": "Be brief.",
        "tools": [],
        "tool_choice": "auto",
        "max_output_tokens": "inf",
        "truncation": "auto",
        "tracing": None,
        "prompt": None,
        "include": None,
        "audio": {
            "input": {
                "format": {"type": "audio/pcm", "rate": 24000},
                "transcription": None,
                "noise_reduction": None,
                "turn_detection": {
                    "type": "server_vad",
                    "threshold": 0.5,
                    "prefix_padding_ms": 300,
                    "silence_duration_ms": 500,
                    "idle_timeout_ms": None,
                    "create_response": True,
                    "interrupt_response": True,
                },
            },
            "output": {
                "format": {"type": "audio/pcm", "rate": 24000},
                "voice": "en-us",
                "speed": 1.0,
            },
        },
    }


def test_transcription_session_opens_as_one() -> None:
    codec = make_codec(defaults=SessionSettings(transcription_only=True))
    (text,) = codec.opening()
    session = SDK_EVENT.validate_json(text, strict=True).session
    assert session.type == "transcription"
    shown = session_of(codec)
    assert shown["object"] == "realtime.transcription_session"
    assert shown.keys() == {"type", "object", "id", "expires_at", "audio", "include"}
    assert shown["audio"].keys() == {"input"}
    assert shown["audio"]["input"]["transcription"] == {}
    assert codec.settings.transcription is not None


@pytest.mark.parametrize("status", ["completed", "cancelled", "failed", "incomplete"])
def test_every_response_done_has_usage_and_its_details(status: ev.ResponseStatus) -> None:
    shown = sent(make_codec(), ev.ResponseDone(response(status)))["response"]
    assert {"status_details", "object", "output", "usage"} <= shown.keys()
    usage = shown["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] == usage["output_tokens"] == 0
    assert usage["input_token_details"]["cached_tokens_details"] == {
        "text_tokens": 0,
        "audio_tokens": 0,
        "image_tokens": 0,
    }


def test_usage_counts_add_up() -> None:
    done = ev.ResponseDone(response("completed", usage=USAGE))
    usage = sent(make_codec(), done)["response"]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (30, 12, 42)
    assert usage["input_token_details"]["text_tokens"] == 30
    assert usage["input_token_details"]["cached_tokens"] == 20
    assert usage["input_token_details"]["cached_tokens_details"]["text_tokens"] == 20
    assert usage["output_token_details"] == {"text_tokens": 12, "audio_tokens": 0}


def test_response_object_echoes_and_explains() -> None:
    codec = make_codec()
    created = sent(codec, ev.ResponseCreated(response("in_progress")))["response"]
    assert created["metadata"] == {"client_event_id": "abc"}
    assert created["usage"] is None
    assert created["status_details"] is None
    assert created["audio"]["output"] == {
        "format": {"type": "audio/pcm", "rate": 24000},
        "voice": "en-us",
    }
    cancelled = response("cancelled", reason="turn_detected")
    assert sent(codec, ev.ResponseDone(cancelled))["response"]["status_details"] == {
        "type": "cancelled",
        "reason": "turn_detected",
    }
    failed = response("failed", error="No voice.", error_code="tts_failed")
    assert sent(codec, ev.ResponseDone(failed))["response"]["status_details"] == {
        "type": "failed",
        "error": {"type": "server_error", "code": "tts_failed", "message": "No voice."},
    }
    out_of_band = response("in_progress", conversation_id=None)
    shown = sent(codec, ev.ResponseCreated(out_of_band))["response"]
    assert shown["conversation_id"] is None


def test_items_carry_no_audio_but_when_retrieved() -> None:
    codec = make_codec()
    for event in EVENTS:
        if isinstance(event, ev.ItemRetrieved):
            continue
        message = sent(codec, event) if codec.send(event) else {}
        for part in message.get("item", {}).get("content", []):
            assert "audio" not in part


def test_an_unknown_transcript_is_empty() -> None:
    codec = make_codec()
    known = sent(codec, ev.ItemAdded(USER, None))["item"]["content"]
    assert known == [{"type": "input_audio", "transcript": "what time is it"}]
    unknown = sent(codec, ev.ItemAdded(WAITING, None))["item"]["content"]
    assert unknown == [{"type": "input_audio", "transcript": ""}]


def test_content_part_types_are_short_and_item_part_types_long() -> None:
    codec = make_codec()
    assert sent(codec, ev.PartAdded(REF, "audio"))["part"] == {"type": "audio", "transcript": ""}
    assert sent(codec, ev.PartDone(REF, "text", "Hi."))["part"] == {"type": "text", "text": "Hi."}
    item = sent(codec, ev.OutputItemDone("resp_1", 0, REPLY))["item"]
    assert item["content"] == [{"type": "output_audio", "transcript": "It is seven."}]


def test_function_call_events() -> None:
    codec = make_codec()
    ref = ev.PartRef("resp_1", "item_5", 1, 0)
    assert sent(codec, ev.ArgumentsDone(ref, CALL)) == {
        "type": "response.function_call_arguments.done",
        "event_id": "event_1",
        "response_id": "resp_1",
        "item_id": "item_5",
        "output_index": 1,
        "call_id": "call_1",
        "name": "get_time",
        "arguments": '{"zone":"UTC"}',
    }
    added = sent(codec, ev.ItemAdded(CALL, None))["item"]
    assert (added["name"], added["call_id"], added["status"]) == ("get_time", "call_1", "completed")


def test_events_of_ours_and_idle_timeouts_go_only_to_those_who_asked() -> None:
    codec = make_codec()
    measured = ev.TurnMeasured(Turn())  # type: ignore[arg-type]
    idle = ev.IdleTimeout("item_1", 0, 5000)
    assert codec.send(measured) == []
    assert codec.send(idle) == []
    assert codec.send(ev.OutputPaused("resp_1")) == []
    assert "voicepipe" not in session_of(codec)
    receive(codec, type="session.update", session={"voicepipe": {"turn_events": True}})
    assert session_of(codec)["voicepipe"]["turn_events"] is True
    assert sent(codec, ev.OutputPaused("resp_1")) == {
        "type": "voicepipe.output_paused",
        "event_id": ANY,
        "response_id": "resp_1",
    }
    assert sent(codec, ev.OutputResumed("resp_1"))["type"] == "voicepipe.output_resumed"
    shown = sent(codec, measured)
    assert shown["type"] == "voicepipe.turn"
    assert shown["turn"]["voice_to_voice_ms"] == 431.25
    assert "provisional" not in shown
    early = sent(codec, replace(measured, provisional=True))
    assert (early["provisional"], early["turn"]["end"]) == (True, None)
    assert sent(everything_asked_for(), idle)["audio_end_ms"] == 5000


def test_cancellation_error_begins_as_livekit_needs() -> None:
    late = ev.SessionError("no response is active.", "response_cancel_not_active")
    assert sent(make_codec(), late)["error"]["message"].startswith("Cancellation failed")
    right = ev.SessionError("Cancellation failed: none.", "response_cancel_not_active")
    assert sent(make_codec(), right)["error"]["message"] == "Cancellation failed: none."


@pytest.mark.parametrize(
    ("exc", "kind", "code"),
    [
        (ProtocolError("x", code="invalid_value"), "invalid_request_error", "invalid_value"),
        (LimitExceeded("too long"), "invalid_request_error", "limit_exceeded"),
        (EngineError("tts died", stage="tts"), "server_error", "engine_error"),
        (VoicepipeError("odd"), "server_error", "server_error"),
    ],
)
def test_errors_of_the_tree_become_error_events(exc: VoicepipeError, kind: str, code: str) -> None:
    text = make_codec().error(exc)
    SDK_EVENT.validate_json(text, strict=True)
    assert json.loads(text)["error"] == {"type": kind, "code": code, "message": str(exc)}


def test_error_echoes_the_clients_event_id_and_param() -> None:
    exc = ProtocolError("x", code="invalid_value", param="session.speed", event_id="mine")
    error = json.loads(make_codec().error(exc))["error"]
    assert (error["event_id"], error["param"]) == ("mine", "session.speed")


def test_default_ids_are_unguessable_and_distinct() -> None:
    codec = RealtimeCodec(
        defaults=DEFAULTS, model="m", session_id="sess_1", voices=(), expires_at=1
    )
    ids = {sent(codec, ev.AudioCleared())["event_id"] for _ in range(100)}
    assert len(ids) == 100
    assert all(len(i) == len("event_") + 20 for i in ids)
