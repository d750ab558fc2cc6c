"""What is carried to another gateway and back comes as it was."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.types import Message, Scope
from websockets.asyncio.server import ServerConnection, unix_serve

from voicepipe.server.gateways.pass_on import Door, pass_on_websocket

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
