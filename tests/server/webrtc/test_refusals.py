"""Offers that cannot be taken are refused in words, and leave nothing behind."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import httpx
import pytest
from aioice.ice import Connection
from aiortc import RTCPeerConnection

from tests.server.harness import running_server
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import only_call
from tests.server.webrtc.caller import call, caller, client, only, tone
from voicepipe.server.decision import Decision
from voicepipe.server.service import Service
from voicepipe.server.webrtc.peer import Peer
from voicepipe.session.session import Session

DISCONNECT = Peer._disconnect
SDP = {"Content-Type": "application/sdp"}
CALLS = "/v1/realtime/calls"
NO_FINGERPRINT = "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=ice-ufrag:u\r\na=ice-pwd:p\r\n"
PART = '--b\r\nContent-Disposition: form-data; name="sdp"\r\n\r\nv=0\r\n--b--\r\n'
UNDEFINED = "multipart/form-data; boundary=b; charset=undefined"
"""Python has a codec of that name, which raises whatever it is given."""
TEXT = {"type": "input_text", "text": "what time is it"}


def problem(response: httpx.Response) -> dict[str, Any]:
    error: dict[str, Any] = response.json()["error"]
    assert error["message"]
    return error


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        ("", SDP, 400, "invalid_sdp"),
        ("hello", SDP, 400, "invalid_sdp"),
        ("v=0\r\nm=audio x\r\n", SDP, 400, "invalid_sdp"),
        (NO_FINGERPRINT, SDP, 400, "invalid_sdp"),
        ("v=0\r\ns=-\r\n", SDP, 422, "no_audio"),
        ("v=0" + "a" * 70_000, SDP, 413, "request_too_large"),
        ("{}", {"Content-Type": "application/json"}, 415, "unsupported_media_type"),
        ("v=0", {}, 415, "unsupported_media_type"),
        ("x", {"Content-Type": "multipart/form-data; boundary=b"}, 400, "invalid_form"),
        ("x", {"Content-Type": "multipart/form-data"}, 400, "invalid_form"),
        (PART, {"Content-Type": UNDEFINED}, 400, "invalid_form"),
    ],
)
@pytest.mark.parametrize("path", [CALLS, "/whip"])
async def test_what_is_no_offer_is_refused(
    path: str, body: str, headers: dict[str, str], status: int, code: str
) -> None:
    if path == "/whip" and "multipart" in headers.get("Content-Type", ""):
        status, code = 415, "unsupported_media_type"
    async with running_server() as server, client(server) as http:
        response = await http.post(path, content=body, headers=headers)
        assert response.status_code == status
        assert problem(response)["code"] == code
        await nothing_left(server)


@pytest.mark.parametrize(
    ("session", "param"),
    [
        ({"audio": {"output": {"speed": 9}}}, "session.audio.output.speed"),
        ({"output_modalities": ["audio", "text"]}, "session.output_modalities"),
        ([], None),
    ],
)
async def test_wrong_session_in_the_form_is_named(session: Any, param: str | None) -> None:
    async with running_server() as server, client(server) as http, caller() as one:
        parts = {"sdp": (None, await one.offer()), "session": (None, json.dumps(session))}
        response = await http.post(CALLS, files=parts)
        assert response.status_code == 400
        assert problem(response)["param"] == param
        response = await http.post(CALLS, files={"session": (None, "{}")})
        assert problem(response)["code"] == "missing_required_parameter"
        await nothing_left(server)


async def test_offer_with_codecs_that_nobody_knows_is_refused() -> None:
    async with running_server() as server, client(server) as http, caller() as one:
        offer = only(await one.offer(), 96).replace("opus/48000", "mystery/48000")
        response = await http.post(CALLS, content=offer, headers=SDP)
        assert response.status_code == 400
        assert problem(response)["code"] == "invalid_sdp"
        await nothing_left(server)


async def test_full_server_refuses_and_says_when_to_come_back() -> None:
    async with running_server(limits={"max_sessions": 1}) as server, call(server):
        async with client(server) as http, caller() as one:
            offer = await one.offer()
            for path, status in ((CALLS, 429), ("/whip", 503)):
                response = await http.post(path, content=offer, headers=SDP)
                assert response.status_code == status
                assert response.headers["retry-after"] == "5"
                assert problem(response)["code"] == "session_limit_exceeded"
        assert len(server.service.sessions) == 1


async def slow_to_close(peer: Peer) -> None:
    await asyncio.sleep(0.3)
    await DISCONNECT(peer)


@pytest.mark.parametrize("asked", [False, True])
async def test_offers_that_come_at_once_hold_no_more_sessions_than_others(
    asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each makes room for itself. Where a program is asked, they are all answered together."""
    monkeypatch.setattr(Peer, "_disconnect", slow_to_close)
    sections: dict[str, Any] = {
        "webrtc": {"max_unconnected": 2},
        "limits": {"max_sessions": 9},
        "server": {"wait_for_program": asked},
        "telephony": {"incoming_ms": 500},
    }
    async with running_server(**sections) as server, client(server) as http, caller() as idle:
        offer = await idle.offer()
        for count in (2, 5):
            asking = [http.post(CALLS, content=offer, headers=SDP) for _ in range(count)]
            answers = [answer.status_code for answer in await asyncio.gather(*asking)]
            assert set(answers) <= {201, 400}
            assert answers.count(201) >= 2
        assert len(server.service.sessions) == 2
    await nothing_left(server)


async def test_a_call_that_is_hung_up_while_room_is_made_for_it_is_not_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Peer, "_disconnect", slow_to_close)
    sections: dict[str, Any] = {
        "webrtc": {"max_unconnected": 1},
        "server": {"wait_for_program": True},
    }
    async with running_server(**sections) as server, client(server) as http, caller() as idle:
        offer = await idle.offer()
        asking = [
            asyncio.create_task(http.post(CALLS, content=offer, headers=SDP), name=f"Task-{n}")
            for n in range(2)
        ]
        async with asyncio.timeout(5):
            while len(server.service.live_calls) < 2:
                await asyncio.sleep(0.01)
        first, second = server.service.live_calls
        assert first.decide(Decision(True))
        assert await first.connected()
        assert second.decide(Decision(True))
        await asyncio.sleep(0.1)
        assert await second.hang_up()
        assert 400 in [(await asked).status_code for asked in asking]
        assert not server.service.sessions
    await nothing_left(server)


async def test_server_that_is_not_ready_says_so() -> None:
    async with running_server() as server, client(server) as http, caller() as one:
        server.service.engines.ready["llm"] = False
        for path in (CALLS, "/whip"):
            response = await http.post(path, content=await one.offer(), headers=SDP)
            assert response.status_code == 503
            assert response.headers["retry-after"]
            assert problem(response)["code"] == "not_ready"


async def test_key_and_origin_are_asked_of_every_door() -> None:
    options = {"api_key": "s3cret", "allowed_origins": ["https://good.example"]}
    doors = (
        ("POST", CALLS),
        ("POST", "/whip"),
        ("POST", "/v1/realtime/client_secrets"),
        ("GET", "/v1/realtime/ice_servers"),
        ("POST", f"{CALLS}/rtc_x/hangup"),
        ("DELETE", "/whip/rtc_x"),
    )
    async with running_server(server=options) as server:
        for key, origin, status in (("", None, 401), ("wrong", None, 401), ("s3cret", "bad", 403)):
            async with client(server, key) as http:
                for method, path in doors:
                    headers = {"Origin": f"https://{origin}.example"} if origin else {}
                    response = await http.request(method, path, headers=headers)
                    assert response.status_code == status, (method, path)


@pytest.mark.parametrize("path", [CALLS, "/whip"])
async def test_a_named_key_hangs_up_its_own_calls_only(path: str) -> None:
    keys = {name: {"key": f"key-of-the-{name}"} for name in ("shop", "lab")}
    async with running_server(server={"api_key": "owner-key"}, keys=keys) as server:
        async with client(server, "key-of-the-shop") as shop, caller() as one:
            answer = await shop.post(path, content=await one.offer(), headers=SDP)
            place = answer.headers["location"]
            async with client(server, "key-of-the-lab") as lab:
                assert (await lab.delete(place)).status_code == 404
            assert len(server.service.sessions) == 1
            assert (await shop.delete(place)).status_code == 200
        await nothing_left(server)


async def test_pages_of_allowed_origins_may_call_from_a_browser() -> None:
    async with running_server(server={"allowed_origins": ["https://good.example"]}) as server:
        async with client(server) as http:
            asked = {
                "Origin": "https://good.example",
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,content-type,x-openai-agents-sdk",
            }
            response = await http.options(CALLS, headers=asked)
            assert response.status_code == 200
            assert response.headers["access-control-allow-origin"] == "https://good.example"
            allowed = response.headers["access-control-allow-headers"]
            assert "x-openai-agents-sdk" in allowed
            bad = await http.options(CALLS, headers={**asked, "Origin": "https://bad.example"})
            assert bad.status_code == 400
            response = await http.post(CALLS, headers={"Origin": "https://good.example"})
            assert response.status_code == 415
            assert "Location" in response.headers["access-control-expose-headers"]


async def test_ice_servers_are_told_to_pages_and_encoders() -> None:
    servers = [{"urls": ["turn:127.0.0.1:9?transport=tcp"], "username": "u", "credential": 'p"w'}]
    async with running_server(webrtc={"ice_servers": servers}) as server:
        async with client(server) as http, caller(direction="sendonly") as one:
            response = await http.get("/v1/realtime/ice_servers")
            assert response.json() == {"iceServers": servers}
            assert response.headers["cache-control"] == "no-store"
            response = await http.post("/whip", content=await one.offer(), headers=SDP)
            assert response.status_code == 201
            assert response.headers["link"] == (
                '<turn:127.0.0.1:9?transport=tcp>; rel="ice-server"; username="u"; '
                r'credential="p\"w"; credential-type="password"'
            )


async def test_whip_encoder_that_only_sends_is_heard() -> None:
    async with running_server() as server, client(server) as http:
        asked = await http.options("/whip")
        assert asked.headers["accept-post"] == "application/sdp"
        answered = asyncio.Event()
        server.service.turn_log.watch(lambda record: answered.set())
        async with call(server, path="/whip", channel=False, direction="sendonly") as one:
            assert one.location.startswith("/whip/rtc_")
            assert "a=recvonly" in one.pc.remoteDescription.sdp
            one.microphone.say(tone(600))
            async with asyncio.timeout(20):
                await answered.wait()
            assert server.service.turn_log.recent(1)[0].end == "completed"
            assert (await http.patch(one.location)).status_code == 405
            assert (await http.delete(one.location)).status_code == 200
            await one.until_state("closed")
        await nothing_left(server)


async def test_listener_that_sends_no_sound_types_and_hears() -> None:
    async with running_server() as server, call(server, direction="recvonly") as one:
        item = {"type": "message", "role": "user", "content": [TEXT]}
        one.send(type="conversation.item.create", item=item)
        one.send(type="response.create")
        await one.until_loud()
        await one.until("output_audio_buffer.stopped")


async def test_offer_whose_closing_fails_is_refused_as_any_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """aiortc's objects are half made then, and closing them raises."""

    async def broken(connection: RTCPeerConnection) -> None:
        raise AttributeError("'NoneType' object has no attribute 'stop'")

    async with running_server() as server, client(server) as http, caller() as one:
        offer = (await one.offer()).replace("a=fingerprint:sha-256", "a=fingerprint:sha-1x")
        monkeypatch.setattr(RTCPeerConnection, "setRemoteDescription", _refusing)
        with monkeypatch.context() as half_made:
            half_made.setattr(RTCPeerConnection, "close", broken)
            response = await http.post(CALLS, content=offer, headers=SDP)
            assert response.status_code == 400
            assert problem(response)["code"] == "invalid_sdp"
        await nothing_left(server)


async def _refusing(connection: RTCPeerConnection, description: Any) -> None:
    raise ValueError("no such fingerprint")


@pytest.mark.parametrize("by", ["program", "client"])
async def test_a_call_that_is_hung_up_while_it_is_answered_is_refused_and_leaves_nothing(
    by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A STUN server that is silent makes the answer take so long."""
    monkeypatch.setattr(Connection.get_component_candidates, "__defaults__", (0.5,))
    ended: list[Session] = []
    close_session = Service.close_session

    async def counted(service: Service, session: Session) -> None:
        ended.append(session)
        await close_session(service, session)

    monkeypatch.setattr(Service, "close_session", counted)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        stun = {"urls": [f"stun:127.0.0.1:{silent.getsockname()[1]}"]}
        async with running_server(webrtc={"ice_servers": [stun]}) as server:
            async with client(server) as http, caller() as one:
                asking = http.post(CALLS, content=await one.offer(), headers=SDP)
                task = asyncio.create_task(asking, name="Task-asking")
                live = await only_call(server)
                await asyncio.sleep(0.1)
                if by == "program":
                    assert await live.hang_up()
                else:
                    assert (await http.delete(f"{CALLS}/{live.id}")).status_code == 200
                response = await task
            assert response.status_code == 400
            assert problem(response)["code"] == "call_ended"
            await nothing_left(server)
            assert len(ended) == 1
            assert not open_sockets()


def open_sockets() -> int:
    """UDP sockets of this process."""
    loop: Any = asyncio.get_running_loop()
    udp = [one for one in loop._transports.values() if "Datagram" in type(one).__name__]
    return sum(not one.is_closing() for one in udp)
