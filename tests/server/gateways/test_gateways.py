"""Two gateways, one server: whatever a client may ask, it need not know which of them it meets."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.server.gateways.harness import DEADLINE_S, OWNER, Server, apart, gateways, talker
from tests.server.telephony.signing import SECRET, signed
from tests.server.webrtc.caller import caller
from voicepipe.lab.carriers.call import ring
from voicepipe.lab.carriers.carriers import carrier
from voicepipe.lab.carriers.connection import CallRefused
from voicepipe.protocols.telephony.carriers import twilio


def nobody(found: list[dict[str, Any]]) -> bool:
    return not any(one["sessions"] for one in found)


async def ended(ws: ClientConnection) -> tuple[int | None, str | None]:
    """How, after whatever came before."""
    async with asyncio.timeout(DEADLINE_S):
        with suppress(ConnectionClosed):
            while True:
                await ws.recv()
    return ws.close_code, ws.close_reason


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with gateways(tmp_path_factory.mktemp("gateways")) as running:
        yield running


async def test_calls_are_spread_and_each_gateway_answers(server: Server) -> None:
    before = await server.total("voicepipe_turns_total")
    async with AsyncExitStack() as stack:
        talkers = [await stack.enter_async_context(talker(server)) for _ in range(4)]
        spread = await server.sessions()
        assert (sum(spread), min(spread) > 0) == (4, True)
        await asyncio.gather(*(one.turn() for one in talkers))
        listed = (await server.get("/v1/calls"))["live"]
        assert {one.id for one in talkers} == {call["id"] for call in listed}
        assert await server.total("voicepipe_turns_total") == before + 4
        assert await server.total("voicepipe_sessions") == 4
        assert (await server.get("/v1/turns?summary=1"))["ends"]["completed"] == before + 4
    await server.until(nobody)


async def test_a_call_is_joined_listened_to_and_hung_up_through_the_other(server: Server) -> None:
    async with talker(server) as one:
        holder = await server.holder(one.id)
        before = await server.total("voicepipe_gateway_forwarded_total")
        program = stranger = None
        async with AsyncExitStack() as stack:
            while await server.total("voicepipe_gateway_forwarded_total") < before + 2:
                program = await stack.enter_async_context(talker(server, f"call_id={one.id}"))
                assert program.id == one.id
                url = f"{server.ws}/calls/{one.id}/listen"
                stranger = await stack.enter_async_context(
                    connect(url, additional_headers=OWNER, max_queue=None, proxy=None)
                )
            assert program is not None
            assert stranger is not None
            await program.say(
                type="session.update", session={"type": "realtime", "instructions": "Be brief."}
            )
            updated = await one.until("session.updated")
            assert updated["session"]["instructions"] == "Be brief."
            await one.turn()
            done = await program.until("response.done")
            assert done["response"]["status"] == "completed"
            async with server.by_another(holder) as http:
                for headers in ({}, {"X-Voicepipe-Sibling": "1"}):  # it is passed on, as a client's
                    answer = await http.get(f"/metrics?call_id={one.id}", headers=headers)
                    assert answer.text.startswith("# HELP")
                answer = await http.post(f"/v1/realtime/calls/{one.id}/hangup")
                assert answer.status_code == 200
                gone = await http.post(f"/v1/realtime/calls/{one.id}/hangup")
                assert (gone.status_code, gone.json()["error"]["code"]) == (404, "call_not_found")
            assert await ended(one.ws) == (1000, "hung up")
            assert await ended(program.ws) == (1000, "the call has ended")
            assert await ended(stranger) == (1000, "the call has ended")


async def test_the_other_gateway_asks_for_the_key_as_well(server: Server) -> None:
    async with talker(server) as one:
        for _ in range(2):  # each gateway once
            url = f"{server.ws}/realtime?call_id={one.id}"
            with pytest.raises(InvalidStatus) as refused:
                async with connect(url, proxy=None):
                    pass
            assert refused.value.response.status_code == 401
            async with httpx.AsyncClient(base_url=server.http, trust_env=False) as http:
                answer = await http.post(f"/v1/realtime/calls/{one.id}/hangup")
            assert answer.status_code == 401
        await one.turn()


async def test_a_session_is_resumed_wherever_its_client_comes_back(server: Server) -> None:
    async with talker(server, "resume=on") as one:
        await one.say(type="input_audio_buffer.clear")
        await one.until("input_audio_buffer.cleared")
        item = {"type": "message", "role": "user", "content": []}
        content = [{"type": "input_text", "text": "hello"}]
        await one.say(type="conversation.item.create", item={**item, "content": content})
        kept = (await one.until("conversation.item.done"))["item"]["id"]
        for _ in range(3):  # dropped and back: by both gateways, in the end
            one.ws.transport.abort()
            async with talker(server, f"resume={one.token}") as back:
                assert back.id == one.id
                await back.say(type="conversation.item.retrieve", item_id=kept)
                found = await back.until("conversation.item.retrieved")
                assert found["item"]["id"] == kept
                back.ws.transport.abort()
        async with server.client() as http:  # it is kept, and can be ended
            await http.post(f"/v1/realtime/calls/{one.id}/hangup")
    await server.until(nobody)


async def refused(server: Server, key: str) -> tuple[int, str]:
    with pytest.raises(InvalidStatus) as raised:
        async with talker(server, key=key):
            pass
    answer = raised.value.response
    return answer.status_code, (answer.body or b"").decode()


async def test_limits_hold_over_both(server: Server) -> None:
    await server.until(nobody)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(apart(server, "key-of-the-shop"))
        for _ in range(2):  # each gateway once
            status, why = await refused(server, "key-of-the-shop")
            assert (status, "keys.shop.max_sessions" in why) == (429, True)
        for _ in range(10):
            await stack.enter_async_context(talker(server))
        status, why = await refused(server, "the-owners-key")
        assert (status, "12 sessions" in why) == (429, True)
    await server.until(nobody)


async def test_a_client_secret_is_good_at_both(server: Server) -> None:
    async with server.client() as http:
        session = {"type": "realtime", "instructions": "You are minted."}
        path = "/v1/realtime/client_secrets"
        secret = (await http.post(path, json={"session": session})).json()["value"]
    async with apart(server, secret) as (_, second):
        await second.turn()
    assert (await refused(server, "ek_unknown"))[0] == 401


async def test_audiosocket_calls_come_by_one_port_too(server: Server) -> None:
    uuid = b"\x01\x00\x10" + bytes(range(16))
    writers: list[Any] = []
    for _ in range(2):
        _, writer = await asyncio.open_connection("127.0.0.1", server.audiosocket)
        writer.write(uuid)
        writers.append(writer)
    for call in await ringing(server, 2):
        assert call["transport"] == "audiosocket"
        async with server.client() as http:  # by whichever gateway
            answer = await http.post(f"/v1/realtime/calls/{call['id']}/accept")
            assert answer.status_code == 200
    await server.until(lambda found: sum(one["sessions"] for one in found) == 2)
    for writer in writers:
        writer.close()
        await writer.wait_closed()
    await server.until(nobody)


async def ringing(server: Server, count: int) -> list[dict[str, Any]]:
    """So many calls that wait for a program."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            live = (await server.get("/v1/calls"))["live"]
            found = [call for call in live if call["state"] == "ringing"]
            if len(found) == count:
                return found
            await asyncio.sleep(0.05)


async def test_a_carriers_call_rings_once_and_its_stream_comes_where_it_may(server: Server) -> None:
    async with server.client() as http:
        here = (await http.get("/readyz")).json()["gateway"]
        first = asyncio.create_task(signed("twilio").send(http))
        (call,) = await ringing(server, 1)
        async with server.by_another(here) as there:  # the carrier heard no answer, and asks again
            before = await server.total("voicepipe_gateway_forwarded_total")
            second = asyncio.create_task(signed("twilio").send(there))
            async with asyncio.timeout(DEADLINE_S):
                while await server.total("voicepipe_gateway_forwarded_total") == before:
                    await asyncio.sleep(0.05)
            assert len(await ringing(server, 1)) == 1
            async with server.by_another(call["gateway"]) as program:
                path = f"/v1/realtime/calls/{call['id']}/accept"
                assert (await program.post(path, json={})).status_code == 200
            answers = await asyncio.gather(first, second)
    assert answers[0].text == answers[1].text
    found = re.search(r'url="wss://voice\.example\.com(/[^"]+)"', answers[0].text)
    assert found is not None
    signature = twilio.sign(f"wss://voice.example.com{found[1]}", SECRET)
    local, headers = f"ws://127.0.0.1:{server.port}{found[1]}", {"x-twilio-signature": signature}
    async with ring(carrier("twilio"), local, headers=headers):
        async with asyncio.timeout(DEADLINE_S):
            while (await server.get("/v1/calls"))["live"][0]["state"] != "active":
                await asyncio.sleep(0.05)
        (live,) = (await server.get("/v1/calls"))["live"]
        assert (live["id"], live["gateway"]) == (call["id"], call["gateway"])
        with pytest.raises(CallRefused):
            async with ring(carrier("twilio"), local, headers=headers):
                pass
    await server.until(nobody)


async def test_a_browsers_call_is_answered_by_its_gateway_and_ended_by_any(server: Server) -> None:
    for path in ("/v1/realtime/calls", "/whip"):
        async with caller() as browser, server.client() as http:
            offered = {"Content-Type": "application/sdp"}
            answer = await http.post(path, content=await browser.offer(), headers=offered)
            await browser.accept(answer)
            await browser.until_state("connected")
            place = answer.headers["Location"]
            async with server.by_another(await server.holder(place.rpartition("/")[2])) as other:
                assert (await other.delete(place)).status_code == 200
            await browser.until_state("closed")
    await server.until(nobody)


async def test_a_dead_gateway_loses_its_own_calls_only_and_is_replaced(server: Server) -> None:
    async with apart(server) as (one, other):
        counted = await server.total("voicepipe_turns_total")
        await asyncio.gather(one.turn(), other.turn())
        counted += 2
        assert await server.total("voicepipe_turns_total") == counted
        victim = await server.holder(one.id)
        found = {gateway["id"]: gateway for gateway in await server.gateways()}
        os.kill(found[victim]["pid"], signal.SIGKILL)
        assert (await ended(one.ws))[0] != 1000
        await other.turn()
        counted += 1
        await server.until(
            lambda now: len(now) == 2 and victim not in [gateway["id"] for gateway in now]
        )
        assert sum(await server.sessions()) == 1  # its seats are free
        assert await server.total("voicepipe_turns_total") == counted  # and its figures kept
        async with talker(server) as new:
            await new.turn()
            async with server.by_another(await server.holder(new.id)) as http:
                lost = await http.post(f"/v1/realtime/calls/{one.id}/hangup")
                assert lost.status_code == 404


async def test_callers_wait_while_no_gateway_lives(server: Server) -> None:
    before = await server.gateways()
    for gateway in before:
        os.kill(gateway["pid"], signal.SIGKILL)
    async with talker(server) as one:  # neither refused nor cut off
        await one.turn()
    await server.until(lambda now: len(now) == 2)
    assert not {one["id"] for one in before} & {one["id"] for one in await server.gateways()}
