"""Emulated calls as a load: addresses and figures."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from tests.server.harness import simulated_engines
from tests.server.telephony.harness import phone_server, tone
from voicepipe.lab.bench.phone import make_call, stream_url, turns_of
from voicepipe.lab.bench.phone_load import FIGURES, CallPlan, CallsHeard, phone_load, summary
from voicepipe.lab.bench.recordings import SILENCE, buzz
from voicepipe.runtime.errors import ConfigError


@pytest.mark.parametrize(
    ("server", "name", "expected"),
    [
        ("ws://h:1", "twilio", "ws://h:1/telephony/twilio"),
        ("ws://h:1/v1", "vonage", "ws://h:1/telephony/vonage"),
        ("https://h", "plain", "wss://h/v1/pcm"),
        ("http://h:1/", "asterisk", "ws://h:1/telephony/asterisk"),
        ("wss://h/my/path", "telnyx", "wss://h/my/path"),
        ("tcp://h:9092", "audiosocket", "tcp://h:9092"),
    ],
)
def test_address_of_a_stream(server: str, name: str, expected: str) -> None:
    assert stream_url(server, name) == expected


def test_audiosocket_of_our_own_server() -> None:
    assert stream_url("ws://h:1/v1", "audiosocket", 9092) == "tcp://h:9092"


@pytest.mark.parametrize(
    ("server", "name", "named"),
    [
        ("h:1", "twilio", "ws://host:port"),
        ("ws://[::1", "twilio", "ws://host:port"),
        ("ws://h:1", "audiosocket", "tcp://host:port"),
    ],
)
def test_address_that_is_none_is_named(server: str, name: str, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        stream_url(server, name)


async def test_a_server_that_answers_turns_with_a_page_has_none() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>")
        await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    assert await turns_of(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", None) == ()
    server.close()
    await server.wait_closed()


def test_summary_joins_ledger_and_ears() -> None:
    plan = CallPlan((), calls=2, turns=2)
    heard = CallsHeard(ear_ms=[400.0, 500.0, 900.0], call_s=50.0, cpu_s=0.5, lost=1)
    heard.problems["a rule"] += 2
    ledger: list[dict[str, Any]] = [
        {"voice_to_voice_ms": 350.0, "overhead_ms": 3.0},
        {"voice_to_voice_ms": 450.0, "overhead_ms": None},
        {"voice_to_voice_ms": None},
    ]
    found = summary(plan, heard, ledger, 0.5)
    assert set(found) <= set(FIGURES)
    assert found["turns"] == 4
    assert found["answered_turns"] == 3
    assert found["lost_turns"] == 1
    assert found["ledger_turns"] == 2
    assert found["problems"] == 2
    assert found["max_v2v_ms"] == 450.0
    assert found["p50_overhead_ms"] == found["p99_overhead_ms"] == 3.0
    assert found["p50_ear_ms"] == 500.0
    assert found["cpu_percent_per_call"] == 1.0


async def test_a_greeting_or_an_answer_that_takes_its_time_is_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Longer than an answer is waited for; and one without end is spoken into."""
    greeting = {"text": "Good morning, this is the bakery. What can I do for you today?"}
    engines = simulated_engines(answers=("One two three four five six seven. " * 20,))
    monkeypatch.setattr("voicepipe.lab.bench.phone.LONGEST_S", 4.0)
    async with phone_server(engines, greeting=greeting) as server:
        target = stream_url(server.ws, "twilio")
        made = await make_call("twilio", target, [tone(400)], wait_s=1.0)
    assert made.answered
    assert made.heard.sound_after(made.spoken_at) is not None


async def test_a_bridges_calls_bring_the_servers_key() -> None:
    engines = simulated_engines(answers=("Yes.",))
    async with phone_server(engines, server={"api_key": "secret"}) as server:
        target = stream_url(server.ws, "plain")
        plan = CallPlan((buzz(),), 1, 1, spread_s=0)
        heard = await phone_load(plan, "plain", target, os.getpid(), key="secret")
    assert (heard.lost, heard.problems) == (0, {})


async def test_an_answer_without_end_is_lost_and_not_answered_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voicepipe.lab.bench.phone_load.ANSWER_S", 2.0)
    engines = simulated_engines(answers=("One two three four five six seven. " * 20,))
    async with phone_server(engines) as server:
        plan = CallPlan((buzz(),), 1, 1, spread_s=0)
        heard = await phone_load(plan, "twilio", stream_url(server.ws, "twilio"), os.getpid())
    assert (len(heard.ear_ms), heard.lost) == (0, 1)


async def test_a_question_on_a_dead_line_is_lost_whatever_was_heard_before() -> None:
    """Its recording ends in silence: what was heard just before the line broke is no answer to it,
    and was not waited for 0 ms."""
    spoken = buzz()
    frames = (*spoken.frames[: spoken.last_voiced + 1], *(SILENCE,) * 60)
    question = replace(spoken, frames=frames)

    async def answer_and_break(line: ServerConnection) -> None:
        async for message in line:
            if isinstance(message, bytes) and any(message):
                break
        await asyncio.sleep(spoken.last_voiced * 0.02 + 0.5)
        await line.send(tone(2000).tobytes())
        await asyncio.sleep(1.2)
        line.transport.abort()

    async with serve(answer_and_break, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        plan = CallPlan((question,), 1, 2, spread_s=0)
        heard = await phone_load(plan, "plain", f"ws://127.0.0.1:{port}/v1/pcm", os.getpid())
    assert (len(heard.ear_ms), heard.lost) == (1, 1)
    assert min(heard.ear_ms) > 100
