"""SignalWire: Twilio's messages in the codec that `start` names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocols.telephony.kit import b64, refused, sent
from tests.protocols.telephony.test_twilio import media, start
from voicepipe.audio.formats import PCM_8K, PCM_16K, PCM_24K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.protocols.telephony.carriers.signalwire import SignalWireCodec
from voicepipe.protocols.telephony.contract import CallAudio, CallStarted


def described(encoding: str, rate: Any = None, channels: Any = 1) -> str:
    return start(mediaFormat={"encoding": encoding, "sampleRate": rate, "channels": channels})


@pytest.mark.parametrize(
    ("encoding", "rate", "fmt"),
    [
        ("audio/x-mulaw", 8000, PCMU_8K),
        ("PCMU", None, PCMU_8K),
        ("PCMA", "8000", PCMA_8K),
        ("PCMA@8000h", None, PCMA_8K),
        ("L16", None, PCM_8K),
        ("L16", 16000, PCM_16K),
        ("L16@16000h@40i", None, PCM_16K),
        ("L16@24000h", None, PCM_24K),
        ("audio/L16;rate=24000", None, PCM_24K),
    ],
)
def test_the_format_is_read_from_start(encoding: str, rate: Any, fmt: AudioFormat) -> None:
    (event,) = SignalWireCodec().receive(described(encoding, rate))
    assert isinstance(event, CallStarted)
    assert (event.input_format, event.output_format) == (fmt, fmt)


@pytest.mark.parametrize("encoding", ["G722", "audio/G722", "OPUS", "L16x"])
def test_other_codecs_are_refused_with_a_way_out(encoding: str) -> None:
    match = (
        rf"start\.mediaFormat\.encoding is '{encoding}'; allowed are .*'alaw'.*'l16'.*'pcmu'.*"
        "Choose one of them in the carrier's stream settings"
    )
    refused(SignalWireCodec(), described(encoding), match)


def test_other_rates_and_stereo_are_refused() -> None:
    refused(SignalWireCodec(), described("L16@48000h"), "sampleRate is 48000; allowed for l16 are")
    refused(SignalWireCodec(), described("L16@xh"), "sampleRate must be a whole number")
    refused(SignalWireCodec(), described("L16", 16000, "2"), "channels must be 1")


def test_l16_is_little_endian_both_ways() -> None:
    codec = SignalWireCodec()
    codec.receive(described("L16@24000h"))
    assert list(codec.receive(media(1, b"\x01\x00\x02\x00"))) == [CallAudio(b"\x01\x00\x02\x00")]
    refused(codec, media(2, b"\x01"), r"media\.payload holds 1 bytes, but 16-bit PCM needs an even")
    (message,) = sent(codec.audio(b"\x01\x00"))
    assert message["media"]["payload"] == b64(b"\x01\x00")
