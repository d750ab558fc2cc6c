"""Plivo's messages as the fact sheet has them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocols.telephony.kit import b64, refused, sent, text
from voicepipe.audio.formats import PCM_16K, PCMU_8K
from voicepipe.protocols.telephony.carriers.plivo import PlivoCodec
from voicepipe.protocols.telephony.contract import (
    CallAudio,
    CallEnded,
    CallStarted,
    DtmfPressed,
    MarkReached,
)

MULAW = {"encoding": "audio/x-mulaw", "sampleRate": 8000}
L16 = {"encoding": "audio/x-l16", "sampleRate": 16000}


def start(media_format: Any = MULAW, extra_headers: Any = "userId=12;session=a-b") -> str:
    described = {
        "callId": "c",
        "streamId": "s",
        "accountId": "MA",
        "tracks": ["inbound"],
        "mediaFormat": media_format,
    }
    return text(event="start", sequenceNumber=1, start=described, extra_headers=extra_headers)


def media(chunk: int, data: bytes) -> str:
    fields = {"track": "inbound", "timestamp": "17", "chunk": chunk, "payload": b64(data)}
    return text(event="media", sequenceNumber=42, streamId="s", media=fields)


def begun(media_format: Any = MULAW) -> PlivoCodec:
    codec = PlivoCodec()
    codec.receive(start(media_format))
    return codec


def test_a_call_from_start_to_stop() -> None:
    codec = PlivoCodec()
    assert list(codec.receive(start())) == [
        CallStarted("c", "s", PCMU_8K, PCMU_8K, parameters={"userId": "12", "session": "a-b"})
    ]
    assert list(codec.receive(media(1, b"a"))) == [CallAudio(b"a")]
    assert list(codec.receive(media(3, b"b"))) == [CallAudio(b"b", lost_ms=0.125)]
    dtmf = '{"event":"dtmf","streamId":"s","dtmf":{"track":"inbound","digit":"5","timestamp":"9"}}'
    assert list(codec.receive(dtmf)) == [DtmfPressed("5")]
    played = '{"event":"playedStream","streamId":"s","name":"m"}'
    assert list(codec.receive(played)) == [MarkReached("m")]
    assert list(codec.receive('{"event":"clearedAudio","streamId":"s"}')) == []
    assert list(codec.receive('{"event":"stop","streamId":"s"}')) == [CallEnded("stop")]


def test_what_is_sent() -> None:
    play = {"contentType": "audio/x-mulaw", "sampleRate": 8000, "payload": "/w=="}
    assert sent(begun().audio(b"\xff")) == [{"event": "playAudio", "media": play}]
    play = {"contentType": "audio/x-l16", "sampleRate": 16000, "payload": b64(b"\x01\x02")}
    assert sent(begun(L16).audio(b"\x01\x02")) == [{"event": "playAudio", "media": play}]
    assert sent(begun().mark("m")) == [{"event": "checkpoint", "streamId": "s", "name": "m"}]
    assert sent(begun().flush()) == [{"event": "clearAudio", "streamId": "s"}]
    assert begun().hang_up() == ()


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        (None, {}),
        ("", {}),
        ("{}", {}),
        ("a=1,b=2", {"a": "1", "b": "2"}),
        ("{a=1; b=x=y}", {"a": "1", "b": "x=y"}),
        ({"a": "1"}, {"a": "1"}),
    ],
)
def test_headers_come_in_several_spellings(headers: Any, wanted: dict[str, str]) -> None:
    (event,) = PlivoCodec().receive(start(extra_headers=headers))
    assert isinstance(event, CallStarted)
    assert event.parameters == wanted


def test_formats_that_are_not_ours_are_refused() -> None:
    refused(PlivoCodec(), start({**L16, "sampleRate": 24000}), r"sampleRate is 24000; allowed")
    refused(PlivoCodec(), start({**MULAW, "encoding": "audio/x-alaw"}), r"mediaFormat\.encoding is")
    refused(PlivoCodec(), start(extra_headers="x" * 5000), "extra_headers has 5000 characters")
    (event,) = PlivoCodec().receive(start(L16))
    assert isinstance(event, CallStarted)
    assert event.output_format == PCM_16K


def test_a_mark_of_another_stream_is_refused() -> None:
    frame = '{"event":"playedStream","streamId":"t","name":"m"}'
    refused(begun(), frame, "streamId 't' is not expected here")
