"""The session object when another agent has taken over."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from tests.protocols.realtime_kit import DEFAULTS, REF, make_codec, receive, refused, session_of
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.protocols.openai_realtime.session_object import SessionObject
from voicepipe.session import events as ev

COLLEAGUE = replace(DEFAULTS, instructions="Be kind.", voice="de")


def handed_over(voice: str) -> RealtimeCodec:
    """A session whose client named a voice and heard it, before a colleague took over."""
    codec = make_codec()
    says(codec, voice)
    codec.send(ev.AudioDelta(REF, b"\x00\x00"))
    codec.adopt(COLLEAGUE, COLLEAGUE)
    return codec


def says(codec: RealtimeCodec, voice: str) -> None:
    session = {"type": "realtime", "audio": {"output": {"voice": voice}}, "instructions": "x"}
    receive(codec, type="session.update", session=session)


def test_the_colleagues_words_and_voice_are_shown() -> None:
    shown = session_of(handed_over("en-gb"))
    assert (shown["instructions"], shown["audio"]["output"]["voice"]) == ("Be kind.", "de")


@pytest.mark.parametrize("named", ["marin", "de"])
def test_a_client_that_names_the_default_voice_each_time_may_go_on(named: str) -> None:
    codec = handed_over("marin")
    says(codec, named)
    assert (codec.settings.voice, codec.settings.instructions) == ("de", "x")


def test_another_voice_is_refused() -> None:
    codec = handed_over("en-gb")
    session = {"type": "realtime", "audio": {"output": {"voice": "en-gb"}}}
    assert refused(codec, type="session.update", session=session).code == "cannot_update_voice"


def test_from_one_stock_name_to_another_is_a_change() -> None:
    codec = handed_over("marin")
    says(codec, "marin")
    session = {"type": "realtime", "audio": {"output": {"voice": "coral"}}}
    assert refused(codec, type="session.update", session=session).code == "cannot_update_voice"


def test_a_colleague_who_takes_over_while_an_update_is_being_read_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Large messages are read in a thread."""
    codec = make_codec()
    reading, taken_over = threading.Event(), threading.Event()

    def slow(*given: object, **named: object) -> None:
        reading.set()
        taken_over.wait(0.3)

    monkeypatch.setattr(SessionObject, "_fit_tool_choice", slow)
    session = {"type": "realtime", "output_modalities": ["text"]}
    update = {"type": "session.update", "session": session}
    thread = threading.Thread(target=receive, args=(codec,), kwargs=update)
    thread.start()
    assert reading.wait(5)
    codec.adopt(COLLEAGUE, COLLEAGUE)
    taken_over.set()
    thread.join()
    assert (codec.settings.instructions, codec.settings.voice) == ("Be kind.", "de")
    assert codec.settings.modality == "text"
