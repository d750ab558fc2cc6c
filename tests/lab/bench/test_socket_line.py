"""The load client's own WebSocket, against real servers: ours, and ones that misbehave."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from tests.server.harness import running_server, simulated_engines
from voicepipe.lab.bench import socket_line
from voicepipe.lab.bench.caller import Caller, Question
from voicepipe.lab.bench.load import Plan, socket_load
from voicepipe.lab.bench.recordings import SILENCE, buzz
from voicepipe.lab.bench.socket_line import ConnectError
from voicepipe.runtime.clock import MonotonicClock


def caller(turns: int = 1) -> Caller[bytes]:
    question = Question.of(buzz(), socket_line.encode)
    silence = socket_line.encode(SILENCE)
    return Caller(0, [question], silence, MonotonicClock(), turns=turns, answer_timeout_s=10)


async def test_a_load_leaves_no_session_behind() -> None:
    engines = simulated_engines(answers=("Yes.",))
    async with running_server(engines, limits={"max_sessions": 2}) as server:
        outcome = await socket_load(Plan((buzz(),), 2, 1, stagger_s=0.2), server.ws)
        assert [turn.lost for turn in outcome.turns] == [None, None]
        assert outcome.problems == []
        assert outcome.after is None  # whose process it is was not said
        async with asyncio.timeout(5):
            while server.service.sessions:
                await asyncio.sleep(0.01)


async def test_a_refusal_says_why_and_closes_what_was_open() -> None:
    async with running_server(limits={"max_sessions": 1}) as server:
        with pytest.raises(ConnectError, match=r"status 429: the server holds 1 sessions"):
            await socket_load(Plan((buzz(),), 3, 1), server.ws)
        async with asyncio.timeout(5):
            while server.service.sessions:
                await asyncio.sleep(0.01)
    async with running_server(server={"api_key": "secret"}) as server:
        with pytest.raises(ConnectError, match="status 401: Wrong or missing API key"):
            await socket_line.connect(server.ws, "wrong", caller())
        line = await socket_line.connect(server.ws, "secret", caller())
        await line.aclose()


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1/v1", "ws://[::1/v1", "ws://h:99999"])
async def test_what_is_no_address_is_named(url: str) -> None:
    with pytest.raises(ConnectError, match="not an address like ws://host:port/v1"):
        await socket_line.connect(url, None, caller())


async def test_what_is_no_host_is_named() -> None:
    with pytest.raises(ConnectError, match=r"ws://a\.\.b/v1"):
        await socket_line.connect("ws://a..b/v1", None, caller())


async def test_a_server_that_goes_away_loses_the_turns_and_ends_the_run() -> None:
    async def hang_up(connection: ServerConnection) -> None:
        await connection.send('{"type": "session.created"}')
        await connection.recv()
        await connection.send('{"type": "session.updated"}')
        await connection.recv()
        await connection.close(1011, "out of order")

    async with serve(hang_up, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        outcome = await socket_load(Plan((buzz(),), 1, 2), f"ws://127.0.0.1:{port}/v1")
    why = "the connection closed (1011: out of order)"
    assert [turn.lost for turn in outcome.turns] == [why, why]


async def test_messages_in_pieces_pings_and_unknown_events() -> None:
    """A fragmented message counts as one, pings are answered, unknown events are passed over."""
    heard: list[dict[str, Any]] = []

    async def answer(connection: ServerConnection) -> None:
        await connection.send('{"type": "session.created"}')
        heard.append(json.loads(await connection.recv()))
        await connection.send(['{"type": "ses', "sion.upd", 'ated"}'])
        heard.append(json.loads(await connection.recv()))
        await connection.send('{"type": "of.tomorrow", "x": 1}')
        await (await connection.ping())
        await connection.send(json.dumps({"type": "voicepipe.turn", "turn": {"end": "failed"}}))
        error = {"type": "error", "error": {"message": "not so", "code": "x"}}
        await connection.send(json.dumps(error))
        await connection.wait_closed()

    async with serve(answer, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        one = caller()
        line = await socket_line.connect(f"ws://127.0.0.1:{port}/v1", None, one)
        line.send(socket_line.encode(SILENCE))
        async with asyncio.timeout(5):
            while not one.problems:
                await asyncio.sleep(0.01)
        await line.aclose()
    assert [message["type"] for message in heard] == ["session.update", "input_audio_buffer.append"]
    assert heard[0]["session"]["voicepipe"] == {"turn_events": True}
    assert one.problems[0] == "not so"
