"""The session object: deep merge, null, limits, what cannot change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.protocols.realtime_kit import (
    DEFAULTS,
    REF,
    make_codec,
    receive,
    refused,
    response,
    sent,
    session_of,
)
from voicepipe.audio.formats import PCM_16K, PCMA_8K, PCMU_8K
from voicepipe.config import BudgetSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.contract import Tool
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.session import events as ev
from voicepipe.session.commands import UpdateSession
from voicepipe.session.settings import SessionSettings, Transcription, Truncation, TurnDetection

TOOL = {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}}


def update(codec: RealtimeCodec, **session: Any) -> SessionSettings:
    (command,) = receive(codec, type="session.update", session={"type": "realtime", **session})
    assert isinstance(command, UpdateSession)
    assert command.settings == codec.settings
    return command.settings


def heard(**fields: Any) -> dict[str, Any]:
    return {"audio": {"input": fields}}


def said(**fields: Any) -> dict[str, Any]:
    return {"audio": {"output": fields}}


def test_the_defaults_are_the_servers() -> None:
    defaults = SessionSettings(
        instructions="Hi.",
        modality="text",
        tools=(Tool("f", "d", {"type": "object"}),),
        tool_choice="f",
        max_output_tokens=99,
        temperature=0.5,
        input_format=PCMU_8K,
        output_format=PCMA_8K,
        transcription=Transcription("whisper", "en", "names"),
        turn_detection=TurnDetection("semantic_vad", eagerness="low", interrupt_response=False),
        voice="de",
        speed=1.25,
        turn_events=True,
        turns=TurnOptions(eager_end_ms=80, reopen_ms=500),
        budget=BudgetSettings(llm_ms=150),
    )
    codec = make_codec(defaults=defaults)
    assert codec.settings == defaults
    assert update(codec) == defaults
    shown = session_of(codec)
    assert shown["tools"] == [TOOL]
    assert shown["tool_choice"] == {"type": "function", "name": "f"}
    assert shown["audio"]["input"]["turn_detection"] == {
        "type": "semantic_vad",
        "eagerness": "low",
        "create_response": True,
        "interrupt_response": False,
    }


def test_turn_options_and_budgets_change_for_this_session_alone() -> None:
    server = TurnOptions(eager_end_ms=100, backchannels=frozenset({"aha"}))
    codec = make_codec(defaults=SessionSettings(turns=server))
    assert "voicepipe" not in session_of(codec)
    settings = update(
        codec,
        voicepipe={
            "turns": {"endpoint_complete_ms": 250, "unheard_of": 1},
            "budget": {"llm_ms": 70},
        },
    )
    assert settings.turns == replace(server, endpoint_complete_ms=250)
    assert settings.budget == BudgetSettings(llm_ms=70)
    shown = session_of(codec)["voicepipe"]
    assert shown["turns"]["endpoint_complete_ms"] == 250
    assert shown["turns"]["eager_end_ms"] == 100
    assert shown["budget"]["llm_ms"] == 70
    settings = update(codec, voicepipe={"turns": {"endpoint_complete_ms": None}, "budget": None})
    assert settings.turns is server
    assert settings.budget is None
    assert update(codec, voicepipe={"turns": {"preemptive_generation": "off"}}).turns == replace(
        server, preemptive_generation="off"
    )


def test_a_format_the_protocol_lacks_is_no_default() -> None:
    with pytest.raises(ValueError, match="no name"):
        make_codec(defaults=SessionSettings(input_format=PCM_16K))


def test_updates_merge_deeply() -> None:
    codec = make_codec()
    update(codec, **heard(transcription={"model": "whisper-1", "prompt": "tea"}))
    update(codec, **heard(turn_detection={"threshold": 0.7}))
    update(codec, **heard(transcription={"language": "de"}), instructions="Speak German.")
    update(codec, **said(speed=1.2))
    settings = codec.settings
    assert settings.transcription == Transcription("whisper-1", "de", "tea")
    assert settings.turn_detection == TurnDetection(threshold=0.7)
    assert (settings.instructions, settings.speed, settings.voice) == (
        "Speak German.",
        1.2,
        "en-us",
    )
    shown = session_of(codec)["audio"]
    assert shown["input"]["transcription"] == {
        "model": "whisper-1",
        "prompt": "tea",
        "language": "de",
    }
    assert shown["input"]["turn_detection"]["threshold"] == 0.7
    assert shown["input"]["format"] == {"type": "audio/pcm", "rate": 24000}
    assert shown["output"]["speed"] == 1.2


def test_null_switches_off_what_can_be_off() -> None:
    codec = make_codec()
    update(
        codec,
        **heard(
            transcription={"model": "m"},
            noise_reduction={"type": "near_field"},
            turn_detection={"type": "server_vad", "idle_timeout_ms": 7000},
        ),
        include=["item.input_audio_transcription.logprobs"],
    )
    update(codec, **heard(turn_detection={"idle_timeout_ms": None}))
    assert codec.settings.turn_detection == TurnDetection()
    update(
        codec,
        **heard(transcription=None, noise_reduction=None, turn_detection=None),
        include=None,
        tracing=None,
        prompt=None,
    )
    assert codec.settings.turn_detection is None
    assert codec.settings.transcription is None
    shown = session_of(codec)
    assert shown["include"] is None
    assert shown["audio"]["input"] == {
        "format": {"type": "audio/pcm", "rate": 24000},
        "transcription": None,
        "noise_reduction": None,
        "turn_detection": None,
    }


def test_null_sets_anything_else_back_to_the_servers_default() -> None:
    codec = make_codec()
    changed = update(
        codec,
        instructions="",
        tools=[TOOL],
        tool_choice="required",
        max_output_tokens=7,
        output_modalities=["text"],
        audio={
            "input": {"format": {"type": "audio/pcmu"}},
            "output": {"voice": "de", "speed": 1.5, "format": {"type": "audio/pcma"}},
        },
    )
    assert changed.instructions == ""
    assert (changed.input_format, changed.output_format) == (PCMU_8K, PCMA_8K)
    names = ("instructions", "tools", "tool_choice", "max_output_tokens", "output_modalities")
    assert update(codec, **dict.fromkeys(names), audio=None) == DEFAULTS


def test_null_inside_a_nested_object_resets_that_field_alone() -> None:
    codec = make_codec()
    update(codec, **heard(turn_detection={"threshold": 0.8, "silence_duration_ms": 200}))
    update(codec, **heard(turn_detection={"silence_duration_ms": None}))
    assert codec.settings.turn_detection == TurnDetection(threshold=0.8)
    update(codec, **heard(transcription={"language": "de", "model": "m"}))
    update(codec, **heard(transcription={"language": None}))
    assert session_of(codec)["audio"]["input"]["transcription"] == {"model": "m"}


def test_unset_silence_is_shown_but_leaves_the_server_its_policy() -> None:
    codec = make_codec()
    turn = codec.settings.turn_detection
    assert turn is not None
    assert turn.silence_duration_ms is None
    shown = session_of(codec)["audio"]["input"]["turn_detection"]
    assert shown["silence_duration_ms"] == 500
    changed = update(codec, **heard(turn_detection={"silence_duration_ms": 500})).turn_detection
    assert changed is not None
    assert changed.silence_duration_ms == 500


def test_a_change_of_vad_keeps_only_what_both_have() -> None:
    codec = make_codec()
    update(codec, **heard(turn_detection={"threshold": 0.9, "create_response": False}))
    semantic = update(codec, **heard(turn_detection={"type": "semantic_vad", "eagerness": "high"}))
    assert semantic.turn_detection == TurnDetection(
        "semantic_vad", eagerness="high", create_response=False
    )
    back = update(codec, **heard(turn_detection={"type": "server_vad", "create_response": None}))
    assert back.turn_detection == TurnDetection()
    update(codec, **heard(turn_detection=None))
    on = update(codec, **heard(turn_detection={"type": "semantic_vad"}))
    assert on.turn_detection == TurnDetection("semantic_vad")


def test_interrupt_response_is_echoed_true_unless_switched_off() -> None:
    codec = make_codec()
    update(codec, **heard(turn_detection={"type": "semantic_vad"}))
    assert session_of(codec)["audio"]["input"]["turn_detection"]["interrupt_response"] is True


def test_a_missing_type_is_forgiven_in_ga_shape() -> None:
    codec = make_codec()
    receive(codec, type="session.update", session={"output_modalities": ["text"]})
    assert codec.dialect == "ga"
    assert codec.settings.modality == "text"
    receive(codec, type="session.update", session={"instructions": "x"})
    assert codec.settings.instructions == "x"


def test_unknown_fields_are_ignored() -> None:
    codec = make_codec()
    odd = {"color": "red", "id": "sess_9", "temperature": 0.3, **heard(gain=3)}
    assert update(codec, **odd) == DEFAULTS
    assert session_of(codec)["id"] == "sess_1"


def test_what_has_no_effect_is_checked_and_shown_as_off() -> None:
    codec = make_codec()
    before = session_of(codec)
    settings = update(
        codec,
        tracing={"workflow_name": "w", "group_id": "g", "metadata": {"a": 1}},
        reasoning={"effort": "low"},
    )
    assert settings == DEFAULTS
    assert session_of(codec) == before
    update(codec, **heard(transcription={"model": "gpt-realtime-whisper", "delay": "low"}))
    shown = session_of(codec)["audio"]["input"]["transcription"]
    assert shown == {"model": "gpt-realtime-whisper"}


def test_noise_reduction_is_shown_as_it_is_in_force() -> None:
    codec = make_codec()
    settings = update(codec, **heard(noise_reduction={"type": "far_field", "strength": 0.5}))
    assert settings.noise_reduction == "far_field"
    assert session_of(codec)["audio"]["input"]["noise_reduction"] == {"type": "far_field"}
    assert update(codec, **heard(noise_reduction=None)) == DEFAULTS
    assert session_of(codec)["audio"]["input"]["noise_reduction"] is None


def test_parallel_tool_calls_is_shown_once_it_is_set() -> None:
    codec = make_codec()
    assert "parallel_tool_calls" not in session_of(codec)
    assert update(codec, parallel_tool_calls=False).parallel_tools is False
    assert session_of(codec)["parallel_tool_calls"] is False


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ("auto", Truncation()),
        ("disabled", Truncation(enabled=False)),
        ({"type": "retention_ratio", "retention_ratio": 0.8}, Truncation(retention=0.8)),
        (
            {
                "type": "retention_ratio",
                "retention_ratio": 0.25,
                "token_limits": {"post_instructions": 1000},
            },
            Truncation(retention=0.25, max_tokens=1000),
        ),
    ],
)
def test_truncation_is_a_setting(given: Any, setting: Truncation) -> None:
    codec = make_codec()
    assert update(codec, truncation=given).truncation == setting
    assert session_of(codec)["truncation"] == given


def test_a_server_whose_truncation_is_another_shows_it() -> None:
    codec = make_codec(defaults=SessionSettings(truncation=Truncation(retention=0.8)))
    assert session_of(codec)["truncation"] == {
        "type": "retention_ratio",
        "retention_ratio": 0.8,
        "token_limits": {"post_instructions": 4000},
    }


def test_a_longer_history_than_engines_bear_is_shown_as_what_it_is_cut_to() -> None:
    codec = make_codec()
    wanted = {"post_instructions": 8000}
    given = {"type": "retention_ratio", "retention_ratio": 0.8, "token_limits": wanted}
    assert update(codec, truncation=given).truncation.max_tokens == 4000
    assert session_of(codec)["truncation"]["token_limits"] == {"post_instructions": 4000}


def test_transcription_hints_reach_the_settings() -> None:
    codec = make_codec()
    hints = {"languages": ["fr"], "keywords": ["Oslo", "Rhône"], "prompt": "A trip"}
    update(codec, **heard(transcription=hints))
    assert codec.settings.transcription == Transcription("", "fr", "A trip, Oslo, Rhône")
    update(codec, **heard(transcription={"languages": ["fr", "de"]}))
    assert codec.settings.transcription == Transcription("", None, "A trip, Oslo, Rhône")


def test_stock_voices_stand_for_the_default_voice() -> None:
    codec = make_codec()
    assert update(codec, **said(voice="marin")).voice == "en-us"
    assert session_of(codec)["audio"]["output"]["voice"] == "marin"
    created = ev.ResponseCreated(response("in_progress"))
    assert sent(codec, created)["response"]["audio"]["output"]["voice"] == "marin"
    assert update(codec, **said(voice={"id": "de"})).voice == "de"


def test_an_unnamed_default_voice_has_a_name_that_can_be_sent_back() -> None:
    codec = make_codec(defaults=SessionSettings(), voices=())
    assert session_of(codec)["audio"]["output"]["voice"] == "default"
    assert update(codec, **said(voice="default")).voice == ""
    exc = refused(codec, type="session.update", session={"type": "realtime", **said(voice="x")})
    assert "'default'" in str(exc)


@pytest.mark.parametrize(
    "heard",
    [ev.AudioDelta(REF, b"\x00\x00"), ev.OutputAudioStarted("resp_1")],
    ids=["the client plays", "the server plays"],
)
def test_the_voice_is_fixed_once_it_was_heard(heard: ev.SessionEvent) -> None:
    codec = make_codec()
    assert update(codec, **said(voice="en-gb")).voice == "en-gb"
    codec.send(heard)
    change = {"type": "realtime", "instructions": "x", **said(voice="de")}
    exc = refused(codec, type="session.update", session=change, event_id="e")
    assert (exc.code, exc.param, exc.event_id) == (
        "cannot_update_voice",
        "session.audio.output.voice",
        "e",
    )
    assert codec.settings.instructions == "Be brief."
    assert update(codec, instructions="y", **said(voice="en-gb")).instructions == "y"


def test_tool_choice_follows_the_tools() -> None:
    codec = make_codec()
    choice = {"type": "function", "name": "f"}
    assert update(codec, tools=[TOOL], tool_choice=choice).tool_choice == "f"
    assert session_of(codec)["tool_choice"] == choice
    assert update(codec, tools=[]).tool_choice == "auto"
    exc = refused(codec, type="session.update", session={"type": "realtime", "tool_choice": choice})
    assert exc.param == "session.tool_choice.name"


def test_a_transcription_session_answers_nothing() -> None:
    codec = make_codec()
    wanted = heard(transcription={"model": "whisper-1"}, turn_detection=None)
    (command,) = receive(codec, type="session.update", session={"type": "transcription", **wanted})
    assert isinstance(command, UpdateSession)
    assert command.settings.transcription_only
    assert session_of(codec)["type"] == "transcription"
    off = heard(transcription=None)
    receive(codec, type="session.update", session={"type": "transcription", **off})
    assert codec.settings.transcription == Transcription()


def test_another_models_name_changes_nothing_and_is_no_error() -> None:
    codec = make_codec()
    before = session_of(codec)["model"]
    update(codec, model="gpt-realtime-2.1", instructions="Be brief.")
    assert session_of(codec)["model"] == before
    assert codec.settings.instructions == "Be brief."


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "chat"}, "invalid_value", "type"),
    ({"model": 3}, "invalid_type", "model"),
    ({"instructions": 3}, "invalid_type", "instructions"),
    ({"output_modalities": ["audio", "text"]}, "invalid_value", "output_modalities"),
    ({"output_modalities": []}, "invalid_value", "output_modalities"),
    ({"output_modalities": "audio"}, "invalid_type", "output_modalities"),
    ({"max_output_tokens": 4097}, "invalid_value", "max_output_tokens"),
    ({"max_output_tokens": 1.5}, "invalid_value", "max_output_tokens"),
    ({"max_output_tokens": "many"}, "invalid_value", "max_output_tokens"),
    ({"tools": {}}, "invalid_type", "tools"),
    ({"tools": [{"type": "function"}]}, "missing_required_parameter", "tools[0].name"),
    ({"tools": [{"name": "f"}]}, "missing_required_parameter", "tools[0].type"),
    ({"tools": [{**TOOL, "parameters": 1}]}, "invalid_type", "tools[0].parameters"),
    ({"tool_choice": "maybe"}, "invalid_value", "tool_choice"),
    ({"tool_choice": {"type": "mcp", "server_label": "s"}}, "invalid_value", "tool_choice.type"),
    ({"truncation": "some"}, "invalid_value", "truncation"),
    (
        {"truncation": {"type": "retention_ratio"}},
        "missing_required_parameter",
        "truncation.retention_ratio",
    ),
    ({"tracing": "on"}, "invalid_value", "tracing"),
    ({"prompt": {"id": "pmpt_1"}}, "invalid_value", "prompt"),
    ({"include": ["everything"]}, "invalid_value", "include"),
    ({"reasoning": {"effort": "huge"}}, "invalid_value", "reasoning.effort"),
    ({"parallel_tool_calls": "yes"}, "invalid_type", "parallel_tool_calls"),
    ({"voicepipe": {"turn_events": 1}}, "invalid_type", "voicepipe.turn_events"),
    (
        {"voicepipe": {"turns": {"eager_end_ms": -1}}},
        "invalid_value",
        "voicepipe.turns.eager_end_ms",
    ),
    (
        {"voicepipe": {"turns": {"max_turn_ms": 0}}},
        "invalid_value",
        "voicepipe.turns.max_turn_ms",
    ),
    (
        {"voicepipe": {"turns": {"endpoint_min_ms": 500, "endpoint_max_ms": 400}}},
        "invalid_value",
        "voicepipe.turns.endpoint_min_ms",
    ),
    (
        {"voicepipe": {"turns": {"preemptive_generation": "on"}}},
        "invalid_value",
        "voicepipe.turns.preemptive_generation",
    ),
    ({"voicepipe": {"budget": {"tts_ms": "80"}}}, "invalid_type", "voicepipe.budget.tts_ms"),
    ({"voicepipe": {"turns": []}}, "invalid_type", "voicepipe.turns"),
    ({"audio": 1}, "invalid_type", "audio"),
    ({"audio": {"input": []}}, "invalid_type", "audio.input"),
    (heard(format="pcm16"), "invalid_type", "audio.input.format"),
    (heard(format={"type": "audio/mp3"}), "invalid_value", "audio.input.format.type"),
    (
        heard(format={"type": "audio/pcm", "rate": 16000}),
        "invalid_value",
        "audio.input.format.rate",
    ),
    (heard(transcription="whisper"), "invalid_type", "audio.input.transcription"),
    (heard(transcription={"language": 1}), "invalid_type", "audio.input.transcription.language"),
    (heard(noise_reduction={"type": "x"}), "invalid_value", "audio.input.noise_reduction.type"),
    (heard(turn_detection="server_vad"), "invalid_type", "audio.input.turn_detection"),
    (heard(turn_detection={"type": "x"}), "invalid_value", "audio.input.turn_detection.type"),
    (
        heard(turn_detection={"threshold": 1.1}),
        "invalid_value",
        "audio.input.turn_detection.threshold",
    ),
    (
        heard(turn_detection={"idle_timeout_ms": 100}),
        "invalid_value",
        "audio.input.turn_detection.idle_timeout_ms",
    ),
    (
        heard(turn_detection={"silence_duration_ms": "500"}),
        "invalid_type",
        "audio.input.turn_detection.silence_duration_ms",
    ),
    (
        heard(turn_detection={"create_response": 1}),
        "invalid_type",
        "audio.input.turn_detection.create_response",
    ),
    (said(speed=2), "invalid_value", "audio.output.speed"),
    (said(voice="nobody"), "invalid_value", "audio.output.voice"),
    (said(voice=7), "invalid_type", "audio.output.voice"),
]


@pytest.mark.parametrize(("session", "code", "param"), BAD, ids=lambda v: str(v)[:60])
def test_bad_updates_are_refused_whole(session: dict[str, Any], code: str, param: str) -> None:
    bad = {"type": "realtime", **session}
    if "instructions" not in bad:
        bad["instructions"] = "must not arrive"
    exc = refused(make_codec(), type="session.update", session=bad, event_id="e1")
    assert (exc.code, exc.param, exc.event_id) == (code, f"session.{param}", "e1")
    assert str(exc).startswith(f"session.{param} ")


def test_errors_name_the_limit_and_the_allowed_values() -> None:
    codec = make_codec()

    def text_of(**session: Any) -> str:
        full = {"type": "realtime", **session}
        return str(refused(codec, type="session.update", session=full))

    assert "0.25 to 1.5" in text_of(**said(speed=9))
    assert "'en-us', 'en-gb', 'de'" in text_of(**said(voice="nobody"))
    assert "'audio/pcm', 'audio/pcmu', 'audio/pcma'" in text_of(**heard(format={"type": "mp3"}))
    assert "1 to 4096" in text_of(max_output_tokens=5000)
