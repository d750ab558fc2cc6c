"""Telnyx: snake case, a codec for each way, chunks out of order."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.protocols.telephony.kit import b64, refused, sent, text
from voicepipe.audio.formats import PCM_16K, PCM_24K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.protocols.telephony.carriers.telnyx import TelnyxCodec
from voicepipe.protocols.telephony.contract import (
    CallAudio,
    CallEnded,
    CallStarted,
    DtmfPressed,
    MarkReached,
)
from voicepipe.runtime.errors import ConfigError

L16 = {"encoding": "L16", "sample_rate": 16000, "channels": 1}
PCMA = {"encoding": "PCMA", "sample_rate": 8000, "channels": 1}


def start(media_format: Any = PCMA, **changes: Any) -> str:
    described = {
        "user_id": "u",
        "call_control_id": "v3:c",
        "call_session_id": "s",
        "client_state": "",
        "from": "+1",
        "to": "+2",
        "custom_parameters": {"a": 1, "b": True},
        "media_format": media_format,
        **changes,
    }
    return text(event="start", sequence_number="1", stream_id="st", start=described)


def media(chunk: int, data: bytes | None = None) -> str:
    payload = b64(bytes([chunk]) * 160 if data is None else data)
    fields = {"track": "inbound", "chunk": str(chunk), "timestamp": "5", "payload": payload}
    return text(event="media", sequence_number="4", stream_id="st", media=fields)


def heard(codec: TelnyxCodec, *chunks: int) -> list[tuple[int, float]]:
    """(chunk number, lost ms) in the order in which they come out."""
    events = [event for chunk in chunks for event in codec.receive(media(chunk))]
    assert all(isinstance(event, CallAudio) for event in events)
    return [(e.data[0], e.lost_ms) for e in events if isinstance(e, CallAudio)]


def begun() -> TelnyxCodec:
    codec = TelnyxCodec()
    codec.receive(start())
    return codec


def test_a_call_from_connected_to_stop() -> None:
    codec = TelnyxCodec(PCM_16K)
    assert codec.receive('{"event":"connected","version":"1.0.0"}') == ()
    assert list(codec.receive(start())) == [
        CallStarted("v3:c", "st", PCMA_8K, PCM_16K, "+1", "+2", {"a": "1", "b": "true"})
    ]
    dtmf = (
        '{"event":"dtmf","stream_id":"st","occurred_at":"2026","sequence_number":"5",'
        '"dtmf":{"digit":"1"}}'
    )
    assert list(codec.receive(dtmf)) == [DtmfPressed("1")]
    mark = '{"event":"mark","sequence_number":"5","stream_id":"st","mark":{"name":"m"}}'
    assert list(codec.receive(mark)) == [MarkReached("m")]
    stop = '{"event":"stop","sequence_number":"5","stream_id":"st","stop":{"user_id":"u"}}'
    assert list(codec.receive(stop)) == [CallEnded("stop")]


def test_what_is_sent_has_no_stream_id() -> None:
    codec = begun()
    media = {"payload": b64(b"\x01" * 160)}
    assert sent(codec.audio(b"\x01" * 160)) == [{"event": "media", "media": media}]
    assert sent(codec.mark("m")) == [{"event": "mark", "mark": {"name": "m"}}]
    assert sent(codec.flush()) == [{"event": "clear"}]
    assert codec.hang_up() == ()


def test_l16_is_big_endian_unless_told_otherwise() -> None:
    for big, wire in ((True, b"\x01\x02"), (False, b"\x02\x01")):
        codec = TelnyxCodec(PCM_16K, l16_big_endian=big)
        codec.receive(start(L16))
        assert list(codec.receive(media(1, wire))) == [CallAudio(b"\x02\x01")]
        assert sent(codec.audio(b"\x02\x01" * 320))[0]["media"]["payload"] == b64(wire * 320)


def test_each_way_has_its_own_codec() -> None:
    codec = TelnyxCodec(PCM_24K)
    codec.receive(start())  # PCMA in
    assert list(codec.receive(media(1, b"\x01\x02\x03"))) == [CallAudio(b"\x01\x02\x03")]
    assert sent(codec.audio(b"\x02\x01" * 480))[0]["media"]["payload"] == b64(b"\x01\x02" * 480)


@pytest.mark.parametrize(
    ("output", "quiet"), [(PCMU_8K, b"\xff"), (PCMA_8K, b"\xd5"), (PCM_16K, b"\x00\x00")]
)
@pytest.mark.parametrize("frames", [0.25, 1, 10.25])
def test_a_replys_last_audio_is_filled_up_to_20_ms(
    output: AudioFormat, quiet: bytes, frames: float
) -> None:
    """Telnyx takes nothing shorter."""
    codec = TelnyxCodec(output, l16_big_endian=False)
    codec.receive(start())
    frame = round(20 * output.bytes_per_ms)
    said = b"\x01" * round(frames * frame)
    told = [base64.b64decode(one["media"]["payload"]) for one in sent(codec.audio(said))]
    assert all(len(one) % frame == 0 for one in told)
    missing = -len(said) % frame // output.bytes_per_sample
    assert b"".join(told) == said + quiet * missing


def test_chunks_are_put_in_order_within_the_window() -> None:
    assert heard(begun(), 1, 3, 2, 4) == [(1, 0), (2, 0), (3, 0), (4, 0)]
    assert heard(begun(), 1, 3, 4, 2, 5) == [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]
    assert heard(begun(), 1, 4, 3, 2) == [(1, 0), (2, 0), (3, 0), (4, 0)]


def test_a_gap_is_lost_when_three_chunks_wait() -> None:
    assert heard(begun(), 1, 3, 4) == [(1, 0)]
    assert heard(begun(), 1, 3, 4, 5) == [(1, 0), (3, 20), (4, 0), (5, 0)]
    assert heard(begun(), 1, 3, 4, 5, 2, 6) == [(1, 0), (3, 20), (4, 0), (5, 0), (6, 0)]
    assert heard(begun(), 1, 4, 4, 6, 8) == [(1, 0), (4, 40)]


def test_a_count_that_begins_anew_is_followed() -> None:
    """Or the caller would not be heard until it has come as far as before."""
    codec = begun()
    voice, long_since = b"\x55" * 160, range(1, 501)
    assert all(list(codec.receive(media(n, voice))) for n in long_since)
    assert list(codec.receive(media(450, voice))) == [], "late"
    held = codec.receive(media(502, b"\x01" * 160))
    assert list(held) == []
    first = list(codec.receive(media(1, voice)))
    assert first == [CallAudio(b"\x01" * 160, 20.0), CallAudio(voice)]
    assert list(codec.receive(media(2, voice))) == [CallAudio(voice)]


def test_a_number_out_of_all_order_does_not_end_the_callers_voice() -> None:
    codec = begun()
    voice = b"\x55" * 160
    codec.receive(media(1, voice))
    for number in (2**40, 2**40 + 1, 2**40 + 2, 2):
        codec.receive(media(number, voice))
    assert list(codec.receive(media(3, voice))) == [CallAudio(voice)]


def test_stop_lets_go_of_what_was_held_back() -> None:
    codec = begun()
    heard(codec, 1, 3, 5)
    three, five, end = codec.receive('{"event":"stop","stream_id":"st"}')
    assert (three, five) == (CallAudio(b"\x03" * 160, 20.0), CallAudio(b"\x05" * 160, 20.0))
    assert end == CallEnded("stop")


@pytest.mark.parametrize("encoding", ["G722", "OPUS", "AMR-WB"])
def test_codecs_that_are_not_ours_are_refused(encoding: str) -> None:
    described = {"encoding": encoding, "sample_rate": 16000, "channels": 1}
    refused(TelnyxCodec(), start(described), rf"media_format\.encoding is '{encoding}'")


def test_odd_l16_and_stereo_are_refused() -> None:
    refused(TelnyxCodec(), start({**L16, "channels": 2}), r"channels must be 1")
    codec = TelnyxCodec()
    codec.receive(start(L16))
    refused(codec, media(1, b"\x01\x02\x03"), "needs an even number")


def test_an_output_that_cannot_be_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="Telnyx output pcm16 at 48000 Hz is not supported"):
        TelnyxCodec(AudioFormat("pcm16", 48_000))


def test_a_complaint_is_told_and_ends_nothing() -> None:
    codec = begun()
    error = text(
        event="error", stream_id="st", payload={"code": 100003, "title": "malformed_frame"}
    )
    complaint = refused(codec, error, "Telnyx reports error 100003: 'malformed_frame'")
    assert complaint.code == "carrier_error"
    assert heard(codec, 1) == [(1, 0)]
