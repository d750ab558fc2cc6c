"""A program that is in charge of another client's session, beside that client."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.protocols.realtime_kit import DEFAULTS, make_codec, receive, session_of
from voicepipe.audio.formats import PCMA_8K, PCMU_8K
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.session import events as ev

FORMATS = {
    "input": {"format": {"type": "audio/pcmu"}},
    "output": {"format": {"type": "audio/pcma"}},
}


def beside(codec: RealtimeCodec) -> RealtimeCodec:
    """The codec of a program that joins."""
    return RealtimeCodec(
        defaults=codec.settings,
        model="",
        session_id="sess_1",
        voices=(),
        expires_at=0,
        joined=codec.session_object,
    )


@pytest.mark.parametrize(
    "audio",
    [
        None,
        {"input": None, "output": None},
        {"input": {"format": None}, "output": {"format": None}},
        {"input": {"format": {"type": "audio/pcm"}}, "output": {"format": {"type": "audio/pcm"}}},
    ],
)
def test_the_audio_formats_stay_as_the_calls_own_client_has_them(audio: Any) -> None:
    codec = make_codec()
    receive(codec, type="session.update", session={"type": "realtime", "audio": FORMATS})
    program = beside(codec)
    session = {"type": "realtime", "instructions": "x", "audio": audio}
    receive(program, type="session.update", session=session)
    settings = codec.settings
    assert (settings.input_format, settings.output_format) == (PCMU_8K, PCMA_8K)
    assert settings.instructions == "x"
    assert session_of(codec)["audio"]["input"]["format"] == {"type": "audio/pcmu"}


def test_null_sets_back_what_else_the_audio_is() -> None:
    codec = make_codec()
    audio = {"output": {"voice": "de", "speed": 1.25}}
    receive(codec, type="session.update", session={"type": "realtime", "audio": audio})
    receive(beside(codec), type="session.update", session={"type": "realtime", "audio": None})
    assert (codec.settings.voice, codec.settings.speed) == (DEFAULTS.voice, 1.0)


@pytest.mark.parametrize("given", [{"turn_events": False}, {"turn_events": None}, None])
def test_turn_events_that_the_calls_own_client_has_asked_for_go_on(given: Any) -> None:
    """Each is told of turns as it wishes, whatever the other one says."""
    codec = make_codec()
    wish = {"voicepipe": {"turn_events": True}}
    receive(codec, type="session.update", session={"type": "realtime", **wish})
    program = beside(codec)
    receive(program, type="session.update", session={"type": "realtime", **wish})
    paused = ev.OutputPaused("resp_1")
    assert codec.send(paused)
    assert program.send(paused)
    session = {"type": "realtime", "voicepipe": given}
    receive(program, type="session.update", session=session)
    assert codec.settings.turn_events
    assert codec.send(paused)
    assert not program.send(paused)


@pytest.mark.parametrize("server", [True, False])
@pytest.mark.parametrize("given", [{"turn_events": None}, None])
def test_null_sets_turn_events_back_to_what_the_server_has(given: Any, server: bool) -> None:
    codec = make_codec(defaults=replace(DEFAULTS, turn_events=server))
    for own in ({"turn_events": not server}, given, {}):
        session = {"type": "realtime", "voicepipe": own}
        receive(codec, type="session.update", session=session)
    assert codec.settings.turn_events is server
    assert bool(codec.send(ev.OutputPaused("resp_1"))) is server


@pytest.mark.parametrize("given", [{"turn_events": False, "provisional_turns": False}, None])
def test_turn_events_that_a_program_has_asked_for_go_on(given: Any) -> None:
    codec = make_codec()
    program = beside(codec)
    wish = {"voicepipe": {"turn_events": True, "provisional_turns": True}}
    for one in (program, codec):
        receive(one, type="session.update", session={"type": "realtime", **wish})
    receive(codec, type="session.update", session={"type": "realtime", "voicepipe": given})
    receive(codec, type="session.update", session={"type": "realtime", "instructions": "x"})
    assert codec.settings.turn_events
    assert codec.settings.provisional_turns
    assert program.send(ev.OutputPaused("resp_1"))
    assert not codec.send(ev.OutputPaused("resp_1"))


@pytest.mark.parametrize("given", [{"provisional_turns": False}, {"provisional_turns": None}, None])
def test_provisional_turns_that_the_calls_own_client_has_asked_for_go_on(given: Any) -> None:
    codec = make_codec()
    wish = {"voicepipe": {"turn_events": True, "provisional_turns": True}}
    receive(codec, type="session.update", session={"type": "realtime", **wish})
    session = {"type": "realtime", "voicepipe": given}
    receive(beside(codec), type="session.update", session=session)
    assert codec.settings.provisional_turns
