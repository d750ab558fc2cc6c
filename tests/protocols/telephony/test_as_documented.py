"""Messages in the shapes that the vendors' documents print: `tests/data/carriers/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from voicepipe.audio.formats import PCM_16K, PCMU_8K
from voicepipe.protocols.telephony.carriers import CARRIERS
from voicepipe.protocols.telephony.contract import (
    CallAudio,
    CallCodec,
    CallEnded,
    CallEvent,
    CallStarted,
    DtmfPressed,
    MarkReached,
    QueueFree,
    QueueFull,
)

DATA = Path(__file__).parents[2] / "data" / "carriers"
CODECS = {carrier.name: carrier.codec for carrier in CARRIERS}
FRAME = bytes([0xFF, 0x7F] * 80)


def read(file: str) -> list[CallEvent]:
    codec: CallCodec = CODECS[file.partition(".")[0]]()
    lines = (DATA / file).read_text().splitlines()
    return [event for line in lines for event in codec.receive(line)]


def test_twilio() -> None:
    started, *others = read("twilio.jsonl")
    assert started == CallStarted(
        "CA0123456789abcdef0123456789abcdef",
        "MZ0123456789abcdef0123456789abcdef",
        PCMU_8K,
        PCMU_8K,
        parameters={"caller": "+15550100", "Room": "12 b"},
    )
    assert others == [
        *[CallAudio(FRAME)] * 2,
        DtmfPressed("1"),
        MarkReached("m1"),
        CallEnded("stop"),
    ]


def test_signalwire() -> None:
    started, *others = read("signalwire.jsonl")
    assert isinstance(started, CallStarted)
    assert started.input_format == started.output_format == PCM_16K
    assert others == [CallAudio(bytes(320)), CallEnded("stop")]


def test_telnyx() -> None:
    started, *others = read("telnyx.jsonl")
    assert started == CallStarted(
        "v3:Example_call-Control1id",
        "0A1B2C3D-1111-4222-8333-444455556666",
        PCMU_8K,
        PCMU_8K,
        "+15550100",
        "+15550101",
        {"customer_id": "c 1"},
    )
    assert others == [
        *[CallAudio(FRAME)] * 2,
        DtmfPressed("1"),
        MarkReached("m1"),
        CallEnded("stop"),
    ]


def test_plivo() -> None:
    started, *others = read("plivo.jsonl")
    assert started == CallStarted(
        "12345678-0000-4000-8000-123456789abc",
        "87654321-0000-4000-8000-cba987654321",
        PCMU_8K,
        PCMU_8K,
        parameters={"userId": "12", "sessionId": "a-b"},
    )
    assert others == [CallAudio(FRAME), DtmfPressed("5"), MarkReached("m1")]


def test_vonage() -> None:
    started, *others = read("vonage.jsonl")
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.caller) == ("c-1", "15550100")
    assert started.parameters["attempt"] == "2"
    assert started.input_format == PCM_16K
    assert others == [DtmfPressed("5"), MarkReached("m1")]


@pytest.mark.parametrize("file", ["asterisk.jsonl", "asterisk.txt"])
def test_asterisk(file: str) -> None:
    started, *others = read(file)
    assert isinstance(started, CallStarted)
    assert started.stream_id == "voicepipe"
    assert started.input_format == started.output_format == PCMU_8K
    marks = [MarkReached("m1")] if file.endswith("l") else []  # text has none
    assert others == [DtmfPressed("7"), QueueFull(), QueueFree(), *marks]


def test_every_file_is_read() -> None:
    files = {path.stem for path in DATA.iterdir() if path.suffix != ".md"}
    assert files == {carrier.name for carrier in CARRIERS} - {"pcm"}  # that one is ours
