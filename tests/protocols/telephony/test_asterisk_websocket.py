"""chan_websocket in both forms of control."""

from __future__ import annotations

import pytest

from tests.protocols.telephony.kit import refused, sent, text
from voicepipe.audio.formats import PCM_8K, PCM_16K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.protocols.telephony.carriers.asterisk import AsteriskWebSocketCodec
from voicepipe.protocols.telephony.contract import (
    CallAudio,
    CallStarted,
    DtmfPressed,
    MarkReached,
    QueueFree,
    QueueFull,
)

TEXT_START = (
    "MEDIA_START connection_id:e226e283 channel:WebSocket/c channel_id:pbx1-1.9 format:ulaw "
    "optimal_frame_size:160 ptime:20"
)


def json_start(**changes: object) -> str:
    fields: dict[str, object] = {
        "event": "MEDIA_START",
        "connection_id": "e226e283",
        "channel": "WebSocket/c",
        "channel_id": "pbx1-1.9",
        "format": "ulaw",
        "optimal_frame_size": 160,
        "ptime": 20,
        "channel_variables": {"WHO": "Ada"},
    }
    return text(**(fields | changes))


def begun(start: str = TEXT_START) -> AsteriskWebSocketCodec:
    codec = AsteriskWebSocketCodec()
    codec.receive(start)
    return codec


def test_a_call_under_text_control() -> None:
    codec = AsteriskWebSocketCodec()
    assert list(codec.receive(TEXT_START)) == [
        CallStarted("pbx1-1.9", "e226e283", PCMU_8K, PCMU_8K)
    ]
    assert not codec.abilities.marks
    assert list(codec.receive(b"\xff" * 160)) == [CallAudio(b"\xff" * 160)]
    assert list(codec.receive("DTMF_END channel_id:pbx1-1.9 digit:#")) == [DtmfPressed("#")]
    assert list(codec.receive("MEDIA_XOFF")) == [QueueFull()]
    assert list(codec.receive("MEDIA_XON")) == [QueueFree()]
    assert list(codec.receive("STATUS channel_id:x queue_length:3")) == []
    assert list(codec.flush()) == ["FLUSH_MEDIA"]
    assert list(codec.hang_up()) == ["HANGUP"]
    assert list(codec.mark("m")) == []


def test_a_call_under_json_control() -> None:
    codec = AsteriskWebSocketCodec()
    assert list(codec.receive(json_start())) == [
        CallStarted("pbx1-1.9", "e226e283", PCMU_8K, PCMU_8K, parameters={"WHO": "Ada"})
    ]
    assert codec.abilities.marks
    assert list(codec.receive('{"event":"DTMF_END","digit":"5"}')) == [DtmfPressed("5")]
    assert list(codec.receive('{"event":"MEDIA_XOFF","channel_id":"x"}')) == [QueueFull()]
    assert list(codec.receive('{"event":"MEDIA_XON","channel_id":"x"}')) == [QueueFree()]
    mark = '{"event":"MEDIA_MARK_PROCESSED","channel_id":"x","correlation_id":"m"}'
    assert list(codec.receive(mark)) == [MarkReached("m")]
    assert sent(codec.mark("m")) == [{"command": "MARK_MEDIA", "correlation_id": "m"}]
    assert sent(codec.flush()) == [{"command": "FLUSH_MEDIA"}]
    assert sent(codec.hang_up()) == [{"command": "HANGUP"}]


@pytest.mark.parametrize(
    ("name", "fmt"),
    [
        ("alaw", PCMA_8K),
        ("slin", PCM_8K),
        ("slin16", PCM_16K),
        ("slin44", AudioFormat("pcm16", 44_100)),
        ("slin192", AudioFormat("pcm16", 192_000)),
    ],
)
def test_formats_by_asterisks_names(name: str, fmt: AudioFormat) -> None:
    (event,) = AsteriskWebSocketCodec().receive(json_start(format=name))
    assert isinstance(event, CallStarted)
    assert (event.input_format, event.output_format) == (fmt, fmt)


def test_audio_leaves_in_whole_frames() -> None:
    codec = begun()
    assert list(codec.audio(b"\x01" * 320)) == [b"\x01" * 320]
    assert list(codec.audio(b"\x01" * 161)) == [b"\x01" * 161 + b"\xff" * 159]  # a reply's last
    long = list(codec.audio(b"\x01" * 160 * 500))
    assert [len(frame) for frame in long] == [65_440, 14_560]  # multiples of 160 below 65,500


def test_a_frame_longer_than_20_ms_waits_to_be_whole() -> None:
    codec = begun(json_start(optimal_frame_size=320, ptime=40))
    assert list(codec.audio(b"\x01" * 160)) == []
    assert list(codec.audio(b"\x02" * 320)) == [b"\x01" * 160 + b"\x02" * 160]
    rest, mark = codec.mark("m")
    assert rest == b"\x02" * 160 + b"\xff" * 160
    assert sent([mark]) == [{"command": "MARK_MEDIA", "correlation_id": "m"}]
    codec.audio(b"\x03" * 160)
    codec.flush()
    assert len(codec.mark("m")) == 1  # what was held back is flushed too


def test_what_is_refused() -> None:
    new = AsteriskWebSocketCodec
    refused(
        new(), json_start(format="opus"), r"format is 'opus'; allowed are 'ulaw', .*c\(slin16\)"
    )
    refused(new(), json_start(optimal_frame_size=0), "optimal_frame_size must be a whole number")
    refused(new(), json_start(optimal_frame_size=65_501), "from 1 to 65500")
    refused(
        new(),
        json_start(format="slin", optimal_frame_size=321),
        "optimal_frame_size must hold whole samples of 2 bytes, but is 321",
    )
    refused(new(), json_start(connection_id=None), "connection_id is missing")
    refused(new(), "MEDIA_START format:ulaw", "channel is missing")
    refused(new(), b"\xff", "Audio is not expected here: it came before 'MEDIA_START'")
    refused(new(), "MEDIA_XOFF", "it came before 'MEDIA_START'")
    refused(new(), "  ", "event must have 1 to 256 characters")
    refused(begun(), TEXT_START, "A second 'MEDIA_START'")
    refused(begun(), "DTMF_END", "digit must be a string, but is null")
    refused(begun(json_start(format="slin")), b"\x00", "needs an even number")
