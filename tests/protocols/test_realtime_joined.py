"""A program that is in charge of another client's session, beside that client."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocols.realtime_kit import DEFAULTS, make_codec, receive, session_of
from voicepipe.audio.formats import PCMA_8K, PCMU_8K
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec

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
