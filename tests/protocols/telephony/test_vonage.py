"""Vonage: binary L16 and JSON beside it."""

from __future__ import annotations

import base64

import pytest

from tests.protocols.telephony.kit import refused, sent, text
from voicepipe.audio.formats import PCM_8K, PCM_16K, PCM_24K, AudioFormat
from voicepipe.protocols.telephony.carriers.vonage import VonageCodec, application_token
from voicepipe.protocols.telephony.contract import (
    CallAudio,
    CallStarted,
    DtmfPressed,
    MarkReached,
)
from voicepipe.runtime.errors import ConfigError


def connected(content_type: str = "audio/l16;rate=16000", **headers: object) -> str:
    return text(**{"event": "websocket:connected", "content-type": content_type, **headers})


def begun(content_type: str = "audio/l16;rate=16000") -> VonageCodec:
    codec = VonageCodec()
    codec.receive(connected(content_type))
    return codec


@pytest.mark.parametrize("fmt", [PCM_8K, PCM_16K, PCM_24K])
def test_a_call_begins_with_its_format_and_headers(fmt: AudioFormat) -> None:
    codec = VonageCodec()
    frame = connected(f"audio/l16;rate={fmt.rate}", call_id="u", caller="1", called="2", x=7)
    headers = {"call_id": "u", "caller": "1", "called": "2", "x": "7"}
    assert list(codec.receive(frame)) == [CallStarted("u", "u", fmt, fmt, "1", "2", headers)]
    assert list(codec.receive(b"\x01\x00")) == [CallAudio(b"\x01\x00")]
    assert list(codec.receive(b"")) == []


def test_events() -> None:
    codec = begun()
    dtmf = '{"event":"websocket:dtmf","digit":"5","duration":260}'
    assert list(codec.receive(dtmf)) == [DtmfPressed("5")]
    notify = '{"event":"websocket:notify","payload":{"mark":"m"}}'
    assert list(codec.receive(notify)) == [MarkReached("m")]
    assert list(codec.receive('{"event":"websocket:cleared"}')) == []


@pytest.mark.parametrize(("rate", "size"), [(8000, 320), (16000, 640), (24000, 960)])
def test_audio_leaves_in_frames_of_20_ms(rate: int, size: int) -> None:
    codec = begun(f"audio/l16;rate={rate}")
    assert list(codec.audio(b"\x01" * (2 * size))) == [b"\x01" * size] * 2
    assert list(codec.audio(b"\x02" * (size + 2))) == [
        b"\x02" * size,
        b"\x02\x02" + bytes(size - 2),
    ]
    assert list(codec.audio(b"\x03" * size)) == [b"\x03" * size]  # nothing was left behind


def test_what_is_sent_as_text() -> None:
    codec = begun()
    assert sent(codec.mark("m")) == [{"action": "notify", "payload": {"mark": "m"}}]
    assert sent(codec.flush()) == [{"action": "clear"}]
    assert codec.hang_up() == ()


def test_what_is_refused() -> None:
    for content_type in ("audio/l16;rate=44100", "audio/x-mulaw;rate=8000", "audio/l16;rate=x"):
        match = "content-type is .*; allowed is audio/l16;rate= 8000, 16000 or 24000"
        refused(VonageCodec(), connected(content_type), match)
    refused(VonageCodec(), b"\x00\x00", "Audio is not expected here: it came before 'websocket:con")
    refused(VonageCodec(), '{"event":"websocket:dtmf","digit":"5"}', "it came before")
    refused(VonageCodec(), connected(call_id="u" * 257), "call_id must have 1 to 256 characters")
    codec = begun()
    refused(codec, b"\x00", "message holds 1 bytes, but 16-bit PCM needs an even number")
    refused(codec, bytes(65_538), "message has 65538 bytes, more than the limit of 65536 bytes")
    refused(codec, connected(), "A second 'websocket:connected'")
    refused(codec, '{"event":"websocket:notify","payload":{}}', r"payload\.mark must be a string")
    assert list(codec.receive(b"\x01\x00")) == [CallAudio(b"\x01\x00")]


def _pem(der: str) -> str:
    body = base64.b64encode(bytes.fromhex(der)).decode()
    return f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "key",
    [
        "",
        "é",
        "-----BEGIN PRIVATE KEY-----\n",
        _pem("3014020100300706032a030405000406313233343536"),
    ],
    ids=["none", "no PEM", "cut off", "of a kind that nobody knows"],
)
def test_a_private_key_that_is_none_is_named(key: str) -> None:
    with pytest.raises(ConfigError, match=r"telephony\.vonage\.private_key must be an RSA key"):
        application_token("app", key, 1_800_000_000)
