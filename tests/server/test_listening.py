"""Calls that are up: in the list, listened in on by the owner, and by nobody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedOK, InvalidStatus

from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.telephony.harness import OPEN
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import DEADLINE_S, LONG, TRANSPORTS, Speak, only_call
from tests.server.test_sdk import quiet, tone
from voicepipe.server import listening
from voicepipe.server.live_calls import MAX_FOLLOWERS


@asynccontextmanager
async def by_websocket(server: RunningServer) -> AsyncIterator[Speak]:
    """Speaks when it is told to."""
    async with connect(f"{server.ws}/realtime", proxy=None) as socket:

        async def say() -> None:
            for audio in (tone(600), quiet(1500)):
                append = {"type": "input_audio_buffer.append", "audio": audio}
                await socket.send(json.dumps(append))

        yield say


BY = {**TRANSPORTS, "realtime": by_websocket}


@pytest.mark.parametrize("transport", BY)
async def test_a_call_that_is_up_is_listed_and_listened_in_on(transport: str) -> None:
    engines = simulated_engines(answers=(LONG,))
    async with running_server(engines, telephony=OPEN) as server:
        async with BY[transport](server) as speak:
            call = await only_call(server)
            async with httpx.AsyncClient(base_url=server.http) as client:
                body = (await client.get("/v1/calls", params={"transport": transport})).json()
                assert [one["id"] for one in body["live"]] == [call.id]
                assert (body["data"], body["kept"]) == ([], False)
                for query in ({"transport": "x"}, {"agent": "x"}, {"text": "x"}, {"until": "1d"}):
                    body = (await client.get("/v1/calls", params=query)).json()
                    assert body["live"] == [], query
                async with connect(f"{server.ws}/calls/{call.id}/listen", proxy=None) as ear:
                    await ear.send("what a listener says goes nowhere")
                    await speak()
                    types = await heard(ear, "response.output_audio_transcript.delta")
                    assert "response.created" in types
                    assert "response.output_audio.delta" not in types
                    done = await client.post(f"/v1/realtime/calls/{call.id}/hangup")
                    assert done.status_code == 200
                    with pytest.raises(ConnectionClosedOK):
                        await heard(ear, "never")
        await nothing_left(server)


async def heard(ear: Any, kind: str) -> list[str]:
    """What was told until both sides' sound and an event of this kind have come."""
    sides: set[int] = set()
    types: list[str] = []
    async with asyncio.timeout(DEADLINE_S):
        while kind not in types or len(sides) < 2:
            frame = await ear.recv()
            if isinstance(frame, bytes):
                sides.add(frame[0])
                assert len(frame) % 2 == 1, "a byte for the side, then whole samples"
            else:
                types.append(json.loads(frame)["type"])
    return types


async def test_only_the_owner_listens() -> None:
    keys = {"shop": {"key": "key-of-the-shop"}}
    async with running_server(server={"api_key": "the-owners-key"}, keys=keys) as server:
        shop = {"Authorization": "Bearer key-of-the-shop"}
        async with connect(f"{server.ws}/realtime", additional_headers=shop, proxy=None):
            call = await only_call(server)
            url = f"{server.ws}/calls/{call.id}/listen"
            for headers in ({}, shop):
                with pytest.raises(InvalidStatus) as refused:
                    async with connect(url, additional_headers=headers, proxy=None):
                        pass
                assert refused.value.response.status_code == 401
            named = ["realtime", "openai-insecure-api-key.the-owners-key"]
            async with connect(url, subprotocols=named, proxy=None) as ear:  # type: ignore[arg-type]
                assert ear.subprotocol == "realtime"
            with pytest.raises(InvalidStatus) as missing:
                async with connect(f"{url[:-7]}x/listen", subprotocols=named, proxy=None):  # type: ignore[arg-type]
                    pass
            assert missing.value.response.status_code == 404
        await nothing_left(server)


async def test_one_listener_too_many_is_told_so() -> None:
    async with running_server() as server, by_websocket(server):
        call = await only_call(server)
        others = [call.follow() for _ in range(MAX_FOLLOWERS)]
        with pytest.raises(InvalidStatus) as refused:
            async with connect(f"{server.ws}/calls/{call.id}/listen", proxy=None):
                pass
        assert refused.value.response.status_code == 429
        others[0].close()
        async with connect(f"{server.ws}/calls/{call.id}/listen", proxy=None):
            pass


async def test_who_listens_to_a_call_that_rings_may_leave() -> None:
    telephony = {"incoming_ms": 10_000}
    async with running_server(server={"wait_for_program": True}, telephony=telephony) as server:
        calling = asyncio.create_task(connect(f"{server.ws}/realtime").__aenter__())
        call = await only_call(server)
        async with connect(f"{server.ws}/calls/{call.id}/listen", proxy=None):
            assert len(call._followers) == 1
        async with asyncio.timeout(DEADLINE_S / 10):
            while call._followers:
                await asyncio.sleep(0.01)
        await call.hang_up()
        with pytest.raises(InvalidStatus):
            await calling


async def test_listening_that_fails_is_no_end_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: Any) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(listening, "joining_codec", fails)
    async with running_server() as server, by_websocket(server):
        call = await only_call(server)
        async with connect(f"{server.ws}/calls/{call.id}/listen", proxy=None) as ear:
            await asyncio.wait_for(ear.wait_closed(), DEADLINE_S)
            assert ear.close_code == 1011
