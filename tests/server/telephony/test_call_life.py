"""How calls begin and end: in good order, by force, by limits, and after nonsense."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from pathlib import Path

import pytest
import websockets
from websockets.asyncio.client import connect

from tests.call_log.harness import stored_calls
from tests.server.harness import FAST, simulated_engines
from tests.server.telephony.harness import call, phone_server, stream_url, tone
from tests.server.telephony.test_records import recorded
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import only_call
from voicepipe.config import Settings
from voicepipe.lab.carriers.call import ring
from voicepipe.lab.carriers.carriers import CARRIERS
from voicepipe.lab.carriers.connection import CallRefused
from voicepipe.lab.carriers.fault_injection import Mischief
from voicepipe.lab.carriers.twilio import EmulatedTwilio
from voicepipe.llm.engines.simulated import Answer
from voicepipe.protocols.telephony.carriers.audiosocket import UUID, message
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.service import Service
from voicepipe.server.shared.seats import Seats
from voicepipe.server.shared.state import StateUnavailable
from voicepipe.server.telephony.audiosocket import AudioSocketListener
from voicepipe.tts.engines.simulated import Outcome, SimulatedSynthesizer

ANSWER_S = 20.0
LONG = "One two three four five six seven eight nine ten. " * 12
CALL_LOG = "voicepipe.server.telephony.call"


@pytest.mark.parametrize("name", CARRIERS)
async def test_lost_line_in_mid_answer_leaves_nothing_behind(name: str) -> None:
    engines = simulated_engines(answers=(LONG,))
    async with phone_server(engines) as server:
        async with call(server, name) as phone:
            await phone.sound(await phone.say(tone(400)), ANSWER_S)
            phone.lose()
        await nothing_left(server)


async def test_lost_line_while_the_model_hangs_leaves_nothing_behind() -> None:
    engines = simulated_engines(answers=(Answer("Well", hang_after_tokens=1),))
    async with phone_server(engines) as server:
        async with call(server) as phone:
            await phone.say(tone(400))
            async with asyncio.timeout(ANSWER_S):
                while not engines.model.active_requests:  # type: ignore[attr-defined]
                    await asyncio.sleep(0.02)
            phone.lose()
        await nothing_left(server)


@pytest.mark.parametrize(
    ("how", "reason"), [("hang_up", "caller hung up"), ("lose", "lost"), ("nothing", "shuts down")]
)
async def test_log_says_how_a_call_ended(
    how: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, CALL_LOG)
    async with phone_server() as server:
        async with call(server) as phone:
            async with asyncio.timeout(ANSWER_S):
                while not server.service.sessions:
                    await asyncio.sleep(0.01)
            if how == "hang_up":
                await phone.hang_up()
            elif how == "lose":
                phone.lose()
            else:
                await server.service.aclose()
            await asyncio.wait_for(phone.ended.wait(), ANSWER_S)
        await nothing_left(server)
    assert any(r.message.endswith(reason) for r in caplog.records), caplog.messages


async def test_audiosocket_call_that_the_server_ends_is_not_written_down_as_lost(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Its port is closed first when the server stops, before the sessions are."""
    caplog.set_level(logging.INFO, CALL_LOG)
    async with phone_server(calls=recorded(tmp_path)) as server:
        listener: AudioSocketListener = server.app.state.audiosocket
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        writer.write(message(UUID, bytes(16)) + message(0x10, bytes(320)))
        await (await only_call(server)).connected()
        await listener.aclose()
        await asyncio.wait_for(reader.read(), ANSWER_S)
        writer.close()
        await writer.wait_closed()
        await nothing_left(server)
    assert "audiosocket call ended: the server shuts down" in caplog.messages
    (stored,) = stored_calls(tmp_path)
    assert stored.call["end_reason"] == "the server shuts down"


async def test_bad_and_missing_and_swapped_frames_do_not_end_the_call() -> None:
    mischief = Mischief(drop_every=17, swap_every=13, malformed_every=19, oversized_every=23)
    for name in ("twilio", "telnyx"):
        async with phone_server() as server, call(server, name, mischief=mischief) as phone:
            await phone.sound(await phone.say(tone(400)), ANSWER_S)


async def test_peer_of_another_dialect_is_let_go_with_a_clear_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with phone_server() as server:
        async with connect(stream_url(server, "twilio")) as ws:
            for _ in range(50):
                await ws.send('{"no": "event"}')
            with pytest.raises(websockets.ConnectionClosed):
                await asyncio.wait_for(ws.recv(), ANSWER_S)
        await nothing_left(server)
    assert any("does not speak twilio" in m for m in caplog.messages)


async def test_unknown_codec_is_named_and_no_session_opened(
    caplog: pytest.LogCaptureFixture,
) -> None:
    dialect = EmulatedTwilio(encoding="audio/opus")
    async with phone_server(telephony={"start_timeout_s": 0.5}) as server:
        async with ring(dialect, stream_url(server, "twilio")) as phone:
            await asyncio.wait_for(phone.ended.wait(), ANSWER_S)
        assert server.service.sessions_opened == 0
    assert any("start.mediaFormat.encoding" in m for m in caplog.messages)


async def test_connection_that_never_starts_a_call_is_closed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with phone_server(telephony={"start_timeout_s": 0.3}) as server:
        async with connect(stream_url(server, "twilio")) as ws:
            with pytest.raises(websockets.ConnectionClosed):
                await asyncio.wait_for(ws.recv(), ANSWER_S)
        await nothing_left(server)
    assert any("no call was started" in m for m in caplog.messages)


async def test_call_over_its_time_is_warned_and_ended() -> None:
    settings = {"max_call_s": 3.0, "end_warning": "Time is nearly up.", "end_warning_s": 2.5}
    async with phone_server(telephony=settings) as server:
        async with call(server, "plain") as phone:
            await phone.sound(phone.clock.now(), ANSWER_S)
            await asyncio.wait_for(phone.ended.wait(), ANSWER_S)
        assert {"type": "call_ended", "reason": "limit of 3 s"} in phone.others
        said = [m["delta"] for m in phone.others if m["type"] == "response_text"]
        assert said == ["Time is nearly up."]
        await nothing_left(server)


async def test_silent_caller_is_asked_then_let_go() -> None:
    settings = {"silence_ms": 300, "silence_prompts": ["Hello?", "Still there?"], "goodbye": "Bye."}
    async with phone_server(telephony=settings) as server:
        async with call(server, "plain") as phone:
            await asyncio.wait_for(phone.ended.wait(), ANSWER_S)
        said = [m["delta"] for m in phone.others if m["type"] == "response_text"]
        assert said == ["Hello?", "Still there?", "Bye."]
        assert phone.others[-1] == {"type": "call_ended", "reason": "agent hung up"}
        await nothing_left(server)


async def test_silent_caller_is_let_go_though_there_is_no_voice_for_the_goodbye() -> None:
    script: list[Outcome] = ["fail"] * 100
    engines = simulated_engines()
    engines.synthesizer = SimulatedSynthesizer(FAST, script)
    settings = {"silence_ms": 300, "silence_prompts": ["Hello?"], "goodbye": "Bye."}
    async with phone_server(engines, settings) as server, call(server) as phone:
        await asyncio.wait_for(phone.ended.wait(), 10)
        await nothing_left(server)


async def test_greeting_is_said_at_pick_up_and_enters_the_history() -> None:
    greeting = {"text": "Good morning, what can I do for you?"}
    async with phone_server(greeting=greeting) as server, call(server) as phone:
        heard_at = await phone.sound(phone.clock.now(), ANSWER_S)
        await phone.silence(heard_at, 500, ANSWER_S)
        (session,) = server.service.sessions
        (item,) = session.conversation.items
        assert item.text == greeting["text"]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["twilio", "plain", "audiosocket"])
async def test_full_server_refuses_the_stream(name: str) -> None:
    async with phone_server(limits={"max_sessions": 1}) as server, call(server):
        async with asyncio.timeout(ANSWER_S):
            while not server.service.sessions:
                await asyncio.sleep(0.01)
        if name == "audiosocket":
            async with call(server, name) as second:
                await asyncio.wait_for(second.ended.wait(), ANSWER_S)
            return
        with pytest.raises(CallRefused, match=r"limits\.max_sessions") as refused:
            async with call(server, name):
                pass
        assert refused.value.status == 503


async def test_bridge_that_was_let_in_and_finds_no_room_is_told_why() -> None:
    """Two may connect while there is room for one."""
    async with phone_server(limits={"max_sessions": 1}) as server:
        url = stream_url(server, "plain")
        async with connect(url) as first, connect(url) as second:
            await first.send('{"type":"start"}')
            async with asyncio.timeout(ANSWER_S):
                while not server.service.sessions:
                    await asyncio.sleep(0.01)
            await second.send('{"type":"start"}')
            async with asyncio.timeout(ANSWER_S):
                told = [json.loads(message) async for message in second]
        await nothing_left(server)
    (ended,) = told
    assert ended["type"] == "call_ended"
    assert "limits.max_sessions" in ended["reason"]


async def test_a_server_that_stops_refuses_the_stream_by_that_name() -> None:
    async with phone_server() as server:
        server.service.refuse_newcomers()
        with pytest.raises(CallRefused, match="the server is stopping") as refused:
            async with call(server):
                pass
        assert refused.value.status == 503


async def test_full_pools_refuse_the_stream_before_it_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with phone_server() as server:
        monkeypatch.setattr(type(server.service.engines), "full", lambda engines: "llm")
        with pytest.raises(CallRefused, match="all replicas of the pool llm are full") as refused:
            async with call(server):
                pass
        assert refused.value.status == 503


async def test_audiosocket_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        phone = {"audiosocket": {"port": taken.getsockname()[1]}}
        service = Service(Settings.model_validate({"telephony": phone}), simulated_engines())
        listener = AudioSocketListener(service)
        with pytest.raises(ConfigError, match=r"telephony\.audiosocket"):
            await listener.start()
        await listener.aclose()


async def test_subprotocol_that_asterisk_asks_for_is_agreed_to() -> None:
    async with phone_server() as server:
        url = stream_url(server, "asterisk")
        async with connect(url, subprotocols=[websockets.Subprotocol("media")]) as ws:
            assert ws.subprotocol == "media"
        async with connect(url) as ws:
            assert ws.subprotocol is None


@pytest.mark.parametrize("how", ["no state", "at its end"])
async def test_audiosocket_connection_that_is_never_served_is_closed(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(seats: Seats) -> str:
        raise StateUnavailable("the gateways' shared state cannot be used: locked")

    async with phone_server() as server:
        listener: AudioSocketListener = server.app.state.audiosocket
        if how == "no state":
            monkeypatch.setattr(Seats, "problem", property(unavailable))
            reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        else:
            theirs, ours = socket.socketpair()
            theirs.setblocking(False)
            reader, writer = await asyncio.open_connection(sock=ours)
            connection = await asyncio.open_connection(sock=theirs)
            listener._take(*connection)
            await listener.aclose()
        assert await asyncio.wait_for(reader.read(), 3) == b""
        writer.close()
        await nothing_left(server)
