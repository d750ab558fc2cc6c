"""The table of docs/realtime.md is the SDK's, and what it says of events is what the codec does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts import realtime_meanings as meanings
from scripts import realtime_table
from tests.protocols.realtime_kit import EVENTS, make_codec, receive, session_of
from voicepipe.protocols.openai_realtime.client_events import CLIENT_EVENTS
from voicepipe.protocols.openai_realtime.codec import Dialect
from voicepipe.runtime.errors import ProtocolError


def test_the_page_is_as_the_command_writes_it() -> None:
    assert realtime_table.main(["--check"]) == 0, "python -m scripts.realtime_table"


def test_what_the_sdk_knows_and_has_no_words_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = {k: v for k, v in meanings.SESSION.items() if k != "session.truncation.token_limits"}
    monkeypatch.setattr(meanings, "SESSION", {**fewer, "session.hat": "a hat"})
    with pytest.raises(LookupError, match=r"token_limits.post_instructions.*session\.hat"):
        realtime_table.table()


def test_client_events_are_those_that_the_codec_takes() -> None:
    assert set(meanings.CLIENT) == set(CLIENT_EVENTS)


def test_server_events_are_those_that_the_codec_sends() -> None:
    def sent(dialect: Dialect) -> set[str]:
        codec = make_codec(dialect)
        if dialect == "ga":
            timeout = {"turn_detection": {"type": "server_vad", "idle_timeout_ms": 6000}}
            session = {"type": "realtime", "audio": {"input": timeout}}
            receive(codec, type="session.update", session=session)
        texts = [*codec.opening(), *(text for event in EVENTS for text in codec.send(event))]
        return {json.loads(text)["type"] for text in texts}

    only_beta = {"conversation.created", "conversation.item.created"}
    assert sent("ga") == set(meanings.SENT) - only_beta
    assert only_beta <= sent("beta")
    assert not set(meanings.NEVER_SENT) & (sent("ga") | sent("beta"))


SAMPLES: dict[str, Any] = {
    "session.audio.input.noise_reduction": {"type": "near_field"},
    "session.audio.input.transcription.delay": "low",
    "session.audio.input.transcription.model": "whisper-1",
    "session.model": "gpt-realtime",
    "session.reasoning": {"effort": "low"},
    "session.tracing": "auto",
    "session.prompt": {"id": "pmpt_1"},
}
WITHOUT_EFFECT = [p for p, said in meanings.SESSION.items() if said.startswith("no effect")]
REFUSED = [p for p, said in meanings.SESSION.items() if said.startswith("refused")]


def update(path: str) -> dict[str, Any]:
    """A session object with a value at `path`."""
    value = SAMPLES[path]
    for name in reversed(path.split(".")[1:]):
        value = {name: value}
    return {"type": "realtime", **value}


@pytest.mark.parametrize("path", WITHOUT_EFFECT)
def test_what_has_no_effect_changes_nothing_that_is_in_force(path: str) -> None:
    codec = make_codec()
    receive(codec, type="session.update", session=with_transcription())
    settings, shown = codec.settings, session_of(codec)
    receive(codec, type="session.update", session=update(path))
    if not path.endswith("transcription.model"):  # shown as it was sent, and says so
        assert (codec.settings, session_of(codec)) == (settings, shown)


def with_transcription() -> dict[str, Any]:
    return {"type": "realtime", "audio": {"input": {"transcription": {}}}}


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_refused_is_named(path: str) -> None:
    with pytest.raises(ProtocolError) as refusal:
        receive(make_codec(), type="session.update", session=update(path))
    assert refusal.value.param == path
