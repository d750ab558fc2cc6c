"""The webhook `call.incoming` decides on calls that clients open, by WebSocket and by WebRTC."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from openai import APIStatusError, AsyncOpenAI
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.server.harness import RunningServer, running_server
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import only_call
from tests.server.webhook_receiver import Receiver, receiver
from tests.server.webrtc import caller as webrtc
from voicepipe.server.decision import Decision
from voicepipe.server.live_calls import State

DEADLINE_S = 30.0
AGENTS = {
    "desk": {"instructions": "You are the desk."},
    "bar": {"instructions": "You serve {{guest}}.", "variables": {"guest": ""}},
}
BAR = json.dumps({"agent": "bar", "variables": {"guest": "Ann"}, "max_output_tokens": 77})
REJECT = json.dumps({"reject": True, "status_code": 486})


@asynccontextmanager
async def deciding(
    answer: tuple[int, str], pause_s: float = 0.0, **sections: Any
) -> AsyncIterator[tuple[Receiver, RunningServer]]:
    """A program that answers so, and the server that asks it."""
    async with receiver() as program:
        program.answer, program.pause_s = lambda event: answer, pause_s
        webhooks = program.settings(events=["call.incoming"])
        async with running_server(webhooks=webhooks, agents=AGENTS, **sections) as server:
            yield program, server
            await nothing_left(server)
            assert not len(server.service.live_calls)


async def websocket_session(server: RunningServer, query: str = "") -> dict[str, Any]:
    async with connect(f"{server.ws}/realtime{query}", open_timeout=DEADLINE_S) as socket:
        created = json.loads(await socket.recv())
    session: dict[str, Any] = created["session"]
    return session


async def webrtc_session(server: RunningServer, query: str = "") -> dict[str, Any]:
    path = f"/v1/realtime/calls{query}"
    async with webrtc.call(server, path=path, session={"max_output_tokens": 9}) as phone:
        created = next(e for e in phone.events if e["type"] == "session.created")
    session: dict[str, Any] = created["session"]
    return session


SESSIONS = {"realtime": websocket_session, "webrtc": webrtc_session}


async def status(server: RunningServer, transport: str) -> tuple[int, str]:
    """Of a call that is refused, and what its client is told."""
    if transport == "realtime":
        with pytest.raises(InvalidStatus) as refused:
            await websocket_session(server)
        response = refused.value.response
        return response.status_code, json.loads(response.body or b"")["error"]["code"]
    async with webrtc.caller() as one, webrtc.client(server) as http:
        headers = {"Content-Type": "application/sdp"}
        offer = await one.offer()
        answer = await http.post("/v1/realtime/calls", content=offer, headers=headers)
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize("transport", SESSIONS)
async def test_answer_chooses_agent_variables_and_session(transport: str) -> None:
    async with deciding((200, BAR)) as (program, server):
        session = await SESSIONS[transport](server, "?agent=desk")
        (event,) = program.events
        assert event["data"]["transport"] == transport
        assert event["data"]["agent"] == "desk", "whom the client wants"
        assert event["data"]["call_id"].startswith("sess_" if transport == "realtime" else "rtc_")
        assert session["instructions"] == "You serve Ann."
        assert session["max_output_tokens"] == 77, "the program's word is the last"


async def test_a_long_answer_is_read_too() -> None:
    """A program's server packs it, where it hears that packed ones are welcome."""
    long = "You serve Ann. " * 100
    async with deciding((200, json.dumps({"instructions": long}))) as (_, server):
        assert (await websocket_session(server))["instructions"] == long


@pytest.mark.parametrize("transport", SESSIONS)
async def test_answer_rejects(transport: str) -> None:
    async with deciding((200, REJECT)) as (_, server):
        assert await status(server, transport) == (403, "call_rejected")


@pytest.mark.parametrize(
    ("answer", "default", "taken"),
    [
        ((500, ""), "answer", True),
        ((500, ""), "reject", False),
        ((200, '{"agent": "nobody"}'), "reject", False),
        ((200, '{"agent": "bar", "variables": {"guest": "\\ud800"}}'), "reject", False),
        ((204, ""), "reject", True),  # it was asked and has nothing to say
    ],
)
async def test_settings_decide_where_the_program_does_not(
    answer: tuple[int, str], default: str, taken: bool
) -> None:
    telephony = {"incoming_default": default, "wait_for_program": True}  # that is for telephones
    async with deciding(answer, telephony=telephony) as (_, server):
        if taken:
            assert await websocket_session(server)
        else:
            assert await status(server, "realtime") == (403, "call_rejected")


@pytest.mark.parametrize("transport", SESSIONS)
async def test_program_that_is_silent_has_a_deadline(transport: str) -> None:
    telephony = {"incoming_ms": 200, "incoming_default": "reject"}
    async with deciding((200, BAR), pause_s=1.0, telephony=telephony) as (_, server):
        assert await status(server, transport) == (403, "call_rejected")


async def test_while_the_program_thinks_the_call_rings_and_rest_may_decide() -> None:
    async with deciding((200, BAR), pause_s=2.0) as (_, server):
        calling = asyncio.create_task(websocket_session(server))
        live = await only_call(server)
        assert live.state is State.RINGING
        sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
        async with sdk:
            body = {"agent": "desk"}
            await sdk.realtime.calls.accept(live.id, type="realtime", extra_body=body)
            assert (await calling)["instructions"] == "You are the desk."
            with pytest.raises(APIStatusError) as gone:
                await sdk.realtime.calls.accept(live.id, type="realtime")
        assert gone.value.status_code == 404


@pytest.mark.parametrize("transport", SESSIONS)
@pytest.mark.parametrize("accepts", [True, False])
async def test_a_client_waits_for_a_program_without_any_webhook(
    transport: str, accepts: bool
) -> None:
    waits = {"wait_for_program": True}
    telephony = {"incoming_ms": 10_000}
    async with running_server(agents=AGENTS, server=waits, telephony=telephony) as server:
        calling = asyncio.create_task(
            SESSIONS[transport](server) if accepts else status(server, transport)
        )
        live = await only_call(server)
        assert live.state is State.RINGING
        async with AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1") as sdk:
            if accepts:
                body = {"agent": "bar", "variables": {"guest": "Ann"}}
                await sdk.realtime.calls.accept(live.id, type="realtime", extra_body=body)
                session: Any = await calling
                assert session["instructions"] == "You serve Ann."
            else:
                await sdk.realtime.calls.reject(live.id)
                assert await calling == (403, "call_rejected")
        await nothing_left(server)


@pytest.mark.parametrize("transport", SESSIONS)
@pytest.mark.parametrize("steps", [0, 2])
async def test_a_call_that_is_hung_up_as_soon_as_it_is_accepted_is_not_answered(
    transport: str, steps: int
) -> None:
    telephony = {"incoming_ms": 10_000}
    async with running_server(server={"wait_for_program": True}, telephony=telephony) as server:
        calling = asyncio.create_task(status(server, transport))
        live = await only_call(server)
        assert live.decide(Decision(accepted=True))
        for _ in range(steps):
            await asyncio.sleep(0)
        assert live.session is None
        assert await live.hang_up()
        assert await calling == (403, "call_rejected")
        assert live.state is State.ENDED
        await nothing_left(server)
        assert not len(server.service.live_calls)


@pytest.mark.parametrize(("default", "taken"), [("answer", True), ("reject", False)])
async def test_a_client_that_no_program_decides_on_is_answered_as_the_settings_say(
    default: str, taken: bool
) -> None:
    waits = {"wait_for_program": True}
    telephony = {"incoming_ms": 200, "incoming_default": default}
    async with running_server(server=waits, telephony=telephony) as server:
        if taken:
            assert await websocket_session(server)
        else:
            assert await status(server, "realtime") == (403, "call_rejected")
        await nothing_left(server)


@pytest.mark.parametrize("transport", SESSIONS)
async def test_session_of_the_programs_that_cannot_be_is_left_out(
    transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with deciding((200, '{"agent": "bar", "tools": 3}')) as (_, server):
        session = await SESSIONS[transport](server)
        assert session["instructions"] == "You serve ."
    assert "a session that cannot be: session.tools" in caplog.text


async def test_client_that_leaves_while_it_rings_leaves_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with deciding((200, BAR), pause_s=0.5) as (_, server):
        calling = asyncio.create_task(websocket_session(server))
        live = await only_call(server)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await asyncio.wait_for(live._ended.wait(), DEADLINE_S)
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []


async def test_nobody_is_asked_about_a_call_that_cannot_be() -> None:
    async with deciding((200, "{}"), limits={"max_sessions": 1}) as (program, server):
        with pytest.raises(InvalidStatus):
            await websocket_session(server, "?agent=nobody")
        async with connect(f"{server.ws}/realtime") as held:
            await held.recv()
            assert (await status(server, "realtime"))[0] == 429
        assert len(program.events) == 1


KEYED = {"api_key": "the-owners-key", "wait_for_program": True}


def as_shop(server: RunningServer, key: str = "key-of-the-shop") -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    return connect(f"{server.ws}/realtime", additional_headers=headers, open_timeout=DEADLINE_S)


async def refusal_of(server: RunningServer) -> str:
    with pytest.raises(InvalidStatus) as refused:
        await as_shop(server)
    assert refused.value.response.status_code == 429
    message: str = json.loads(refused.value.response.body or b"")["error"]["message"]
    return message


@pytest.mark.parametrize(
    ("limit", "taken"),
    [({"minutes_a_day": 0.0001}, 0), ({"max_sessions": 1}, 1), ({"sessions_a_minute": 1}, 1)],
)
async def test_a_key_that_is_used_up_rings_nowhere(limit: dict[str, Any], taken: int) -> None:
    keys = {"shop": {"key": "key-of-the-shop", **limit}}
    telephony = {"incoming_ms": 10_000}
    async with running_server(server=KEYED, keys=keys, telephony=telephony) as server:
        holder = server.service.keys.holder("key-of-the-shop")
        assert holder is not None
        if not taken:
            holder.opened("sess_long")
            await asyncio.sleep(0.05)  # longer than it may have
        else:
            calling = asyncio.create_task(as_shop(server).__aenter__())
            live = await only_call(server)
            assert live.key == "shop"
        assert next(iter(limit)) in await refusal_of(server)
        assert len(server.service.live_calls) == taken
        if taken:  # the one that rang was counted once, and so may be answered
            live.decide(Decision(accepted=True))
            socket = await calling
            await socket.recv()
            await socket.close()
            await nothing_left(server)
        else:
            holder.closed("sess_long")


async def test_who_is_in_charge_of_a_call() -> None:
    """The owner, or the named key that has opened it: nobody with a client secret."""
    keys = {"shop": {"key": "key-of-the-shop"}, "lab": {"key": "key-of-the-lab"}}
    telephony = {"incoming_ms": 10_000}
    async with running_server(server=KEYED, keys=keys, telephony=telephony) as server:
        async with httpx.AsyncClient(base_url=server.http) as http:

            async def said(key: str, action: str, call: str) -> int:
                headers = {"Authorization": f"Bearer {key}"}
                path = f"/v1/realtime/calls/{call}/{action}"
                return (await http.post(path, headers=headers)).status_code

            headers = {"Authorization": "Bearer the-owners-key"}
            minted = await http.post("/v1/realtime/client_secrets", headers=headers)
            secret = minted.json()["value"]
            for opener, decider in (("key-of-the-shop", "key-of-the-shop"), (secret, None)):
                calling = asyncio.create_task(as_shop(server, opener).__aenter__())
                live = await only_call(server)
                for action in ("accept", "reject", "hangup"):
                    for other in (secret, "key-of-the-lab"):
                        assert await said(other, action, live.id) == 404
                assert live.state is State.RINGING
                assert await said(decider or "the-owners-key", "accept", live.id) == 200
                socket = await calling
                await socket.recv()
                assert live.session is not None, "it is answered"
                for other in (secret, "key-of-the-lab"):
                    assert await said(other, "hangup", live.id) == 404
                assert await said(decider or "the-owners-key", "hangup", live.id) == 200
                await socket.wait_closed()
                await nothing_left(server)


async def test_a_key_accepts_its_calls_for_no_agent_that_it_may_not_name() -> None:
    keys = {"shop": {"key": "key-of-the-shop", "agents": ["desk"]}}
    telephony = {"incoming_ms": 10_000}
    sections: dict[str, Any] = {"keys": keys, "agents": AGENTS, "telephony": telephony}
    async with running_server(server=KEYED, **sections) as server:
        calling = asyncio.create_task(as_shop(server).__aenter__())
        path = f"/v1/realtime/calls/{(await only_call(server)).id}/accept"
        headers = {"Authorization": "Bearer key-of-the-shop"}
        async with httpx.AsyncClient(base_url=server.http, headers=headers) as http:
            refused = await http.post(path, json={"agent": "bar"})
            assert (refused.status_code, refused.json()["error"]["param"]) == (400, "agent")
            assert "keys.shop.agents" in refused.json()["error"]["message"]
            assert (await http.post(path, json={"agent": "desk"})).status_code == 200
        async with await calling as socket:
            created = json.loads(await socket.recv())
        assert created["session"]["instructions"] == "You are the desk."


async def test_a_call_that_has_ended_while_the_program_spoke_is_not_said_to_be_decided() -> None:
    section = {"wait_for_program": True}
    async with running_server(server=section, telephony={"incoming_ms": 10_000}) as server:
        calling = asyncio.create_task(websocket_session(server))
        live = await only_call(server)

        async def body() -> AsyncIterator[bytes]:
            yield b"{"
            assert await live.hang_up()
            yield b"}"

        async with httpx.AsyncClient(base_url=server.http) as http:
            path = f"/v1/realtime/calls/{live.id}/accept"
            late = await http.post(path, content=body())
        assert (late.status_code, late.json()["error"]["code"]) == (404, "call_not_found")
        await asyncio.gather(calling, return_exceptions=True)
        await nothing_left(server)
