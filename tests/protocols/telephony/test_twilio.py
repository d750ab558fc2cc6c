"""Twilio's messages, byte for byte as the fact sheet has them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocols.telephony.kit import b64, refused, sent, text
from voicepipe.audio.formats import PCMU_8K
from voicepipe.protocols.telephony.carriers.twilio import TwilioCodec
from voicepipe.protocols.telephony.contract import (
    CallAudio,
    CallEnded,
    CallStarted,
    DtmfPressed,
    MarkReached,
)

CONNECTED = '{"event":"connected","protocol":"Call","version":"1.0.0"}'


def start(**changes: Any) -> str:
    described = {
        "accountSid": "AC1",
        "streamSid": "MZ1",
        "callSid": "CA1",
        "tracks": ["inbound"],
        "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
        "customParameters": {"name": "Ada", "token": "t"},
    }
    return text(event="start", sequenceNumber="1", streamSid="MZ1", start={**described, **changes})


def media(chunk: Any, data: bytes = b"\xff" * 160, **changes: Any) -> str:
    fields = {"track": "inbound", "chunk": chunk, "timestamp": "5", "payload": b64(data)}
    return text(event="media", sequenceNumber="3", streamSid="MZ1", media={**fields, **changes})


def begun() -> TwilioCodec:
    codec = TwilioCodec()
    assert codec.receive(CONNECTED) == ()
    codec.receive(start())
    return codec


def test_a_call_from_connected_to_stop() -> None:
    codec = TwilioCodec()
    assert codec.receive(CONNECTED) == ()
    assert list(codec.receive(start())) == [
        CallStarted("CA1", "MZ1", PCMU_8K, PCMU_8K, parameters={"name": "Ada", "token": "t"})
    ]
    assert list(codec.receive(media("1", b"\x01\x02"))) == [CallAudio(b"\x01\x02")]
    dtmf = (
        '{"event":"dtmf","streamSid":"MZ1","sequenceNumber":"5",'
        '"dtmf":{"track":"inbound_track","digit":"#"}}'
    )
    assert list(codec.receive(dtmf)) == [DtmfPressed("#")]
    mark = '{"event":"mark","sequenceNumber":"4","streamSid":"MZ1","mark":{"name":"item 7:240"}}'
    assert list(codec.receive(mark)) == [MarkReached("item 7:240")]
    stop = (
        '{"event":"stop","sequenceNumber":"6","streamSid":"MZ1",'
        '"stop":{"accountSid":"AC1","callSid":"CA1"}}'
    )
    assert list(codec.receive(stop)) == [CallEnded("stop")]
    assert list(codec.receive(media(2))) == []  # nothing follows the end


def test_what_is_sent() -> None:
    codec = begun()
    assert sent(codec.audio(b"\xff\x00\x7f")) == [
        {"event": "media", "streamSid": "MZ1", "media": {"payload": "/wB/"}}
    ]
    assert sent(codec.mark("m")) == [{"event": "mark", "streamSid": "MZ1", "mark": {"name": "m"}}]
    assert sent(codec.flush()) == [{"event": "clear", "streamSid": "MZ1"}]
    assert codec.hang_up() == ()  # over REST


def test_long_audio_goes_in_pieces_of_200_ms() -> None:
    payloads = [message["media"]["payload"] for message in sent(begun().audio(b"\x01" * 4000))]
    assert [len(payload) * 3 // 4 for payload in payloads] == [1602, 1602, 801]  # with padding


def test_missing_chunks_are_counted_and_late_ones_dropped() -> None:
    codec = begun()
    assert list(codec.receive(media(1))) == [CallAudio(b"\xff" * 160)]
    assert list(codec.receive(media(4))) == [CallAudio(b"\xff" * 160, lost_ms=40.0)]
    assert list(codec.receive(media(3))) == []
    assert list(codec.receive(media(4))) == []
    assert list(codec.receive(media(5))) == [CallAudio(b"\xff" * 160)]


def test_numbers_may_be_numbers_or_absent() -> None:
    codec = begun()
    codec.receive(media(1))
    assert list(codec.receive(media(2, b"a"))) == [CallAudio(b"a")]
    assert list(codec.receive(media(None, b"b"))) == [CallAudio(b"b")]
    assert list(codec.receive(media("5", b"c"))) == [CallAudio(b"c", lost_ms=0.125)]


def test_the_other_track_is_not_the_callers() -> None:
    assert list(begun().receive(media(1, track="outbound"))) == []


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"callSid": None}, r"start\.callSid is missing"),
        ({"callSid": 7}, r"start\.callSid must be a string, but is a number"),
        ({"streamSid": "M" * 257}, r"start\.streamSid must have 1 to 256 characters, but has 257"),
        ({"mediaFormat": None}, r"start\.mediaFormat is missing"),
        ({"mediaFormat": {"encoding": "audio/x-alaw"}}, r"mediaFormat\.encoding is 'audio/x-alaw'"),
        ({"mediaFormat": {"encoding": "audio/x-l16"}}, r"allowed are 'mulaw', 'pcmu', 'ulaw'"),
        (
            {"mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": "16000"}},
            r"mediaFormat\.sampleRate is 16000; allowed for mulaw are 8000 Hz",
        ),
        (
            {"mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 2}},
            r"mediaFormat\.channels must be 1 \(mono\), but is 2",
        ),
        (
            {"customParameters": {str(n): "" for n in range(101)}},
            r"customParameters has 101 entries, more than the limit of 100",
        ),
        ({"customParameters": {"a": "x" * 4097}}, r"customParameters\.a has 4097 .* limit of 4096"),
        ({"customParameters": {"a" * 257: ""}}, r"a name of 257 characters; the limit is 256"),
        ({"customParameters": {"a": ["b"]}}, r"customParameters\.a must be a string"),
        ({"customParameters": "a=b"}, r"customParameters must be an object"),
    ],
)
def test_a_bad_start_is_refused_by_field_and_limit(changes: dict[str, Any], match: str) -> None:
    codec = TwilioCodec()
    refused(codec, start(**changes), match)
    assert len(codec.receive(start())) == 1  # nothing was changed


@pytest.mark.parametrize(
    ("frame", "match"),
    [
        (b"\x00\x01", "A binary message is not expected here"),
        ("[]", "no JSON object"),
        ("", "no JSON object"),
        ('{"event":', "not valid JSON"),
        ("{}", "event is missing"),
        ('{"event":7}', "event must be a string"),
        ('{"event":"media","streamSid":"MZ1"}', "media is missing"),
        ('{"event":"x","sequenceNumber":"-1"}', "sequenceNumber must be a whole number"),
        ('{"event":"x","sequenceNumber":1.5}', "sequenceNumber must be a whole number"),
        ('{"event":"media","streamSid":"MZ2","media":{}}', "streamSid 'MZ2' is not expected here"),
        (media("x"), r"media\.chunk must be a whole number of at most 16 digits, but is 'x'"),
        (media(1, b""), r"media\.payload is empty"),
        (media(1, payload="A"), r"media\.payload is not valid base64"),
        (media(1, payload=None), r"media\.payload is missing"),
        (media(1, bytes(50_000)), r"has \d+ bytes, more than the limit of 65536 bytes"),
        (media(1, track="é" * 32_800), r"has \d+ bytes, more than the limit of 65536"),
        (start(), "A second 'start' is not expected here"),
        ('{"event":"dtmf","dtmf":{"digit":"12"}}', r"dtmf\.digit must have 1 to 1 characters"),
        ('{"event":"dtmf","dtmf":{"digit":"x"}}', r"dtmf\.digit is 'X'|is 'x'; allowed are 0-9"),
        ('{"event":"mark","mark":{}}', r"mark\.name must be a string, but is null"),
    ],
)
def test_a_bad_message_is_refused_and_changes_nothing(frame: str | bytes, match: str) -> None:
    codec = begun()
    codec.receive(media(1))
    refused(codec, frame, match)
    assert list(codec.receive(media(2))) == [CallAudio(b"\xff" * 160)]


@pytest.mark.parametrize("kind", ["media", "dtmf", "mark", "stop"])
def test_nothing_comes_before_start(kind: str) -> None:
    refused(TwilioCodec(), text(event=kind), f"'{kind}' is not expected here: it came before")
    with pytest.raises(RuntimeError, match="before the call has started"):
        TwilioCodec().audio(b"")
