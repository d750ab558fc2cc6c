"""Whatever a carrier sends: events or a ProtocolError, never anything else; and audio comes through
as it went in."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.random_cases import cases
from voicepipe.audio.formats import PCM_16K, PCMU_8K, AudioFormat
from voicepipe.lab.carriers.asterisk_websocket import EmulatedAsterisk
from voicepipe.lab.carriers.audiosocket import EmulatedAudioSocket
from voicepipe.lab.carriers.dialect import Dialect, Play, Problem
from voicepipe.lab.carriers.plain import EmulatedBridge
from voicepipe.lab.carriers.plivo import EmulatedPlivo
from voicepipe.lab.carriers.telnyx import EmulatedTelnyx
from voicepipe.lab.carriers.twilio import EmulatedSignalWire, EmulatedTwilio
from voicepipe.lab.carriers.vonage import EmulatedVonage
from voicepipe.protocols.telephony.carriers.asterisk import AsteriskWebSocketCodec
from voicepipe.protocols.telephony.carriers.audiosocket import AudioSocketCodec
from voicepipe.protocols.telephony.carriers.pcm import PlainCodec
from voicepipe.protocols.telephony.carriers.plivo import PlivoCodec
from voicepipe.protocols.telephony.carriers.signalwire import SignalWireCodec
from voicepipe.protocols.telephony.carriers.telnyx import TelnyxCodec
from voicepipe.protocols.telephony.carriers.twilio import TwilioCodec
from voicepipe.protocols.telephony.carriers.vonage import VonageCodec
from voicepipe.protocols.telephony.contract import CallAudio, CallCodec, CallStarted, Frame
from voicepipe.runtime.errors import ProtocolError

QUICK = settings(
    max_examples=cases(40), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
L16 = AudioFormat("pcm16", 24_000)

PAIRS: list[tuple[Callable[[], CallCodec], Callable[[], Dialect]]] = [
    (TwilioCodec, EmulatedTwilio),
    (SignalWireCodec, EmulatedSignalWire),
    (SignalWireCodec, lambda: EmulatedSignalWire(fmt=L16)),
    (TelnyxCodec, EmulatedTelnyx),
    (
        lambda: TelnyxCodec(PCM_16K),
        lambda: EmulatedTelnyx(uplink=L16, downlink=PCM_16K),
    ),
    (PlivoCodec, EmulatedPlivo),
    (PlivoCodec, lambda: EmulatedPlivo(fmt=PCM_16K)),
    (VonageCodec, EmulatedVonage),
    (AsteriskWebSocketCodec, EmulatedAsterisk),
    (AsteriskWebSocketCodec, lambda: EmulatedAsterisk(fmt=PCM_16K, json_control=False)),
    (AudioSocketCodec, EmulatedAudioSocket),
    (PlainCodec, EmulatedBridge),
    (PlainCodec, lambda: EmulatedBridge(uplink=PCMU_8K, downlink=L16)),
]
IDS = [f"{number}-{dialect().name}" for number, (_, dialect) in enumerate(PAIRS)]

WORDS = st.sampled_from(
    "connected start media dtmf mark stop error clear playedStream clearedAudio MEDIA_START "
    "DTMF_END MEDIA_XOFF MEDIA_XON MEDIA_MARK_PROCESSED websocket:connected websocket:dtmf "
    "websocket:notify audio/x-mulaw audio/l16;rate=16000 L16@24000h PCMU ulaw slin pcm16 inbound "
    "AAAA /w== MZ1 s 1 5 #".split()
)
KEYS = st.sampled_from(
    "event type start media dtmf mark stop payload streamSid stream_id streamId sequenceNumber "
    "sequence_number callSid callId call_control_id connection_id channel channel_id format "
    "mediaFormat media_format encoding sampleRate sample_rate rate channels customParameters "
    "custom_parameters extra_headers track chunk timestamp digit name content-type caller call_id "
    "optimal_frame_size correlation_id channel_variables input output parameters marks".split()
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 70_000)
    | st.integers()
    | st.floats()
    | WORDS
    | st.text(max_size=8)
)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5)
)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=8)
LINES = st.lists(WORDS | st.text(alphabet="abcdgit:5 ", max_size=8), max_size=5).map(" ".join)
EVENTS = st.builds(lambda kind, rest: {**rest, "event": kind, "type": kind}, WORDS, OBJECTS)
FRAMES = (
    OBJECTS.map(json.dumps)
    | EVENTS.map(json.dumps)
    | st.binary(max_size=50)
    | st.text()
    | LINES
    | st.text(alphabet='{}[]":,tyupe\\d8fnul01.-e ')
)


@pytest.mark.parametrize(("make", "dialect"), PAIRS, ids=IDS)
@QUICK
@given(data=st.data())
def test_any_frame_is_events_or_a_protocol_error(
    make: Callable[[], CallCodec], dialect: Callable[[], Dialect], data: st.DataObject
) -> None:
    codec = make()
    if data.draw(st.booleans()):
        for frame in dialect().opening():
            codec.receive(frame)
    for frame in data.draw(st.lists(FRAMES, max_size=6)):
        with suppress(ProtocolError):
            codec.receive(frame)


@pytest.mark.parametrize(("make", "dialect"), PAIRS, ids=IDS)
@QUICK
@given(field=KEYS, value=JSON)
def test_one_wrong_field_of_a_start_is_no_worse(
    make: Callable[[], CallCodec], dialect: Callable[[], Dialect], field: str, value: Any
) -> None:
    codec = make()
    for frame in dialect().opening():
        is_json = isinstance(frame, str) and frame.startswith("{")
        with suppress(ProtocolError):
            codec.receive(json.dumps(_with(json.loads(frame), field, value)) if is_json else frame)


@pytest.mark.parametrize("dialect", [dialect for _, dialect in PAIRS], ids=IDS)
@QUICK
@given(frames=st.lists(FRAMES | st.sampled_from([bytes(65_501), "x" * 65_537]), max_size=5))
def test_the_emulated_carrier_bears_anything_too(
    dialect: Callable[[], Dialect], frames: list[Frame]
) -> None:
    carrier = dialect()
    for frame in frames:
        if carrier.name == "audiosocket" and isinstance(frame, str):
            continue  # a TCP stream has no text
        carrier.receive(frame)


@pytest.mark.parametrize(("make", "dialect"), PAIRS, ids=IDS)
@QUICK
@given(pieces=st.lists(st.binary(min_size=1, max_size=30), min_size=1, max_size=8))
def test_audio_comes_through_both_ways(
    make: Callable[[], CallCodec], dialect: Callable[[], Dialect], pieces: list[bytes]
) -> None:
    codec, carrier = make(), dialect()
    events = [event for frame in carrier.opening() for event in codec.receive(frame)]
    up = [_frame(piece, carrier.uplink) for piece in pieces]
    events += [event for data in up for event in codec.receive(carrier.media(data))]
    (started,) = (event for event in events if isinstance(event, CallStarted))
    assert (started.input_format, started.output_format) == (carrier.uplink, carrier.downlink)
    assert [e for e in events if isinstance(e, CallAudio)] == [CallAudio(data) for data in up]

    down = b"".join(_frame(piece, carrier.downlink) for piece in pieces)
    orders = [order for frame in codec.audio(down) for order in carrier.receive(frame)]
    assert not [order for order in orders if isinstance(order, Problem)]
    assert b"".join(order.data for order in orders if isinstance(order, Play)) == down


def _with(message: Any, field: str, value: Any) -> Any:
    """The field set wherever it is, else at the top."""
    if not isinstance(message, dict):
        return message
    changed = {k: value if k == field else _with(v, field, value) for k, v in message.items()}
    return changed


def _frame(piece: bytes, fmt: AudioFormat) -> bytes:
    """20 ms made of `piece` again and again."""
    size = round(20 * fmt.bytes_per_ms)
    return (piece * size)[:size]
