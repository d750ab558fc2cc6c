"""Short-lived keys: what they open, what they bring along, and when they end."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import Any

import pytest
import websockets
from websockets.asyncio.client import connect

from tests.server.harness import RunningServer, running_server
from tests.server.webrtc.caller import call, client
from voicepipe.runtime.clock import ManualClock
from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server import bodies
from voicepipe.server.secret_store import ClientSecrets
from voicepipe.server.shared.state import StateUnavailable

KEY = "s3cret"
PATH = "/v1/realtime/client_secrets"
SESSION = {
    "type": "realtime",
    "model": "mine",
    "instructions": "Be kind.",
    "audio": {"input": {"transcription": {"model": "x"}}},
}


async def mint(server: RunningServer, **body: Any) -> dict[str, Any]:
    async with client(server, KEY) as http:
        response = await http.post(PATH, json=body)
        assert response.status_code == 200, response.text
        minted: dict[str, Any] = response.json()
        return minted


async def test_secret_opens_a_call_and_brings_its_session() -> None:
    async with running_server(server={"api_key": KEY}) as server:
        minted = await mint(server, session=SESSION)
        assert minted["value"].startswith("ek_")
        assert abs(minted["expires_at"] - time.time() - 600) < 60
        assert minted["session"]["type"] == "realtime"
        assert minted["session"]["audio"]["input"]["turn_detection"]["type"] == "server_vad"
        async with call(server, key=minted["value"]) as one:
            session = (await one.until("session.created"))["session"]
            assert session["instructions"] == "Be kind."
            assert session["model"] == "mine"
            assert session["audio"]["input"]["transcription"]["model"] == "x"
        mine = {"type": "realtime", "audio": {"output": {"speed": 1.2}}, "instructions": "Hm."}
        async with call(server, key=minted["value"], session=mine) as one:
            session = (await one.until("session.created"))["session"]
            assert session["instructions"] == "Hm."
            assert session["audio"]["output"]["speed"] == 1.2
            assert session["audio"]["input"]["transcription"]["model"] == "x"


async def test_state_that_cannot_be_used_is_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*asked: object) -> str:
        raise StateUnavailable("the gateways' shared state cannot be used: locked")

    monkeypatch.setattr(ClientSecrets, "mint", away)
    async with running_server(server={"api_key": KEY}) as server, client(server, KEY) as http:
        answer = await http.post(PATH, json={})
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "state_unavailable"


async def test_secret_opens_the_websocket_in_header_and_subprotocol() -> None:
    async with running_server(server={"api_key": KEY}) as server:
        value = (await mint(server, session=SESSION))["value"]
        for options in (
            {"additional_headers": {"Authorization": f"Bearer {value}"}},
            {"subprotocols": ["realtime", f"openai-insecure-api-key.{value}"]},
        ):
            async with connect(f"{server.ws}/realtime", **options) as ws:
                created = json.loads(await ws.recv())
                assert created["session"]["instructions"] == "Be kind."
                assert created["session"]["model"] == "mine"


async def test_secret_with_a_session_leaves_the_client_its_dialect() -> None:
    async with running_server(server={"api_key": KEY}) as server:
        minted = await mint(server, session=SESSION)
        key = {"Authorization": f"Bearer {minted['value']}"}
        beta = key | {"OpenAI-Beta": "realtime=v1"}
        async with connect(f"{server.ws}/realtime", additional_headers=beta) as ws:
            session = json.loads(await ws.recv())["session"]
            assert session["instructions"] == "Be kind."
            assert session["input_audio_format"] == "pcm16"
            assert json.loads(await ws.recv())["type"] == "conversation.created"
        async with connect(f"{server.ws}/realtime", additional_headers=key) as ws:
            assert "audio" in json.loads(await ws.recv())["session"]
            flat = {"type": "session.update", "session": {"input_audio_format": "g711_ulaw"}}
            await ws.send(json.dumps(flat))  # its first: it may choose
            updated = json.loads(await ws.recv())
            assert updated["type"] == "session.updated", updated
            assert updated["session"]["input_audio_format"] == "g711_ulaw"
            assert updated["session"]["instructions"] == "Be kind."


async def test_wrong_and_expired_secrets_open_nothing() -> None:
    async with running_server(server={"api_key": KEY}) as server:
        value = (await mint(server, expires_after={"anchor": "created_at", "seconds": 10}))["value"]
        clock = ManualClock(server.service.clock.now())
        secrets: Any = server.app.state.client_secrets
        secrets._clock = clock
        async with client(server, value) as http:
            path = "/v1/realtime/ice_servers"
            assert (await http.get(path)).status_code == 200
            assert (await http.post(PATH)).status_code == 401  # a secret mints no secrets
            clock.advance(11)
            assert (await http.get(path)).status_code == 401
        for wrong in (value, "ek_0123456789"):
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with connect(
                    f"{server.ws}/realtime", additional_headers={"Authorization": f"Bearer {wrong}"}
                ):
                    pass
            assert refused.value.response.status_code == 401


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ("[", None),
        ("[]", None),
        ('{"expires_after": 5}', "expires_after"),
        ('{"expires_after": {"anchor": "now", "seconds": 60}}', "expires_after"),
        ('{"expires_after": {"seconds": 9}}', "expires_after.seconds"),
        ('{"expires_after": {"seconds": 7201}}', "expires_after.seconds"),
        ('{"expires_after": {"seconds": true}}', "expires_after.seconds"),
        ('{"session": 5}', "session"),
        ('{"session": {"type": "song"}}', "session.type"),
        ('{"session": {"model": 5}}', "session.model"),
        ('{"session": {"model": "\\ud800"}}', None),  # half a surrogate pair: no text
        ('{"session": {"audio": {"output": {"voice": 5}}}}', "session.audio.output.voice"),
    ],
)
async def test_bad_requests_are_named(body: str, param: str | None) -> None:
    async with running_server() as server, client(server) as http:
        response = await http.post(PATH, content=body)
        assert response.status_code == 400
        assert response.json()["error"]["param"] == param


async def test_request_of_any_size_is_read_no_further_than_the_limit() -> None:
    async with running_server() as server, client(server) as http:
        response = await http.post(PATH, content=b"x" * 300_000)
        assert response.status_code == 413


async def test_any_depth_of_nesting_is_refused_in_words() -> None:
    async with running_server() as server, client(server) as http:
        for depth in (100, *range(900, 1000), 5000):
            nested = '{"session": {"tools": ' + "[" * depth + "]" * depth + "}}"
            response = await http.post(PATH, content=nested)
            assert response.status_code == 400, depth


async def test_a_client_that_vanishes_in_mid_request_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_server() as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{{".encode()
        )
        await writer.drain()
        await asyncio.sleep(0.05)  # the server waits for the rest by now
        writer.transport.abort()
        async with client(server) as http:  # it has seen the end: it answers what came later
            assert (await http.get("/healthz")).status_code == 200
        await asyncio.sleep(0.05)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_request_that_never_ends_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "DEADLINE_S", 0.2)
    async with running_server() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{{".encode()
        )
        async with asyncio.timeout(10):
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.read(1000)
        assert head.startswith(b"HTTP/1.1 400")
        assert b"request_timeout" in body
        writer.close()


def test_store_is_bounded_by_size_too() -> None:
    """Each keeps its instructions and tools; those of thousands would fill the memory."""
    clock = ManualClock()
    store = ClientSecrets(clock, max_bytes=1000)
    store.mint({"instructions": "a" * 600}, 10)
    with pytest.raises(LimitExceeded, match="1000 bytes"):
        store.mint({"instructions": "a" * 600}, 10)
    store.mint({}, 10)
    clock.advance(10)
    store.mint({"instructions": "a" * 600}, 10)


def test_store_is_bounded_and_makes_room_when_secrets_expire() -> None:
    clock = ManualClock()
    store = ClientSecrets(clock, max_secrets=2)
    first = store.mint({"instructions": "a"}, 10)
    store.mint({}, 100)
    with pytest.raises(LimitExceeded, match="2 client secrets"):
        store.mint({}, 10)
    assert store.session_of(first) == {"instructions": "a"}
    clock.advance(10)
    assert store.session_of(first) is None
    last = store.mint({}, 10)
    assert store.session_of(last) == {}
    assert store.session_of("ek_unknown") is None
