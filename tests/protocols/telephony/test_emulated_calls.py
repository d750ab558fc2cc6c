"""Emulated calls over real connections, against a server that answers with the codecs."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import numpy as np
import pytest
from websockets.asyncio.server import serve

from tests.protocols.telephony.echo_server import (
    Answer,
    Echo,
    EchoServer,
    echo,
    echo_server,
    echo_tcp_server,
    mute,
)
from tests.protocols.telephony.kit import refused
from tests.protocols.telephony.test_properties import IDS, PAIRS
from voicepipe.audio.formats import PCM_16K
from voicepipe.audio.pcm import Int16
from voicepipe.lab.carriers.asterisk_websocket import EmulatedAsterisk
from voicepipe.lab.carriers.audiosocket import EmulatedAudioSocket
from voicepipe.lab.carriers.call import EmulatedCall, ring
from voicepipe.lab.carriers.carriers import CARRIERS, carrier
from voicepipe.lab.carriers.connection import CallRefused
from voicepipe.lab.carriers.dialect import CallDetails, Dialect
from voicepipe.lab.carriers.fault_injection import Mischief
from voicepipe.lab.carriers.plain import EmulatedBridge
from voicepipe.lab.carriers.plivo import EmulatedPlivo
from voicepipe.lab.carriers.telnyx import EmulatedTelnyx
from voicepipe.lab.carriers.twilio import EmulatedTwilio
from voicepipe.lab.carriers.vonage import EmulatedVonage
from voicepipe.protocols.telephony.carriers.asterisk import AsteriskWebSocketCodec
from voicepipe.protocols.telephony.carriers.audiosocket import AudioSocketCodec
from voicepipe.protocols.telephony.carriers.pcm import PlainCodec
from voicepipe.protocols.telephony.carriers.plivo import PlivoCodec
from voicepipe.protocols.telephony.carriers.telnyx import TelnyxCodec
from voicepipe.protocols.telephony.carriers.twilio import TwilioCodec
from voicepipe.protocols.telephony.carriers.vonage import VonageCodec
from voicepipe.protocols.telephony.contract import (
    CallAudio,
    CallCodec,
    CallEnded,
    CallEvent,
    CallStarted,
    DtmfPressed,
    Frame,
    MarkReached,
    QueueFree,
    QueueFull,
)
from voicepipe.runtime.errors import ConfigError

PATIENCE_S = 20.0
"""Deadline of whatever a busy machine should do in far less."""


def tone(ms: int, hz: int = 440) -> Int16:
    t = np.arange(16 * ms) / 16_000
    return (8000 * np.sin(2 * np.pi * hz * t)).astype(np.int16)


def server_for(
    dialect: Dialect, make: Callable[[], CallCodec], answer: Answer = echo
) -> AbstractAsyncContextManager[EchoServer]:
    tcp = dialect.name == "audiosocket"
    return echo_tcp_server(make, answer) if tcp else echo_server(make, answer)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(("make", "emulated"), PAIRS, ids=IDS)
async def test_a_whole_call(make: Callable[[], CallCodec], emulated: Callable[[], Dialect]) -> None:
    dialect = emulated()
    async with server_for(dialect, make) as server:
        async with ring(dialect, server.url) as call:
            began = call.clock.now()
            said = await call.say(tone(400))
            await call.press("1#")
            quiet = await call.silence(await call.sound(began, PATIENCE_S), 600, PATIENCE_S)
            heard = call.heard
        (seen,) = server.calls
        await asyncio.wait_for(seen.closed.wait(), PATIENCE_S)
    assert (call.problems, seen.errors) == ([], [])
    (started,) = seen.of(CallStarted)
    assert dialect.details.call_id.replace("-", "") in started.call_id.replace("-", "")
    assert [event.digit for event in seen.of(DtmfPressed)] == ["1", "#"]
    if dialect.name in ("vonage", "asterisk"):  # they just close
        assert not seen.of(CallEnded)
    else:
        assert isinstance(seen.events[-1], CallEnded)
    assert said - began > 0.35
    assert quiet > began + 0.3
    volume = np.abs(heard.samples.astype(np.int32))
    assert 7000 < volume.max() < 9000
    assert 0.3 < np.count_nonzero(volume > 500) / heard.rate < 0.42
    assert all(event.lost_ms == 0 for event in seen.of(CallAudio))


def on_keys(call: Echo, event: CallEvent) -> Sequence[Frame]:
    """1: two seconds of sound, a mark at each; 2: flush; 3: hang up."""
    if not isinstance(event, DtmfPressed):
        return ()
    codec = call.codec
    if event.digit == "1":
        (started,) = call.of(CallStarted)
        fmt = started.output_format
        second = (b"\x10" if fmt.encoding != "pcm16" else b"\x00\x10") * fmt.rate
        return [*codec.audio(second), *codec.mark("one"), *codec.audio(second), *codec.mark("two")]
    return codec.flush() if event.digit == "2" else codec.hang_up()


MARKED: list[tuple[Callable[[], CallCodec], Callable[[], Dialect], bool]] = [
    (TwilioCodec, EmulatedTwilio, True),
    (TelnyxCodec, EmulatedTelnyx, True),
    (PlivoCodec, EmulatedPlivo, False),
    (VonageCodec, EmulatedVonage, False),
    (AsteriskWebSocketCodec, EmulatedAsterisk, False),
    (PlainCodec, EmulatedBridge, True),
]


@pytest.mark.parametrize(("make", "emulated", "returned"), MARKED)
async def test_marks_come_when_they_are_played_and_a_clear_is_silence(
    make: Callable[[], CallCodec], emulated: Callable[[], Dialect], returned: bool
) -> None:
    dialect = emulated()
    async with server_for(dialect, make, on_keys) as server, ring(dialect, server.url) as call:
        pressed = call.clock.now()
        await call.press("1")
        sounded = await call.sound(pressed, PATIENCE_S)
        (seen,) = server.calls
        await until(lambda: bool(seen.of(MarkReached)))
        assert call.clock.now() - sounded >= 0.98
        assert [mark.name for mark in seen.of(MarkReached)] == ["one"]
        cleared = call.clock.now()
        await call.press("2")
        quiet = await call.silence(cleared, 300, PATIENCE_S)
        heard = call.heard
        await call.press("5")  # the server has read all that came before
        await until(lambda: DtmfPressed("5") in seen.events)
        assert [mark.name for mark in seen.of(MarkReached)][1:] == (["two"] if returned else [])
    assert 1500 < call.longest_queue_ms <= 2000  # some may have been played before all was there
    (clear,) = (entry for entry in heard.time_line if entry.what == "clear")
    assert quiet <= clear.at + 0.021  # the frame that was on the line
    assert call.problems == []


async def test_what_is_sent_ahead_on_an_audiosocket_is_heard() -> None:
    dialect = EmulatedAudioSocket(fmt=PCM_16K)
    async with server_for(dialect, AudioSocketCodec, on_keys) as server:
        async with ring(dialect, server.url) as call:
            await until(lambda: bool(server.calls and server.calls[0].of(CallStarted)))
            began = call.clock.now()
            await call.press("12")
            sounded = await call.sound(began, PATIENCE_S)
            quiet = await call.silence(sounded, 200, PATIENCE_S)
            assert quiet - sounded == pytest.approx(2.0, abs=0.05)
            await call.press("3")
            await asyncio.wait_for(call.ended.wait(), PATIENCE_S)


@pytest.mark.parametrize(
    ("make", "emulated"),
    [(AsteriskWebSocketCodec, EmulatedAsterisk), (PlainCodec, EmulatedBridge)],
)
async def test_the_server_hangs_up_in_the_dialects_words(
    make: Callable[[], CallCodec], emulated: Callable[[], Dialect]
) -> None:
    dialect = emulated()
    async with server_for(dialect, make, on_keys) as server, ring(dialect, server.url) as call:
        began = call.clock.now()
        await call.press("3")
        await asyncio.wait_for(call.ended.wait(), PATIENCE_S)
        with pytest.raises(TimeoutError, match=r"the call ended \(1000\); nothing was heard"):
            await call.sound(call.clock.now(), PATIENCE_S)
        await call.say(tone(10_000))  # returns: nobody is there
        assert await call.silence(began, 10_000, PATIENCE_S) == began
        end = call.heard.until
        await asyncio.sleep(0.05)
        assert call.heard.until == end  # the line is dead: nothing plays any more


@pytest.mark.parametrize(("make", "emulated"), [PAIRS[0], PAIRS[10]], ids=["ws", "tcp"])
async def test_a_lost_line_says_no_goodbye(
    make: Callable[[], CallCodec], emulated: Callable[[], Dialect]
) -> None:
    dialect = emulated()
    async with server_for(dialect, make, mute) as server, ring(dialect, server.url) as call:
        await until(lambda: bool(server.calls and server.calls[0].of(CallStarted)))
        call.lose()
        (seen,) = server.calls
        await asyncio.wait_for(seen.closed.wait(), PATIENCE_S)
        await asyncio.wait_for(call.ended.wait(), PATIENCE_S)
        assert not seen.of(CallEnded)
        assert [entry.what for entry in call.heard.time_line][-2:] == ["lost", "closed"]


async def listen(dialect: Dialect, make: Callable[[], CallCodec], mischief: Mischief) -> Echo:
    """What the server made of about a second of speech."""
    async with server_for(dialect, make, mute) as server:
        async with ring(dialect, server.url, mischief=mischief) as call:
            await call.say(tone(1000))
        (seen,) = server.calls
        await asyncio.wait_for(seen.closed.wait(), PATIENCE_S)
        return seen


async def test_missing_chunks_are_told_as_lost() -> None:
    seen = await listen(EmulatedTwilio(), TwilioCodec, Mischief(drop_every=10))
    lost = [event.lost_ms for event in seen.of(CallAudio)]
    assert set(lost) == {0.0, 20.0}
    assert sum(lost) >= 80
    assert seen.errors == []


async def test_swapped_chunks_are_put_in_order_where_the_dialect_needs_it() -> None:
    straight, swapped = EmulatedTelnyx(), EmulatedTelnyx()
    plain = await listen(straight, TelnyxCodec, Mischief())
    mixed = await listen(swapped, TelnyxCodec, Mischief(swap_every=4))
    for seen in (plain, mixed):
        assert all(event.lost_ms == 0 for event in seen.of(CallAudio))
    pairs = itertools.islice(zip(plain.of(CallAudio), mixed.of(CallAudio), strict=False), 50)
    assert all(a.data == b.data for a, b in pairs)
    seen = await listen(EmulatedTwilio(), TwilioCodec, Mischief(swap_every=10))
    assert sum(event.lost_ms for event in seen.of(CallAudio)) >= 80  # TCP keeps order: it is a loss


@pytest.mark.parametrize(("make", "emulated"), PAIRS, ids=IDS)
async def test_malformed_and_oversized_messages_are_refused_and_the_call_goes_on(
    make: Callable[[], CallCodec], emulated: Callable[[], Dialect]
) -> None:
    dialect = emulated()
    mischief = Mischief(malformed_every=10, oversized_every=12)
    seen = await listen(dialect, make, mischief)
    (started,) = seen.of(CallStarted)
    heard = sum(len(event.data) for event in seen.of(CallAudio))  # frames that come at once are one
    assert heard / started.input_format.bytes_per_ms >= 900
    assert len([error for error in seen.errors if "limit of 65536" not in error]) >= 4
    if dialect.name != "audiosocket":  # which cannot say more than 65,535
        assert len([error for error in seen.errors if "limit of 65536" in error]) >= 4


async def test_a_wrong_codec_is_refused() -> None:
    emulated: list[tuple[Callable[[], CallCodec], Dialect]] = [
        (TwilioCodec, EmulatedTwilio(encoding="audio/x-opus")),
        (TelnyxCodec, EmulatedTelnyx(encoding="G722")),
        (PlivoCodec, EmulatedPlivo(encoding="audio/x-opus")),
        (VonageCodec, EmulatedVonage(encoding="audio/l16;rate=11025")),
        (AsteriskWebSocketCodec, EmulatedAsterisk(encoding="opus")),
        (PlainCodec, EmulatedBridge(encoding="opus")),
    ]
    for make, dialect in emulated:
        codec, (*before, start) = make(), dialect.opening()
        for frame in before:
            codec.receive(frame)
        refused(codec, start, r"allowed (is|are)")


async def test_asterisk_says_when_its_queue_is_full() -> None:
    def answer(call: Echo, event: CallEvent) -> Sequence[Frame]:
        if not isinstance(event, DtmfPressed):
            return ()
        if event.digit == "1":
            return call.codec.audio(b"\x10" * 8000 * 19)
        return call.codec.flush()

    dialect = EmulatedAsterisk()
    async with server_for(dialect, AsteriskWebSocketCodec, answer) as server:
        async with ring(dialect, server.url) as call:
            await call.press("1")
            await until(lambda: bool(server.calls and server.calls[0].of(QueueFull)))
            await call.press("2")
            await until(lambda: bool(server.calls[0].of(QueueFree)))
            assert call.problems == []
            await call.press("1")
            await until(lambda: len(server.calls[0].of(QueueFull)) == 2)
            await call.press("1")
            await until(lambda: len(call.problems) >= 2)
            full, late = call.problems[:2]
            assert full.startswith("the queue is full: ")
            assert late == "audio came after MEDIA_XOFF"


async def test_parameters_and_numbers_travel_along() -> None:
    details = CallDetails(caller="+1", called="+2", parameters={"name": "Ada", "n": "1"})
    for name, make in (
        ("twilio", TwilioCodec),
        ("telnyx", TelnyxCodec),
        ("plivo", PlivoCodec),
        ("vonage", VonageCodec),
        ("asterisk", AsteriskWebSocketCodec),
        ("plain", PlainCodec),
    ):
        dialect, codec = carrier(name, details), make()
        *_, started = (event for frame in dialect.opening() for event in codec.receive(frame))
        assert isinstance(started, CallStarted)
        assert started.parameters.items() >= {"name": "Ada", "n": "1"}.items()
        if name in ("telnyx", "vonage", "plain"):
            assert (started.caller, started.called) == ("+1", "+2")


def test_carriers_by_name() -> None:
    assert {name: carrier(name).name for name in CARRIERS} == {name: name for name in CARRIERS}
    with pytest.raises(ConfigError, match="no carrier is called 'att'; known are twilio, "):
        carrier("att")


async def test_a_call_that_is_not_taken() -> None:
    async def nothing(_: object) -> None: ...

    def refuse(connection: object, request: object) -> object:
        return connection.respond(403, "no signature\n")  # type: ignore[attr-defined]

    async with serve(nothing, "127.0.0.1", 0, process_request=refuse) as server:  # type: ignore[arg-type]
        port = next(iter(server.sockets)).getsockname()[1]
        with pytest.raises(CallRefused, match="refused with status 403: no signature") as caught:
            async with ring(EmulatedTwilio(), f"ws://127.0.0.1:{port}/"):
                pass
        assert caught.value.status == 403
    for url in (f"ws://127.0.0.1:{port}/", f"tcp://127.0.0.1:{port}", "tcp://nowhere", "nonsense"):
        with pytest.raises(CallRefused, match=re.escape(url)):
            async with ring(EmulatedTwilio(), url):
                pass


async def test_an_error_inside_the_block_drops_the_line() -> None:
    call: EmulatedCall | None = None
    async with echo_server(TwilioCodec, mute) as server:
        with pytest.raises(ZeroDivisionError):
            async with ring(EmulatedTwilio(), server.url) as call:
                raise ZeroDivisionError
        assert call is not None
        assert call.ended.is_set()
        assert MarkReached("x") not in server.calls[0].events
