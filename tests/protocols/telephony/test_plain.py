"""Our own dialect, as its docstring has it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.protocols.telephony.kit import refused, sent, text
from voicepipe.audio.formats import PCM_8K, PCM_16K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.ledger.records import TurnRecord
from voicepipe.protocols.telephony.carriers.pcm import PCM, PlainCodec
from voicepipe.protocols.telephony.contract import (
    Abilities,
    CallAudio,
    CallEnded,
    CallStarted,
    DtmfPressed,
    MarkReached,
)
from voicepipe.session import events as ev

DEFAULT = CallStarted("c", "c", PCM_16K, PCM_16K)


def test_audio_alone_begins_a_call() -> None:
    codec = PlainCodec("c")
    assert list(codec.receive(b"ab")) == [DEFAULT, CallAudio(b"ab")]
    assert list(codec.receive(b"cd")) == [CallAudio(b"cd")]
    assert codec.abilities == Abilities(paces=True, flushes=True, marks=False)
    refused(codec, '{"type":"start"}', "'start' is not expected here: the call has begun")


def test_so_does_any_message() -> None:
    assert list(PlainCodec("c").receive('{"type":"dtmf","digit":"5"}')) == [
        DEFAULT,
        DtmfPressed("5"),
    ]
    assert list(PlainCodec("c").receive('{"type":"hello"}')) == [DEFAULT]
    assert list(PlainCodec("c").receive('{"type":"start"}')) == [DEFAULT]


def test_a_whole_start() -> None:
    start = text(
        type="start",
        call_id="id",
        stream_id="st",
        caller="1",
        called="2",
        input={"encoding": "pcmu", "rate": 8000},
        output={"encoding": "pcm16", "rate": 24000},
        parameters={"a": "b"},
        marks=True,
    )
    codec = PlainCodec("c")
    out = AudioFormat("pcm16", 24_000)
    assert list(codec.receive(start)) == [
        CallStarted("id", "st", PCMU_8K, out, "1", "2", {"a": "b"})
    ]
    assert codec.abilities == Abilities(paces=True, flushes=True, marks=True)
    assert list(codec.receive('{"type":"mark","name":"m"}')) == [MarkReached("m")]
    assert list(codec.receive('{"type":"stop"}')) == [CallEnded("stop")]
    assert list(codec.receive(b"ab")) == []


@pytest.mark.parametrize(
    ("described", "fmt"),
    [
        ({}, PCM_16K),
        ({"rate": 8000}, PCM_8K),
        ({"encoding": "pcm16"}, PCM_16K),
        ({"encoding": "s16le"}, PCM_16K),
        ({"encoding": "PCM16"}, PCM_16K),
        ({"encoding": "pcmu"}, PCMU_8K),
        ({"encoding": "pcma", "rate": "8000"}, PCMA_8K),
        ({"encoding": "s16le", "rate": 44100}, AudioFormat("pcm16", 44_100)),
    ],
)
def test_formats(described: dict[str, Any], fmt: AudioFormat) -> None:
    (event,) = PlainCodec().receive(text(type="start", input=described, output=described))
    assert isinstance(event, CallStarted)
    assert (event.input_format, event.output_format) == (fmt, fmt)


def test_null_is_absent() -> None:
    """Some writers of JSON write it for what they leave out."""
    wire = {"encoding": "pcm16", "rate": None, "channels": None}
    start = text(type="start", caller=None, input=wire, output=None, buffers=None, marks=None)
    codec = PlainCodec("c")
    assert list(codec.receive(start)) == [DEFAULT]
    assert codec.abilities == Abilities(paces=True, flushes=True, marks=False)


def test_what_is_sent() -> None:
    codec = PlainCodec()
    codec.receive('{"type":"start","marks":true}')
    assert list(codec.audio(b"ab")) == [b"ab"]
    assert [len(frame) for frame in codec.audio(bytes(70_000))] == [65_536, 4_464]
    assert sent(codec.mark("m")) == [{"type": "mark", "name": "m"}]
    assert sent(codec.flush()) == [{"type": "clear"}]
    assert sent(codec.hang_up()) == [{"type": "hangup"}]


def test_a_bridge_that_does_not_buffer_gets_neither_clears_nor_marks() -> None:
    codec = PlainCodec()
    codec.receive('{"type":"start","marks":true,"buffers":false}')
    assert codec.abilities == Abilities(paces=False, flushes=False, marks=False)
    assert codec.mark("m") == codec.flush() == ()


def test_the_bridge_is_told_of_a_turn_when_it_is_over_and_once() -> None:
    """A program beside the call may have asked for turns at their first sound, too."""
    turn = TurnRecord("turn_1", "sess_1", "speech", "interrupted", {}, None, {}, {})
    assert PCM.event(ev.TurnMeasured(replace(turn, end="completed"), provisional=True)) is None
    told = PCM.event(ev.TurnMeasured(turn))
    assert isinstance(told, str)
    assert json.loads(told)["turn"]["end"] == "interrupted"


def test_the_bridge_is_told_of_speech_that_is_dropped() -> None:
    assert json.loads(PCM.event(ev.AudioCleared()) or "") == {"type": "speech_cleared"}


def test_what_is_refused() -> None:
    codec = PlainCodec()
    for start, match in (
        ({"input": {"encoding": "g722"}}, r"input\.encoding is 'g722'"),
        ({"output": {"rate": 96000}}, r"output\.rate is 96000; allowed for pcm16 are 8000, 12000"),
        ({"input": {"channels": 2}}, r"input\.channels must be 1 \(mono\)"),
        ({"input": "pcm16"}, "input must be an object"),
        ({"marks": 1}, "marks must be true or false"),
        ({"caller": "1" * 257}, "caller must have 1 to 256 characters"),
    ):
        refused(codec, text(type="start", **start), match)
    codec = PlainCodec()
    refused(codec, b"a", "message holds 1 bytes, but 16-bit PCM needs an even number")
    refused(codec, bytes(65_538), "message has 65538 bytes, more than the limit of 65536")
    assert list(codec.receive(b"ab")) == [CallStarted("", "", PCM_16K, PCM_16K), CallAudio(b"ab")]


def test_audio_behind_a_start_that_was_refused_is_not_taken_for_another() -> None:
    """It is at the rate that the bridge has named, whatever that was."""
    codec = PlainCodec()
    refused(codec, text(type="start", input={"rate": 22_050}), r"input\.rate is 22050")
    why = "is not expected here: the 'start' before it was refused"
    refused(codec, b"ab", why)
    refused(codec, '{"type":"dtmf","digit":"5"}', why)
    (event,) = codec.receive(text(type="start", input={"rate": 24_000}))
    assert isinstance(event, CallStarted)
    assert list(codec.receive(b"ab")) == [CallAudio(b"ab")]
