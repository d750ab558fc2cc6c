"""Conversations over WebRTC, end to end: real sockets, simulated engines."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from tests.server.harness import running_server, simulated_engines
from tests.server.test_limits import nothing_left
from tests.server.webrtc.caller import RATE, call, caller, client, only, tone
from voicepipe.audio import files
from voicepipe.lab.bench import recordings
from voicepipe.server.webrtc.switchboard import Switchboard
from voicepipe.session.events import SessionError

LONG_ANSWER = "One two three four five six seven eight nine ten. " * 12


async def test_spoken_question_is_answered_with_sound_and_captions() -> None:
    question = files.read(recordings.QUESTIONS / "what_time_is_it.flac", RATE)
    async with running_server() as server, call(server) as one:
        one.microphone.say(question)
        await one.until_loud()
        done = await one.until("response.done")
        assert done["response"]["status"] == "completed"
        await one.until("output_audio_buffer.stopped")
        await one.until_silent()
        order = [event["type"] for event in one.events]
        assert not [kind for kind in order if kind.endswith("audio.delta")]
        for earlier, later in (
            ("session.created", "input_audio_buffer.speech_started"),
            ("input_audio_buffer.committed", "response.created"),
            ("response.created", "output_audio_buffer.started"),
            ("output_audio_buffer.started", "output_audio_buffer.stopped"),
            ("response.done", "output_audio_buffer.stopped"),
        ):
            assert order.index(earlier) < order.index(later), (earlier, later)
        said = [e for e in one.events if e["type"] == "response.output_audio_transcript.done"]
        assert said[0]["transcript"] == "It is half past seven. Can I do more for you?"
        records = server.service.turn_log.recent(1)
        assert records[0].voice_to_voice_us is not None
        assert records[0].note is None


async def test_speaking_over_the_answer_silences_it_and_cuts_the_history() -> None:
    engines = simulated_engines(answers=(LONG_ANSWER, "Yes?"))
    async with running_server(engines) as server, call(server) as one:
        one.microphone.say(tone(600))
        await one.until_loud()
        before = one.count("input_audio_buffer.speech_started")
        one.microphone.say(tone(1200))
        await one.until("input_audio_buffer.speech_started", before + 1)
        decided_at = asyncio.get_running_loop().time()
        silent_at = await one.until_silent()
        assert silent_at - decided_at < 5.0  # of half a minute that was to come
        cleared = await one.until("output_audio_buffer.cleared")
        cancelled = await one.until("response.done")
        assert cancelled["response"]["id"] == cleared["response_id"]
        assert cancelled["response"]["status"] == "cancelled"
        truncated = await one.until("conversation.item.truncated")
        item = server.service.sessions.copy().pop().conversation.get(truncated["item_id"])
        assert item.status == "incomplete"
        again = await one.until("response.done", 2)
        assert again["response"]["status"] == "completed"


async def test_output_is_cleared_when_the_client_asks() -> None:
    async with running_server(simulated_engines(answers=(LONG_ANSWER,))) as server:
        async with call(server) as one:
            one.microphone.say(tone(600))
            await one.until_loud()
            one.send(type="response.cancel")
            one.send(type="output_audio_buffer.clear")
            await one.until("output_audio_buffer.cleared")
            await one.until_silent()


async def test_way_to_the_ear_is_known_from_rtcp_and_from_the_page() -> None:
    """What was heard is less than what was sent by half the round trip and the page's buffer."""
    async with running_server() as server, call(server) as one:
        board: Switchboard = server.app.state.switchboard
        (peer,) = board._peers.values()
        async with asyncio.timeout(20):
            while peer._rtt_ms is None:
                await asyncio.sleep(0.05)
        assert peer._downlink.delay_ms == pytest.approx(peer._rtt_ms / 2)
        one.send(type="voicepipe.heard", response_id="resp_1", delay_ms=120)
        one.send(type="input_audio_buffer.clear")
        await one.until("input_audio_buffer.cleared")
        assert peer._downlink.delay_ms >= 120
        one.microphone.say(tone(600))
        await one.until("output_audio_buffer.stopped")
        async with asyncio.timeout(20):
            while not (records := server.service.turn_log.recent(1)):
                await asyncio.sleep(0.02)
        marks, network = records[0].marks, records[0].network_us
        assert network is not None
        assert network >= 120_000
        assert marks["heard"] >= marks["audio_out"] + 120_000


async def test_client_events_are_answered_and_bad_ones_named() -> None:
    async with running_server() as server, call(server) as one:
        assert one.channel is not None
        one.channel.send("{")
        one.channel.send(b"\x00\x01")
        one.send(type="input_audio_buffer.append", audio="AAAA", event_id="e1")
        one.send(type="voicepipe.heard", response_id="r", delay_ms=-3)
        one.send(type="session.update", session={"type": "realtime", "instructions": "Be brief."})
        updated = await one.until("session.updated")
        assert updated["session"]["instructions"] == "Be brief."
        errors = [e["error"] for e in one.events if e["type"] == "error"]
        assert [e["code"] for e in errors] == [
            "invalid_json",
            "invalid_event",
            "invalid_value",
            "invalid_value",
        ]
        assert errors[2]["event_id"] == "e1"
        assert errors[3]["param"] == "delay_ms"


async def test_a_report_that_is_refused_is_named_by_the_clients_own_id() -> None:
    async with running_server() as server, call(server) as one:
        one.send(type="voicepipe.heard", response_id="r", delay_ms=-3, event_id="mine")
        error = (await one.until("error"))["error"]
        assert (error["param"], error["event_id"]) == ("delay_ms", "mine")


async def test_the_voice_stays_once_the_agent_was_heard() -> None:
    async with running_server() as server, call(server) as one:
        voice = {"type": "realtime", "audio": {"output": {"voice": "marin"}}}
        one.send(type="session.update", session=voice)
        await one.until("session.updated")
        one.send(type="response.create")
        await one.until("output_audio_buffer.started")
        voice = {"type": "realtime", "audio": {"output": {"voice": "coral"}}}
        one.send(type="session.update", session=voice)
        assert (await one.until("error"))["error"]["code"] == "cannot_update_voice"


async def test_audio_formats_are_echoed_and_media_flows_all_the_same() -> None:
    wanted = {"type": "audio/pcmu"}
    async with running_server() as server, call(server) as one:
        audio = {"input": {"format": wanted}, "output": {"format": wanted}}
        one.send(type="session.update", session={"type": "realtime", "audio": audio})
        updated = await one.until("session.updated")
        assert updated["session"]["audio"]["input"]["format"] == wanted
        one.microphone.say(tone(600))
        await one.until_loud()
        done = await one.until("response.done")
        assert done["response"]["status"] == "completed"


async def test_session_comes_in_the_form_and_its_greeting_is_heard() -> None:
    wanted = {"type": "realtime", "instructions": "Be kind.", "model": "mine"}
    async with running_server(greeting={"text": "Good morning."}) as server:
        async with call(server, session=wanted) as one:
            created = await one.until("session.created")
            assert created["session"]["instructions"] == "Be kind."
            assert created["session"]["model"] == "mine"
            await one.until_loud()
            await one.until("output_audio_buffer.stopped")


async def test_call_without_a_channel_is_answered_with_sound() -> None:
    async with running_server() as server, call(server, channel=False) as one:
        one.microphone.say(tone(600))
        await one.until_loud()


@pytest.mark.parametrize("payload_type", [0, 8, 9])  # PCMU, PCMA, G.722
async def test_peer_without_opus_is_heard_and_hears(payload_type: int) -> None:
    async with running_server() as server, caller() as one, client(server) as http:
        body = only(await one.offer(), payload_type)
        headers = {"Content-Type": "application/sdp"}
        await one.accept(await http.post("/v1/realtime/calls", content=body, headers=headers))
        await one.until("session.created")
        one.microphone.say(tone(600))
        await one.until_loud()


async def test_video_is_left_out_and_the_call_goes_on() -> None:
    async with running_server() as server, caller() as one, client(server) as http:
        one.pc.addTransceiver("video", direction="recvonly")
        headers = {"Content-Type": "application/sdp"}
        offer = await one.offer()
        await one.accept(await http.post("/v1/realtime/calls", content=offer, headers=headers))
        video = one.pc.remoteDescription.sdp.partition("m=video")[2].partition("m=")[0]
        assert "a=inactive" in video
        one.microphone.say(tone(600))
        await one.until_loud()


async def test_long_messages_arrive_whole() -> None:
    limits = {"max_text_chars": 200_000}
    async with running_server(limits=limits) as server, call(server) as one:
        instructions = "Be brief. " * 18_000
        one.send(type="session.update", session={"type": "realtime", "instructions": instructions})
        updated = await one.until("session.updated")
        assert updated["session"]["instructions"] == instructions


async def test_messages_too_long_for_the_channel_come_without_audio_or_are_named() -> None:
    async with running_server() as server, caller() as one, client(server) as http:
        headers = {"Content-Type": "application/sdp"}
        offer = (await one.offer()).replace("max-message-size:262144", "max-message-size:10000")
        await one.accept(await http.post("/v1/realtime/calls", content=offer, headers=headers))
        await one.until("session.created")
        one.microphone.say(tone(600))
        committed = await one.until("input_audio_buffer.committed")
        one.send(type="conversation.item.retrieve", item_id=committed["item_id"])
        item = (await one.until("conversation.item.retrieved"))["item"]
        assert item["content"][0]["type"] == "input_audio"
        assert "audio" not in item["content"][0]
        session = {"type": "realtime", "instructions": "Be brief. " * 2000}
        one.send(type="session.update", session=session)
        error = (await one.until("error"))["error"]
        assert error["code"] == "message_too_large"
        assert "10000 bytes" in error["message"]


async def test_an_opening_too_long_for_the_channel_is_named() -> None:
    """Whoever waits for `session.created` would wait for ever."""
    session = {"instructions": "Be brief. " * 2000}
    async with running_server() as server, caller() as one, client(server) as http:
        offer = (await one.offer()).replace("max-message-size:262144", "max-message-size:10000")
        form = {"sdp": (None, offer), "session": (None, json.dumps(session))}
        await one.accept(await http.post("/v1/realtime/calls", files=form))
        error = (await one.until("error"))["error"]
        assert error["code"] == "message_too_large"
        assert "10000 bytes" in error["message"]


async def test_an_item_that_is_too_long_without_audio_too_is_named() -> None:
    async with running_server() as server, caller() as one, client(server) as http:
        headers = {"Content-Type": "application/sdp"}
        offer = (await one.offer()).replace("max-message-size:262144", "max-message-size:10000")
        await one.accept(await http.post("/v1/realtime/calls", content=offer, headers=headers))
        await one.until("session.created")
        content = [{"type": "input_text", "text": "x" * 12_000}]
        item = {"id": "long", "type": "message", "role": "user", "content": content}
        one.send(type="conversation.item.create", item=item)
        await one.until("error", 2)  # in place of `added` and `done`
        one.send(type="conversation.item.retrieve", item_id="long")
        one.send(type="nonsense", event_id="behind_it")
        await one.until("error", 3)
        errors = [event["error"]["code"] for event in one.events if event["type"] == "error"]
        assert errors[:3] == ["message_too_large"] * 3


async def test_a_call_whose_events_pile_up_ends_for_that_reason(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with running_server(limits={"max_events_queued": 10}) as server, call(server) as one:
        await one.until("session.created")
        (session,) = server.service.sessions
        for _ in range(20):
            session.outbox.put(SessionError("x", "x"))
        told = await one.until("error")
        assert told["error"]["code"] == "client_too_slow"
        assert "max_events_queued" in told["error"]["message"]
        await nothing_left(server)
    ends = [r.getMessage() for r in caplog.records if " ends: " in r.getMessage()]
    assert [end.partition(" ends: ")[2] for end in ends] == ["the client reads too slowly"]


async def test_who_is_hung_up_by_the_owner_is_told_that_it_was_on_purpose() -> None:
    async with running_server() as server:
        async with call(server) as one:
            (live,) = server.service.live_calls
            assert await live.hang_up("the shop closes")
            told = await one.until("error")
            assert told["error"]["code"] == "call_ended"
            assert "the shop closes" in told["error"]["message"]
            await one.until_state("closed")


@pytest.mark.parametrize("how", ["hangup", "delete", "closed", "without channel"])
async def test_hanging_up_leaves_nothing_behind(how: str) -> None:
    engines = simulated_engines(answers=(LONG_ANSWER,))
    async with running_server(engines) as server, client(server) as http:
        async with call(server) as one:
            assert one.location.startswith("/v1/realtime/calls/rtc_")
            one.microphone.say(tone(600))
            await one.until_loud()
            if how == "hangup":
                assert (await http.post(f"{one.location}/hangup")).status_code == 200
                assert (await http.post(f"{one.location}/hangup")).status_code == 404
                await one.until_state("closed")
            elif how == "delete":
                assert (await http.delete(one.location)).status_code == 200
                await one.until_state("closed")
            elif how == "without channel":
                assert one.channel is not None
                one.channel.close()
        await nothing_left(server)


async def test_server_that_stops_ends_its_calls() -> None:
    async with caller() as one:
        async with running_server() as server, client(server) as http:
            headers = {"Content-Type": "application/sdp"}
            offer = await one.offer()
            response = await http.post("/v1/realtime/calls", content=offer, headers=headers)
            await one.accept(response)
            await one.until("session.created")
        await one.until_state("closed")


async def test_call_that_never_connects_is_given_up() -> None:
    async with running_server(webrtc={"max_setup_s": 0.3}) as server, client(server) as http:
        async with caller() as one:
            headers = {"Content-Type": "application/sdp"}
            offer = await one.offer()
            response = await http.post("/v1/realtime/calls", content=offer, headers=headers)
            assert response.status_code == 201
            assert server.service.sessions
            await nothing_left(server)


async def test_session_time_limit_says_so_before_it_hangs_up() -> None:
    async with running_server(limits={"max_session_s": 2}) as server, call(server) as one:
        assert (await one.until("error"))["error"]["code"] == "session_expired"
        await one.until_state("closed")
        await nothing_left(server)


async def test_client_hangs_up_while_the_server_stops() -> None:
    async with running_server() as server, call(server) as one, client(server) as http:
        server.service.refuse_newcomers()
        assert (await http.delete(one.location)).status_code == 200
        await nothing_left(server)
