"""A program joins a running call with the official SDK, over every transport."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from openai import AsyncOpenAI, NotFoundError
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.server.harness import running_server, simulated_engines
from tests.server.telephony.harness import OPEN, tone
from tests.server.telephony.harness import call as phone_call
from tests.server.test_live_calls import DEADLINE_S, TRANSPORTS, only_call
from tests.server.test_sdk import client, types, until
from voicepipe.llm.engines.simulated import Answer
from voicepipe.server.live_calls import MAX_FOLLOWERS
from voicepipe.session.session import Session

WEATHER: Any = {
    "type": "function",
    "name": "get_weather",
    "description": "Weather of a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def weather_engines() -> Any:
    return simulated_engines(
        answers=(Answer(tool=("get_weather", '{"city": "Paris"}')), "It is sunny in Paris.")
    )


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_program_gives_a_call_a_tool_and_its_result(transport: str) -> None:
    engines = weather_engines()
    async with running_server(engines, telephony=OPEN) as server:
        async with TRANSPORTS[transport](server) as speak:
            call = await only_call(server)
            async with client(server) as openai, openai.realtime.connect(call_id=call.id) as c:
                seen: list[Any] = []
                created = await until(c, "session.created", seen)
                assert call.session is not None
                assert created.session.id == call.session.id
                await c.session.update(
                    session={"type": "realtime", "instructions": "Be brief.", "tools": [WEATHER]}
                )
                updated = await until(c, "session.updated", seen)
                assert updated.session.tools[0].name == "get_weather"
                assert call.session.settings.instructions == "Be brief."
                await speak()
                done = await until(c, "response.done", seen, DEADLINE_S)
                output = done.response.output[0]
                assert output.type == "function_call"
                await c.conversation.item.create(
                    item={
                        "type": "function_call_output",
                        "call_id": output.call_id,
                        "output": "sunny",
                    }
                )
                await c.response.create()
                done = await until(c, "response.done", seen, DEADLINE_S)
                assert done.response.output[0].content[0].transcript == "It is sunny in Paris."
                assert not [kind for kind in types(seen) if kind.endswith("audio.delta")]
                assert not [kind for kind in types(seen) if kind.startswith("voicepipe.")]
                await openai.realtime.calls.hangup(call.id)
                async with asyncio.timeout(DEADLINE_S):
                    async for _ in c:
                        pass
            assert not len(server.service.live_calls)


async def test_program_reads_the_callers_keys() -> None:
    async with running_server(telephony=OPEN) as server, phone_call(server) as phone:
        call = await only_call(server)
        async with client(server) as openai, openai.realtime.connect(call_id=call.id) as c:
            seen: list[Any] = []
            await until(c, "session.created", seen)
            await phone.press("4#")
            told = [await until(c, "input_audio_buffer.dtmf_event_received", seen) for _ in "4#"]
            assert [event.event for event in told] == ["4", "#"]
            assert all(event.received_at > 1_700_000_000 for event in told)


async def test_update_of_the_program_reaches_the_client_and_the_clients_the_program() -> None:
    async with running_server() as server:
        async with (
            client(server) as openai,
            openai.realtime.connect(model="m") as own,
            openai.realtime.connect(call_id=(await only_call(server)).id) as program,
        ):
            seen: list[Any] = []
            created = await until(own, "session.created", seen)
            joined = await until(program, "session.created", seen)
            assert joined.session == created.session
            await program.session.update(
                session={
                    "type": "realtime",
                    "tools": [WEATHER],
                    "audio": {"output": {"format": {"type": "audio/pcmu"}}},
                }
            )
            updated = await until(own, "session.updated", seen)
            assert updated.session.tools[0].name == "get_weather"
            assert updated.session.audio.output.format.type == "audio/pcm", "the client's business"
            await until(program, "session.updated", seen)
            await own.session.update(session={"type": "realtime", "instructions": "From me."})
            updated = await until(program, "session.updated", seen)
            assert updated.session.instructions == "From me."
            assert updated.session.tools[0].name == "get_weather"


async def test_mistakes_of_the_program_are_told_to_the_program_alone() -> None:
    async with running_server(telephony=OPEN) as server, phone_call(server):
        call = await only_call(server)
        with call.follow() as follower:
            async with client(server) as openai, openai.realtime.connect(call_id=call.id) as c:
                seen: list[Any] = []
                await c.input_audio_buffer.append(audio="AAAA")
                assert "its own client" in (await until(c, "error", seen)).error.message
                await c.response.cancel()
                assert (await until(c, "error", seen)).error.code == "response_cancel_not_active"
                await c.conversation.item.retrieve(item_id="item_none")
                error = (await until(c, "error", seen)).error
                assert error.code == "item_retrieve_invalid_item_id"
        assert await follower.get() is None, "nothing of it was told to others"


async def test_server_that_stops_lets_programs_end_its_calls() -> None:
    async with running_server(telephony=OPEN) as server, phone_call(server) as phone:
        call = await only_call(server)
        server.service.refuse_newcomers()
        assert await status(f"{server.ws}/realtime?call_id={call.id}", "") == 101
        async with client(server) as openai:
            await openai.realtime.calls.hangup(call.id)
        await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)


async def test_message_too_long_and_a_program_too_many_are_refused() -> None:
    async with running_server(telephony=OPEN) as server, phone_call(server):
        call = await only_call(server)
        url = f"{server.ws}/realtime?call_id={call.id}"
        async with connect(url, proxy=None) as socket:
            await socket.recv()
            await socket.send(json.dumps({"type": "session.update", "session": "x" * 300_000}))
            error = json.loads(await socket.recv())["error"]
            assert error["code"] == "message_too_large"
            others = [call.follow() for _ in range(MAX_FOLLOWERS - 1)]
            assert await status(url, "") == 429
            for other in others:
                other.close()
            assert await status(url, "") == 101


async def test_calls_that_are_not_there_or_not_ones_own_are_not_found() -> None:
    keys = {"shop": {"key": "shop-key-1"}, "bank": {"key": "bank-key-1"}}
    settings: dict[str, Any] = {"server": {"api_key": "owner-key"}, "keys": keys, "telephony": OPEN}
    async with running_server(**settings) as server, phone_call(server):
        phone = await only_call(server)
        url = f"{server.ws}/realtime?call_id="
        assert await status(f"{url}rtc_none", "owner-key") == 404
        assert await status(url + phone.id, "") == 401
        assert await status(url + phone.id, "shop-key-1") == 404, "no telephone for named keys"
        assert await status(url + phone.id, "owner-key") == 101
        bearer = {"Authorization": "Bearer shop-key-1"}
        async with connect(f"{server.ws}/realtime", additional_headers=bearer, proxy=None) as own:
            session = json.loads(await own.recv())["session"]["id"]
            assert await status(url + session, "bank-key-1") == 404
            assert await status(url + session, "shop-key-1") == 101
        stranger = AsyncOpenAI(api_key="shop-key-1", base_url=f"{server.http}/v1")
        with pytest.raises(NotFoundError):
            await stranger.realtime.calls.hangup(phone.id)
        await stranger.close()


async def status(url: str, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with connect(url, additional_headers=headers, proxy=None) as socket:
            await socket.recv()
            return 101
    except InvalidStatus as error:
        return error.response.status_code


async def test_program_sees_turns_measured_where_it_asks() -> None:
    async with running_server(telephony=OPEN) as running, phone_call(running) as phone:
        call = await only_call(running)
        async with connect(f"{running.ws}/realtime?call_id={call.id}", proxy=None) as socket:
            update = {"type": "realtime", "voicepipe": {"turn_events": True}}
            await socket.send(json.dumps({"type": "session.update", "session": update}))
            await phone.say(tone(400))
            async with asyncio.timeout(DEADLINE_S):
                while json.loads(await socket.recv())["type"] != "voicepipe.turn":
                    pass


async def test_a_fault_of_ours_is_no_end_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: Any) -> None:
        raise RuntimeError("a fault of ours")

    async with running_server(telephony=OPEN) as server, phone_call(server, "twilio"):
        call = await only_call(server)
        url = f"{server.ws}/realtime?call_id={call.id}"
        async with connect(url, proxy=None) as program:
            await program.recv()
            monkeypatch.setattr(Session, "handle", fails)
            await program.send('{"type": "response.create"}')
            await asyncio.wait_for(program.wait_closed(), DEADLINE_S)
            assert program.close_code == 1011
