"""A WebRTC call outlives its connection: a new offer goes on with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.test_limits import nothing_left
from tests.server.webrtc.caller import Caller, call, caller, client, tone
from voicepipe.server.webrtc.peer import Peer
from voicepipe.server.webrtc.switchboard import Switchboard

CALLS = "/v1/realtime/calls"
LONG = "One two three four five six seven. " * 2  # seconds more than it takes to be missed


@asynccontextmanager
async def back(server: RunningServer, token: str, after: str = "") -> AsyncIterator[Caller]:
    async with caller() as one, client(server) as http:
        headers = {"Content-Type": "application/sdp"}
        path = f"{CALLS}?resume={token}&after={after}"
        await one.accept(await http.post(path, content=await one.offer(), headers=headers))
        await one.until_state("connected")
        await one.until("session.created")
        yield one


@asynccontextmanager
async def kept(server: RunningServer, key: str = "") -> AsyncIterator[Caller]:
    """A call that may be resumed, whose client has spoken: so it knows the token."""
    async with call(server, path=f"{CALLS}?resume=on", key=key) as one:
        one.send(type="input_audio_buffer.clear")
        await one.until("input_audio_buffer.cleared")
        yield one


async def refused(server: RunningServer, token: str, key: str = "") -> int:
    async with caller() as one, client(server, key) as http:
        headers = {"Content-Type": "application/sdp"}
        offer = await one.offer()
        path = f"{CALLS}?resume={token}"
        return (await http.post(path, content=offer, headers=headers)).status_code


def token_of(one: Caller) -> str:
    return str(one.events[0]["session"]["voicepipe"]["resume"]["token"])


async def test_the_agent_waits_for_the_listener_and_goes_on_at_a_new_connection() -> None:
    """The first one's network goes without a word; the second comes before the server knows."""
    async with running_server(simulated_engines(answers=(LONG,))) as server:
        async with kept(server) as first:
            first.microphone.say(tone(600))
            await first.until_loud()
            first.microphone.unmuted.clear()  # not a packet more
            await first.until_silent()
            (session,) = server.service.sessions
            last = first.events[-1]["event_id"]
            before = len(first.loudness)
            async with back(server, token_of(first), last) as second:
                assert second.events[0]["session"]["voicepipe"]["resume"]["complete"]
                assert second.events[0]["session"]["id"] == session.id
                await second.until_loud()
                done = await second.until("output_audio_buffer.stopped")
                assert server.service.sessions == {session}
                came = first.events[:before] + second.events
                responses = [e for e in came if e["type"] == "response.done"]
                assert [e["response"]["status"] for e in responses] == ["completed"]
                assert responses[0]["response"]["id"] == done["response_id"]
                assert second.location == first.location
                async with client(server) as http:
                    await http.post(f"{second.location}/hangup")
        await nothing_left(server)


async def test_a_call_whose_connection_is_gone_is_kept_for_its_own_key() -> None:
    async with running_server(server={"api_key": "right"}) as server:
        async with kept(server, key="right") as first:
            token = token_of(first)
        switchboard: Switchboard = server.app.state.switchboard  # `first` has closed, unsaid
        assert await refused(server, token, "wrong") == 404
        assert len(switchboard) == 1
        async with client(server, "right") as http:
            assert (await http.post(f"{first.location}/hangup")).status_code == 200
        assert len(switchboard) == 0
        assert await refused(server, token, "right") == 404
        await nothing_left(server)


async def test_a_call_that_hangs_up_or_did_not_ask_is_not_kept() -> None:
    async with running_server(limits={"resume_s": 0.5}) as server:
        async with kept(server) as first, client(server) as http:
            await http.post(f"{first.location}/hangup")
        await nothing_left(server)
        async with call(server) as stock:
            assert "voicepipe" not in stock.events[0]["session"]
        await nothing_left(server)
        async with kept(server):
            pass  # nobody comes back
        await nothing_left(server)


def slow_to_close(monkeypatch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    """Connections close when the second event is set; the first says that one has begun to."""
    closing, goes_on = asyncio.Event(), asyncio.Event()
    disconnect = Peer._disconnect

    async def slow(peer: Peer) -> None:
        closing.set()
        await goes_on.wait()
        await disconnect(peer)

    monkeypatch.setattr(Peer, "_disconnect", slow)
    return closing, goes_on


async def test_a_call_that_is_ended_while_its_connection_closes_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closing, goes_on = slow_to_close(monkeypatch)
    async with running_server() as server:
        async with kept(server):
            (live,) = server.service.live_calls
        await closing.wait()
        ending = asyncio.create_task(live.hang_up("the owner's wish"))
        await asyncio.sleep(0)
        goes_on.set()
        assert await ending
        await nothing_left(server)


@pytest.mark.parametrize("by", ["client", "owner"])
async def test_a_call_that_was_hung_up_does_not_go_on(
    by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection closes still when its client comes back, as one does by itself."""
    closing, goes_on = slow_to_close(monkeypatch)
    async with running_server() as server, client(server) as http:
        async with kept(server) as first:
            pass
        await closing.wait()
        path = first.location if by == "client" else f"{first.location}/hangup"
        method = "DELETE" if by == "client" else "POST"
        ending = asyncio.create_task(http.request(method, path), name="Task-ending")
        switchboard: Switchboard = server.app.state.switchboard
        (peer,) = switchboard._peers.values()
        async with asyncio.timeout(5):
            while not peer._hung_up:
                await asyncio.sleep(0.01)
        coming_back = asyncio.create_task(refused(server, token_of(first)), name="Task-back")
        await asyncio.wait([coming_back], timeout=0.5)
        goes_on.set()
        assert await coming_back == 404
        assert (await ending).status_code == 200
        await nothing_left(server)


@pytest.mark.parametrize("why", ["the server stops", "its time is up", "nobody reads"])
async def test_a_call_that_nobody_can_come_back_to_is_kept_no_longer(why: str) -> None:
    """It has a seat, and a server that stops waits for it."""
    async with running_server() as server:
        async with kept(server):
            (peer,) = server.app.state.switchboard._peers.values()
        async with asyncio.timeout(5):
            while not peer._kept or peer._ended.is_set():
                await asyncio.sleep(0.02)
        if why == "the server stops":
            server.service.refuse_newcomers()
        elif why == "its time is up":
            peer.until_s = server.service.clock.now()
        else:
            peer.session.outbox.close()
        await nothing_left(server)


@pytest.mark.parametrize("kind", ["token", "offer"])
async def test_what_cannot_go_on_is_refused(kind: str) -> None:
    async with running_server() as server, kept(server) as first:
        if kind == "token":
            assert await refused(server, "guess") == 404
        else:
            async with client(server) as http:
                path = f"{CALLS}?resume={token_of(first)}"
                headers = {"Content-Type": "application/sdp"}
                assert (await http.post(path, content="v=0", headers=headers)).status_code == 422
        first.send(type="input_audio_buffer.clear")
        await first.until("input_audio_buffer.cleared")


async def test_a_call_that_is_kept_goes_on() -> None:
    async with running_server() as server:
        async with kept(server) as first:
            pass
        async with back(server, token_of(first)) as second:
            second.send(type="input_audio_buffer.clear")
            await second.until("input_audio_buffer.cleared")
            second.microphone.say(tone(600))
            await second.until_loud()
            async with client(server) as http:
                await http.post(f"{second.location}/hangup")
        await nothing_left(server)
