"""Whatever arrives: a valid session object, commands, or a ProtocolError. Never anything else."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openai.types.realtime import RealtimeSessionCreateResponse

from tests.protocols.realtime_kit import EVENTS, SDK_EVENT, make_codec, session_of
from voicepipe.protocols.openai_realtime.client_events import CLIENT_EVENTS
from voicepipe.protocols.openai_realtime.codec import Dialect, RealtimeCodec
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session.commands import Command

QUICK = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = st.sampled_from(
    "realtime transcription audio text auto none required function message user system assistant "
    "input_text input_audio output_text output_audio server_vad semantic_vad low high inf mcp "
    "audio/pcm audio/pcmu audio/pcma pcm16 g711_ulaw de marin f AAAA near_field disabled".split()
)
KEYS = st.sampled_from(
    "type session response item event_id item_id audio input output format rate voice speed id "
    "turn_detection transcription noise_reduction threshold silence_duration_ms eagerness "
    "idle_timeout_ms create_response instructions tools tool_choice name parameters prompt "
    "output_modalities max_output_tokens truncation tracing include reasoning effort model "
    "language languages keywords voicepipe turn_events modalities input_audio_format role content "
    "text transcript call_id arguments metadata conversation content_index audio_end_ms "
    "previous_item_id response_id temperature input_audio_transcription".split()
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 40_000)
    | st.integers()
    | st.floats(-2, 3)
    | WORDS
    | st.text(max_size=8)
)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)
)


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the fields, each null or wrong at times."""
    odd = {name: value | st.none() | LEAVES for name, value in fields.items()}
    return st.fixed_dictionaries({}, optional=odd)


FORMAT = st.sampled_from([{"type": f"audio/{kind}"} for kind in ("pcm", "pcmu", "pcma")])
TOOLS = st.lists(st.sampled_from([{"type": "function", "name": n} for n in "fgh"]), max_size=3)
TURN = maybe(
    type=st.sampled_from(["server_vad", "semantic_vad"]),
    threshold=st.floats(0, 1),
    silence_duration_ms=st.integers(0, 2000),
    idle_timeout_ms=st.integers(5000, 30_000),
    eagerness=st.sampled_from(["low", "auto"]),
    interrupt_response=st.booleans(),
)
SESSION = maybe(
    type=st.sampled_from(["realtime", "transcription"]),
    instructions=st.text(max_size=10),
    output_modalities=st.sampled_from([["audio"], ["text"]]),
    tools=TOOLS,
    tool_choice=st.sampled_from(["auto", "none", {"type": "function", "name": "f"}]),
    max_output_tokens=st.integers(1, 4096),
    tracing=st.sampled_from(["auto", {"workflow_name": "w"}]),
    truncation=st.sampled_from(["auto", {"type": "retention_ratio", "retention_ratio": 0.5}]),
    voicepipe=maybe(
        turn_events=st.booleans(),
        provisional_turns=st.booleans(),
        turns=maybe(eager_end_ms=st.integers(0, 1000), preemption=st.sampled_from(["off"])),
        budget=maybe(llm_ms=st.integers(0, 1000)),
    ),
    audio=maybe(
        input=maybe(
            format=FORMAT,
            transcription=maybe(model=st.text(max_size=5), languages=st.just(["de"])),
            noise_reduction=st.just({"type": "near_field"}),
            turn_detection=TURN,
        ),
        output=maybe(
            format=FORMAT, voice=st.sampled_from(["de", "ash"]), speed=st.floats(0.25, 1.5)
        ),
    ),
)


def try_receive(codec: RealtimeCodec, text: str) -> list[Command] | None:
    try:
        return codec.receive(text)
    except ProtocolError as exc:
        SDK_EVENT.validate_json(codec.error(exc), strict=True)
        return None


@QUICK
@given(st.lists(SESSION, max_size=5))
def test_updates_never_leave_the_session_object_invalid(patches: list[dict[str, Any]]) -> None:
    codec = make_codec()
    for patch in patches:
        before = session_of(codec)
        passed = try_receive(codec, json.dumps({"type": "session.update", "session": patch}))
        after = session_of(codec)
        if passed is None:
            assert after == before
        if after["type"] == "realtime":
            RealtimeSessionCreateResponse.model_validate(after, strict=True)
        (text,) = codec.opening()
        SDK_EVENT.validate_json(text, strict=True)
        assert (after["type"] == "transcription") == codec.settings.transcription_only
        turn = after["audio"]["input"]["turn_detection"]
        assert (turn is None) == (codec.settings.turn_detection is None)
        # what is shown can be sent back and changes nothing but an unset silence
        whole = {"type": "session.update", "session": after}
        assert codec.receive(json.dumps(whole)) != []
        assert session_of(codec) == after


@QUICK
@given(st.text() | st.text(alphabet='{}[]":,tyupe\\d8fnul01.-e '))
def test_any_text_is_commands_or_a_protocol_error(text: str) -> None:
    try_receive(make_codec(), text)


@QUICK
@given(
    st.sampled_from(["ga", "beta"]),
    st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=3),
    st.sampled_from([*CLIENT_EVENTS, "transcription_session.update"]),
)
def test_any_json_is_commands_or_a_protocol_error(
    dialect: Dialect, messages: list[dict[str, Any]], kind: str
) -> None:
    codec = make_codec(dialect)
    for message in messages:
        commands = try_receive(codec, json.dumps({**message, "type": kind}))
        assert commands is None or all(isinstance(c, Command) for c in commands)
    for event in EVENTS:  # whatever was accepted, everything can still be rendered
        for text in codec.send(event):
            json.loads(text)
