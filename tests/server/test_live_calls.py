"""The registry of live calls: every transport's call is in it, can be followed and hung up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from websockets.asyncio.client import connect

from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.telephony.harness import OPEN, tone
from tests.server.telephony.harness import call as phone_call
from tests.server.test_limits import nothing_left
from tests.server.test_sdk import quiet
from tests.server.test_sdk import tone as spoken
from tests.server.webrtc.caller import call as webrtc_call
from tests.server.webrtc.caller import tone as webrtc_tone
from voicepipe.server.follower import MAX_WAITING, Flushed, Follower, Sound, Told
from voicepipe.server.live_calls import CallNotFound, LiveCall, State
from voicepipe.session import events as ev

DEADLINE_S = 45.0
LONG = "One two three four five six seven eight nine ten. " * 4


async def until(follower: Follower, wanted: Callable[[Told], bool]) -> list[Told]:
    """What came up to the one that is wanted."""
    seen: list[Told] = []
    async with asyncio.timeout(DEADLINE_S):
        async for one in follower:
            seen.append(one)
            if wanted(one):
                return seen
    raise AssertionError(f"the call ended: {seen[-5:]}")


Speak = Callable[[], Awaitable[None]]


@asynccontextmanager
async def by_websocket(server: RunningServer) -> AsyncIterator[Speak]:
    # nobody reads: with a bound the other end's close would not be read either, for ten seconds
    async with connect(f"{server.ws}/realtime", proxy=None, max_queue=None) as socket:

        async def speak() -> None:
            for audio in (spoken(600), quiet(1500)):
                append = {"type": "input_audio_buffer.append", "audio": audio}
                await socket.send(json.dumps(append))

        yield speak


@asynccontextmanager
async def by_webrtc(server: RunningServer) -> AsyncIterator[Speak]:
    async with webrtc_call(server) as one:

        async def speak() -> None:
            await one.microphone.say(webrtc_tone(600))

        yield speak


@asynccontextmanager
async def by_telephone(server: RunningServer) -> AsyncIterator[Speak]:
    async with phone_call(server) as phone:

        async def speak() -> None:
            await phone.say(tone(600))

        yield speak


TRANSPORTS = {"realtime": by_websocket, "webrtc": by_webrtc, "twilio": by_telephone}


async def only_call(server: RunningServer) -> LiveCall:
    async with asyncio.timeout(DEADLINE_S):
        while not len(server.service.live_calls):
            await asyncio.sleep(0.01)
    (call,) = server.service.live_calls
    return call


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_call_of_each_transport_is_listed_followed_and_hung_up(transport: str) -> None:
    engines = simulated_engines(answers=(LONG,))
    ring: Callable[[RunningServer], AbstractAsyncContextManager[Speak]] = TRANSPORTS[transport]
    async with running_server(
        engines,
        telephony=OPEN,
        agents={"desk": {"instructions": "You are the desk."}},
        server={"agent": "desk"},
    ) as server:
        async with ring(server) as speak:
            call = await only_call(server)
            assert (call.parties.transport, call.agent, call.key) == (transport, "desk", "")
            assert call.state is State.ACTIVE
            assert call.session is not None
            assert server.service.live_calls.find(call.session.id) is call
            with call.follow(sound=True) as follower, call.follow() as deaf:
                await speak()
                seen = await until(follower, lambda one: isinstance(one, ev.ResponseCreated))
                sides = {one.side for one in seen if isinstance(one, Sound)}
                assert sides == {"caller"}
                said = await until(
                    follower, lambda one: isinstance(one, Sound) and one.side == "agent"
                )
                assert all(len(one.pcm) % 2 == 0 for one in said if isinstance(one, Sound))
                events = await until(deaf, lambda one: isinstance(one, ev.ResponseCreated))
                assert not any(isinstance(one, Sound | Flushed) for one in events)
                assert await call.hang_up("the program ends it")
                async with asyncio.timeout(DEADLINE_S):
                    async for _ in deaf:
                        pass
            assert call.state.value == "ended"
            with pytest.raises(CallNotFound):
                server.service.live_calls.find(call.id)
        await nothing_left(server)


async def test_interruption_tells_listeners_that_the_rest_is_not_heard() -> None:
    engines = simulated_engines(answers=(LONG, "Yes?"))
    async with running_server(engines, telephony=OPEN) as server, phone_call(server) as phone:
        call = await only_call(server)
        with call.follow(sound=True) as follower:
            await phone.say(tone(400))
            await until(follower, lambda one: isinstance(one, Sound) and one.side == "agent")
            await phone.say(tone(900))
            await until(follower, lambda one: isinstance(one, Flushed))


def test_follower_that_is_too_slow_is_let_go() -> None:
    gone: list[Follower] = []
    slow = Follower(gone.append)
    for _ in range(MAX_WAITING + 1):
        slow.told(ev.SessionUpdated())
    assert slow.too_slow
    assert gone == [slow]


async def test_call_that_has_ended_tells_nothing_more() -> None:
    async with running_server(telephony=OPEN) as server:
        async with by_websocket(server):
            call = await only_call(server)
            assert await call.hang_up()
        with call.follow() as late:
            assert await late.get() is None
        assert await call.hang_up(), "any number of times"
        assert await call.connected() is None
