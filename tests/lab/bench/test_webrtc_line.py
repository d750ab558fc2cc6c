"""The load client's own WebRTC, against real servers over real UDP."""

from __future__ import annotations

import asyncio

import pytest

from tests.server.harness import running_server, simulated_engines
from voicepipe.lab.bench import webrtc_line
from voicepipe.lab.bench.caller import Caller, Question
from voicepipe.lab.bench.load import Plan, webrtc_load
from voicepipe.lab.bench.recordings import SILENCE, buzz
from voicepipe.lab.bench.socket_line import ConnectError
from voicepipe.lab.relay import Weather
from voicepipe.runtime.clock import MonotonicClock


def caller() -> Caller[bytes]:
    encode = webrtc_line.Encoder().encode
    question = Question.of(buzz(), encode)
    return Caller(0, [question], encode(SILENCE), MonotonicClock(), turns=2, answer_timeout_s=10)


async def test_a_load_is_answered_and_leaves_no_session_behind() -> None:
    engines = simulated_engines(answers=("Yes.",))
    async with running_server(engines, limits={"max_sessions": 2}) as server:
        outcome = await webrtc_load(Plan((buzz(),), 2, 1, stagger_s=0.2), server.ws)
        assert [turn.lost for turn in outcome.turns] == [None, None]
        assert outcome.problems == []
        for turn in outcome.turns:
            assert turn.record is not None
            assert turn.voice_to_voice_ms is not None
            assert turn.voice_to_voice_ms > turn.record["voice_to_voice_ms"] - 20
        async with asyncio.timeout(5):
            while server.service.sessions:
                await asyncio.sleep(0.01)


async def test_a_refusal_says_why_and_closes_what_was_open() -> None:
    # A caller that is cut off while its call is set up leaves that to the server's deadline.
    async with running_server(limits={"max_sessions": 1}, webrtc={"max_setup_s": 0.5}) as server:
        with pytest.raises(ConnectError, match=r"status 429: the server holds 1 sessions"):
            await webrtc_load(Plan((buzz(),), 3, 1), server.ws)
        async with asyncio.timeout(5):
            while server.service.sessions:
                await asyncio.sleep(0.01)
    async with running_server(server={"api_key": "secret"}) as server:
        with pytest.raises(ConnectError, match="status 401: Wrong or missing API key"):
            await webrtc_line.connect(server.ws, "wrong", caller())
        line = await webrtc_line.connect(server.ws, "secret", caller())
        await line.aclose()


@pytest.mark.parametrize("url", ["nonsense", "ws://127.0.0.1:9/v1"])
async def test_where_nobody_listens_is_said(url: str) -> None:
    with pytest.raises(ConnectError, match=url):
        await webrtc_line.connect(url, None, caller())


async def test_the_address_may_be_the_one_that_the_server_prints() -> None:
    async with running_server() as server:
        line = await webrtc_line.connect(f"{server.ws}/realtime", None, caller())
        await line.aclose()


async def test_an_answer_that_bad_weather_cannot_be_laid_before_is_said() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"a=end-of-candidates")
        writer.write(b"HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\nv=0\r\n")
        await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(ConnectError, match="no IPv4 host candidate"):
        await webrtc_line.connect(f"ws://127.0.0.1:{port}/v1", None, caller(), Weather(0.1))
    server.close()
    await server.wait_closed()


async def test_a_server_that_goes_away_loses_the_turns_and_ends_the_run() -> None:
    one = caller()
    async with running_server() as server:
        one.line = line = await webrtc_line.connect(server.ws, None, one)
        running = asyncio.create_task(one.run(0))
        while one._exchange is None:
            await asyncio.sleep(0.01)
    async with asyncio.timeout(10):
        await running
    assert [turn.lost for turn in one.finished] == ["the connection closed"] * 2
    await line.aclose()
