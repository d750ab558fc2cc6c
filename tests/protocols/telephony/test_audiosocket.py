"""AudioSocket: a stream of bytes in pieces of any size."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocols.telephony.kit import refused
from voicepipe.audio.formats import PCM_8K, PCM_16K, AudioFormat
from voicepipe.protocols.telephony.carriers.audiosocket import AudioSocketCodec
from voicepipe.protocols.telephony.contract import (
    Abilities,
    CallAudio,
    CallEnded,
    CallEvent,
    CallStarted,
    DtmfPressed,
)

CALL = uuid.UUID("40325ec2-5efd-4bd3-805f-53576e581d13")
HELLO = b"\x01\x00\x10" + CALL.bytes
AUDIO = b"\x10\x01\x40" + b"\x01\x02" * 160
STARTED = CallStarted(str(CALL), str(CALL), PCM_8K, PCM_8K)
HEARD = CallAudio(b"\x01\x02" * 160)


def begun() -> AudioSocketCodec:
    codec = AudioSocketCodec()
    codec.receive(HELLO + AUDIO)
    return codec


def test_a_call_from_uuid_to_hangup() -> None:
    codec = AudioSocketCodec()
    assert list(codec.receive(HELLO)) == []
    assert list(codec.receive(AUDIO)) == [STARTED, HEARD]
    assert list(codec.receive(AUDIO + b"\x03\x00\x01#")) == [HEARD, DtmfPressed("#")]
    assert list(codec.receive(b"\x77\x00\x02??")) == []  # a type of later days
    assert list(codec.receive(b"\x00\x00\x00" + AUDIO)) == [CallEnded("hangup")]
    assert list(codec.receive(AUDIO)) == []


@given(st.lists(st.integers(1, 400)))
def test_the_stream_may_be_cut_anywhere(sizes: list[int]) -> None:
    stream = HELLO + AUDIO + b"\x03\x00\x015" + AUDIO + b"\x00\x00\x00"
    codec = AudioSocketCodec()
    events: list[CallEvent] = []
    for size in sizes:
        events += codec.receive(stream[:size])
        stream = stream[size:]
    events += codec.receive(stream)
    assert events == [STARTED, HEARD, DtmfPressed("5"), HEARD, CallEnded("hangup")]


@pytest.mark.parametrize(
    ("kind", "rate"),
    list(
        zip(
            range(0x10, 0x19),
            [8000, 12000, 16000, 24000, 32000, 44100, 48000, 96000, 192000],
            strict=True,
        )
    ),
)
def test_the_type_says_the_rate_both_ways(kind: int, rate: int) -> None:
    codec = AudioSocketCodec()
    started, audio = codec.receive(HELLO + bytes((kind, 0, 2)) + b"ab")
    assert isinstance(started, CallStarted)
    assert started.input_format == started.output_format == AudioFormat("pcm16", rate)
    assert audio == CallAudio(b"ab")
    assert list(codec.audio(b"cd")) == [bytes((kind, 0, 2)) + b"cd"]


def test_what_is_sent() -> None:
    codec = begun()
    assert list(codec.audio(b"\x01\x02" * 160)) == [AUDIO]
    pieces = codec.audio(bytes(70_000))
    assert [(frame[:3], len(frame)) for frame in pieces if isinstance(frame, bytes)] == [
        (b"\x10\xff\xfe", 65_537),
        (b"\x10\x11\x72", 4_469),
    ]
    assert codec.mark("m") == codec.flush() == ()
    assert list(codec.hang_up()) == [b"\x00\x00\x00"]
    assert codec.abilities == Abilities(False, False, False, silence_every_s=1.0)


def test_an_error_ends_the_call() -> None:
    assert list(begun().receive(b"\xff\x00\x01\x02")) == [CallEnded("error: AudioSocket code 02")]


@pytest.mark.parametrize(
    ("piece", "match"),
    [
        (HELLO, "A second UUID is not expected here"),
        (b"\x10\x00\x01a", "audio holds 1 bytes, but 16-bit PCM needs an even number"),
        (b"\x12\x00\x02ab", "audio is at 16000 Hz now, but the call began at 8000 Hz"),
        (b"\x03\x00\x02ab", "DTMF payload must have 1 to 1 characters"),
        (b"\x03\x00\x01x", "DTMF payload is 'x'; allowed are"),
    ],
)
def test_a_bad_message_is_dropped_and_the_stream_stays_in_step(piece: bytes, match: str) -> None:
    codec = begun()
    refused(codec, AUDIO + piece + AUDIO[:100], match)
    assert list(codec.receive(AUDIO[100:])) == [HEARD]


def test_where_nothing_comes_the_call_starts_at_8_khz_and_keeps_to_it() -> None:
    codec = AudioSocketCodec()
    assert list(codec.nothing_came()) == []  # not even a UUID
    codec.receive(HELLO)
    assert list(codec.nothing_came()) == [STARTED]
    assert list(codec.nothing_came()) == []
    (heard,) = codec.receive(b"\x12\x02\x80" + bytes(640))  # 20 ms at 16 kHz
    assert heard == CallAudio(bytes(320))
    assert list(codec.audio(b"\x01\x02" * 160)) == [AUDIO]
    refused(codec, AUDIO, "audio is at 8000 Hz now, but the call began at 16000 Hz")


def test_a_key_before_the_first_audio_waits_for_it_and_costs_no_call() -> None:
    """Whoever still holds a key of the menu before: it may come in one piece with the UUID."""
    keys = (DtmfPressed("1"), DtmfPressed("2"))
    codec = AudioSocketCodec()
    assert list(codec.receive(HELLO + b"\x03\x00\x011")) == []
    assert list(codec.receive(b"\x03\x00\x012" + AUDIO)) == [STARTED, *keys, HEARD]
    assert list(codec.receive(AUDIO)) == [HEARD]
    silent = AudioSocketCodec()
    assert list(silent.receive(HELLO + b"\x03\x00\x011" + b"\x03\x00\x012")) == []
    assert list(silent.nothing_came()) == [STARTED, *keys]
    many = AudioSocketCodec()
    many.receive(HELLO + b"\x03\x00\x011" * 10_000)
    assert len(many.receive(AUDIO)) < 100
    spoiled = AudioSocketCodec()
    spoiled.receive(HELLO)
    refused(spoiled, b"\x03\x00\x011" + b"\x10\x00\x01a", "even number")
    assert list(spoiled.receive(AUDIO)) == [STARTED, HEARD]


def test_what_comes_too_early() -> None:
    refused(AudioSocketCodec(), AUDIO, "Audio is not expected here: it came before the call's UUID")
    refused(AudioSocketCodec(), b"\x01\x00\x02ab", "UUID must have 16 bytes, but has 2")
    refused(AudioSocketCodec(), b"\x03\x00\x015" + HELLO, "A key is not expected here")
    refused(AudioSocketCodec(), "text", "an AudioSocket carries bytes")
    codec = AudioSocketCodec()
    refused(codec, HELLO + b"\x10\x00\x01a", "even number")
    codec.receive(HELLO)  # the refused piece left nothing behind
    (started, _) = codec.receive(b"\x12\x00\x02ab")
    assert isinstance(started, CallStarted)
    assert started.input_format == PCM_16K
