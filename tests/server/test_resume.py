"""A session outlives its connection, for a client that asked for that."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.test_limits import nothing_left
from tests.server.test_sdk import quiet, tone
from voicepipe.server.resume import TAKEN, SentFrames, event_id_of

DEADLINE_S = 20
LONG = "One two three four five six seven. " * 6
NOTE = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}


class Client:
    """Remembers all that came."""

    def __init__(self, ws: ClientConnection) -> None:
        self.ws = ws
        self.events: list[dict[str, Any]] = []

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(DEADLINE_S):
            event: dict[str, Any] = json.loads(await self.ws.recv())
        self.events.append(event)
        return event

    async def until(self, kind: str) -> dict[str, Any]:
        while (event := await self.next())["type"] != kind:
            pass
        return event

    async def send(self, **event: Any) -> None:
        await self.ws.send(json.dumps(event))

    async def add_item(self) -> str:
        await self.send(type="conversation.item.create", item=NOTE)
        event = await self.until("conversation.item.done")
        return str(event["item"]["id"])

    @property
    def resume(self) -> dict[str, Any]:
        told: dict[str, Any] = self.events[0]["session"]["voicepipe"]["resume"]
        return told

    def drop(self) -> None:
        """As when a telephone leaves the cell: nothing is said."""
        self.ws.transport.abort()

    async def close_code(self) -> int | None:
        async with asyncio.timeout(DEADLINE_S):
            await self.ws.wait_closed()
        return self.ws.close_code


@asynccontextmanager
async def client(server: RunningServer, query: str, key: str = "") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    address = f"{server.ws}/realtime?model=m&{query}"
    async with connect(address, additional_headers=headers, max_size=None) as ws:
        one = Client(ws)
        await one.next()
        if query == "resume=on":  # who has spoken knows the token
            await one.send(type="input_audio_buffer.clear")
            await one.until("input_audio_buffer.cleared")
        yield one


async def refused(server: RunningServer, query: str, key: str = "") -> int:
    with pytest.raises(InvalidStatus) as raised:
        async with client(server, query, key):
            pass
    return raised.value.response.status_code


async def test_history_goes_on_where_the_connection_dropped() -> None:
    async with running_server() as server:
        async with client(server, "resume=on") as first:
            item = await first.add_item()
            token = first.resume["token"]
            assert not first.resume["resumed"]
            first.drop()
        async with client(server, f"resume={token}") as second:
            assert second.resume == {**second.resume, "resumed": True, "complete": True}
            assert second.events[0]["session"]["id"] == first.events[0]["session"]["id"]
            await second.send(type="conversation.item.retrieve", item_id=item)
            assert (await second.until("conversation.item.retrieved"))["item"]["id"] == item
            assert server.service.sessions_opened == 1
        await nothing_left(server)
        assert await refused(server, f"resume={token}") == 404


async def test_speech_goes_on_behind_the_last_event_that_came() -> None:
    async with running_server(simulated_engines(answers=(LONG,))) as server:
        async with client(server, "resume=on") as first:
            await first.send(type="conversation.item.create", item=NOTE)
            await first.send(type="response.create")
            for _ in range(3):
                last = await first.until("response.output_audio.delta")
            first.drop()  # and with it whatever was on its way
        token = first.resume["token"]
        async with client(server, f"resume={token}&after={last['event_id']}") as second:
            await second.until("response.done")
        came = first.events[1:] + second.events[1:]
        ids = [event["event_id"] for event in came]
        assert len(set(ids)) == len(ids)
        kinds = [event["type"] for event in came]
        assert kinds.count("response.created") == kinds.count("response.done") == 1
        deltas = [e for e in came if e["type"] == "response.output_audio_transcript.delta"]
        assert "".join(event["delta"] for event in deltas).strip() == LONG.strip()


async def test_one_that_drops_again_before_anything_else_came_misses_nothing() -> None:
    """The newest event that its client has is the opening of a connection."""
    async with running_server() as server:
        async with client(server, "resume=on") as first:
            token, last = first.resume["token"], first.events[-1]["event_id"]
            await first.send(type="conversation.item.create", item=NOTE)
            await first.until("conversation.item.done")  # and that, the client lost with the rest
            missed = [event["event_id"] for event in first.events[2:]]
            first.drop()
        opening = last
        for _ in range(3):
            async with client(server, f"resume={token}&after={opening}") as again:
                assert again.resume["complete"]
                opening = again.events[0]["event_id"]
                again.drop()
        async with client(server, f"resume={token}&after={opening}") as second:
            assert second.resume["complete"]
            assert [(await second.next())["event_id"] for _ in missed] == missed


async def test_one_that_has_only_its_first_opening_gets_the_rest() -> None:
    async with running_server() as server:
        async with client(server, "resume=on") as first:
            opening, cleared = (event["event_id"] for event in first.events)
            first.drop()
        async with client(server, f"resume={first.resume['token']}&after={opening}") as second:
            assert second.resume["complete"]
            assert (await second.next())["event_id"] == cleared


async def test_a_turn_that_ends_meanwhile_is_answered_to_the_next_connection() -> None:
    async with running_server() as server:
        async with client(server, "resume=on") as first:
            await first.send(type="input_audio_buffer.append", audio=tone(800))
            await first.send(type="input_audio_buffer.append", audio=quiet(100))
            await first.until("input_audio_buffer.speech_started")
            first.drop()  # the server notices that no more comes, and ends the turn
        async with client(server, f"resume={first.resume['token']}") as second:
            done = await second.until("response.done")
            assert done["response"]["status"] == "completed"


@pytest.mark.parametrize("key", ["the-owners-key", "key-of-the-shop"])
async def test_only_the_same_key_may_resume(key: str) -> None:
    sections: dict[str, Any] = {
        "server": {"api_key": "the-owners-key"},
        "keys": {"shop": {"key": "key-of-the-shop"}},
    }
    other = {"the-owners-key", "key-of-the-shop"} - {key}
    async with running_server(**sections) as server:
        async with client(server, "resume=on", key) as first:
            first.drop()
        token = first.resume["token"]
        for wrong in (*other, "", "ek_guess"):
            assert await refused(server, f"resume={token}", wrong) == 404
        async with client(server, f"resume={token}", key) as second:
            assert second.resume["resumed"]


async def test_the_newer_connection_wins_and_the_older_is_told() -> None:
    """The older need not have dropped: its network may be gone without a word."""
    async with running_server() as server, client(server, "resume=on") as first:
        token = first.resume["token"]
        async with client(server, f"resume={token}") as second:
            assert await first.close_code() == TAKEN
            async with client(server, f"resume={token}") as third:
                assert await second.close_code() == TAKEN
                await third.add_item()
                assert server.service.sessions_opened == 1
        await nothing_left(server)


async def test_one_that_has_only_listened_goes_on_at_a_newer_connection() -> None:
    async with running_server() as server:
        async with connect(f"{server.ws}/realtime?resume=on") as ws:
            first = Client(ws)
            await first.next()
            async with client(server, f"resume={first.resume['token']}") as second:
                assert await first.close_code() == TAKEN
                assert second.events[0]["session"]["id"] == first.events[0]["session"]["id"]
                await second.add_item()
        await nothing_left(server)


async def test_two_that_come_at_once_one_has_it_and_one_is_told() -> None:
    async with running_server() as server:
        async with client(server, "resume=on") as first:
            first.drop()
        address = f"{server.ws}/realtime?resume={first.resume['token']}"
        racing = await asyncio.gather(*(connect(address) for _ in range(4)))
        codes = []
        for ws in racing[:-1]:
            codes.append(await Client(ws).close_code())
        winner = Client(racing[-1])
        assert codes == [TAKEN] * 3
        await winner.next()
        await winner.add_item()
        await winner.ws.close()
        await nothing_left(server)


async def test_who_was_gone_before_it_said_anything_is_not_kept() -> None:
    """A browser whose page hangs up while it connects: it knows no token."""
    async with running_server() as server:
        async with connect(f"{server.ws}/realtime?resume=on") as ws:
            await ws.recv()
            ws.transport.abort()
        await nothing_left(server)


async def test_who_hangs_up_is_not_kept() -> None:
    async with running_server() as server:
        async with client(server, "resume=on") as first:
            pass  # closes with 1000
        await nothing_left(server)
        assert await refused(server, f"resume={first.resume['token']}") == 404


async def test_nobody_is_kept_who_did_not_ask_or_for_longer_than_the_limit() -> None:
    async with running_server(limits={"resume_s": 0.3}) as server:
        async with client(server, "") as stock:
            assert "voicepipe" not in stock.events[0]["session"]
            stock.drop()
        await nothing_left(server)
        async with client(server, "resume=on") as first:
            assert first.resume["seconds"] == 0.3
            first.drop()
        await nothing_left(server)
        assert await refused(server, f"resume={first.resume['token']}") == 404


async def test_a_server_that_stops_waits_for_nobody() -> None:
    async with running_server(server={"shutdown_s": 0.1}) as server:
        async with client(server, "resume=on") as first:
            first.drop()
        began = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - began < 10


async def test_what_a_client_does_not_read_ends_a_kept_session_too() -> None:
    engines = simulated_engines(answers=(LONG,))
    async with running_server(engines, limits={"max_events_queued": 10}) as server:
        async with client(server, "resume=on") as first:
            await first.send(type="conversation.item.create", item=NOTE)
            await first.send(type="response.create")
            first.drop()
        await nothing_left(server)


def frame(number: int, size: int = 0) -> str:
    return json.dumps(
        separators=(",", ":"), obj={"type": "x", "event_id": f"event_{number}", "delta": "A" * size}
    )


def test_sent_frames_are_bounded_and_known_by_their_ids() -> None:
    sent = SentFrames(max_bytes=1000)
    sent.add(frame(n, 200) for n in range(20))

    assert sent.after("event_1") is None
    kept = sent.after("event_17")
    assert kept == [frame(18, 200), frame(19, 200)]
    assert sent.after("event_19") == []


def test_an_errors_own_id_is_not_that_of_what_it_complains_about() -> None:
    error = '{"type":"error","error":{"event_id":"mine"},"event_id":"event_3"}'
    assert event_id_of(error) == "event_3"
    assert event_id_of('{"type":"input_audio_buffer.dtmf_event_received","event":"1"}') == ""
