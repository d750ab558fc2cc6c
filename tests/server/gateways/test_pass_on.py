"""What is carried to another gateway and back comes as it was."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from starlette.types import Message, Scope
from websockets.asyncio.server import ServerConnection, unix_serve

from voicepipe.server.gateways import pass_on
from voicepipe.server.gateways.pass_on import Door, pass_on_request, pass_on_websocket

LIMIT = 1024 * 1024
"""Of the library, where nothing is said."""
SCOPE: Scope = {
    "type": "websocket",
    "path": "/v1/realtime",
    "query_string": b"",
    "headers": [],
    "subprotocols": [],
}


async def test_the_limit_of_what_a_client_sends_is_none_of_what_it_is_told(tmp_path: Path) -> None:
    """A session's instructions may be longer than a message of its client's."""
    long, door = "x" * (2 * LIMIT), tmp_path / "own.sock"

    async def session(there: ServerConnection) -> None:
        await there.send(long)
        await there.close(1000, "the call has ended")

    came: asyncio.Queue[Message] = asyncio.Queue()
    came.put_nowait({"type": "websocket.connect"})
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async with await unix_serve(session, str(door)), asyncio.timeout(10):
        await pass_on_websocket(Door(door, ()), SCOPE, came.get, send)
    accepted, told, closed = sent
    assert accepted["type"] == "websocket.accept"
    assert told == {"type": "websocket.send", "text": long}
    assert (closed["code"], closed["reason"]) == (1000, "the call has ended")


async def test_last_words_reach_a_slow_client_that_goes_on_speaking(tmp_path: Path) -> None:
    """The session has ended while the client's sound still comes in: it is told all the same."""
    door = tmp_path / "own.sock"

    async def session(there: ServerConnection) -> None:
        for word in ("one", "two", "three"):
            await there.send(word)
        await there.close(4001, "resumed by another connection")

    sent: list[Message] = []

    async def sound() -> Message:
        await asyncio.sleep(0.005)
        return {"type": "websocket.receive", "text": "sound"}

    async def send(message: Message) -> None:
        await asyncio.sleep(0.05)
        sent.append(message)

    async with await unix_serve(session, str(door)), asyncio.timeout(10):
        await pass_on_websocket(Door(door, ()), SCOPE, sound, send)
    assert [one.get("text") for one in sent[1:-1]] == ["one", "two", "three"]
    assert (sent[-1]["type"], sent[-1]["code"]) == ("websocket.close", 4001)


async def test_a_client_that_leaves_while_the_other_is_reached_vanishes_there_too(
    tmp_path: Path,
) -> None:
    """Not closed: a session that it came back to is kept for its next try."""
    door, codes = tmp_path / "own.sock", asyncio.Queue[int | None]()

    async def session(there: ServerConnection) -> None:
        await there.wait_closed()
        codes.put_nowait(there.close_code)

    async def came() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        raise OSError("the client is gone")

    async with await unix_serve(session, str(door)), asyncio.timeout(10):
        await pass_on_websocket(Door(door, ()), SCOPE, came, send)
        assert await codes.get() == 1006


async def test_one_that_holds_a_call_and_does_not_answer_has_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pass_on, "ANSWER_S", 0.2)
    sent: list[Message] = []
    leave = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await leave.wait()
        writer.close()

    async def nothing() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    door = Door(tmp_path / "own.sock", ())
    came: asyncio.Queue[Message] = asyncio.Queue()
    came.put_nowait({"type": "websocket.connect"})
    get: Scope = {**SCOPE, "type": "http", "method": "GET"}
    async with await asyncio.start_unix_server(silent, str(door.socket)), asyncio.timeout(10):
        await pass_on_request(door, get, nothing, send)
        await pass_on_websocket(door, {**SCOPE, "extensions": {}}, came.get, send)
        leave.set()
    statuses = [one["status"] for one in sent if one["type"].endswith("response.start")]
    assert statuses == [504, 504]
    assert b"gateway_timeout" in sent[1]["body"]
