"""A server that is told to stop: running turns may finish for a while, and nothing new begins."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import websockets

from tests.call_log.harness import stored_calls
from tests.call_log.test_realtime import calls_section
from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.test_limits import LONG_ANSWER, next_of, raw, send
from tests.server.test_live_calls import only_call
from tests.server.webrtc.caller import call, client, tone
from voicepipe.config import Settings
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.server.service import Service
from voicepipe.server.serving import Serving

SHORT_ANSWER = "One two three four five six."


@asynccontextmanager
async def stopping(answer: str, **sections: Any) -> AsyncIterator[tuple[RunningServer, Any]]:
    """A server, and what tells it to stop: a task that ends with it."""
    begun = asyncio.Event()
    told = asyncio.Event()

    async def live() -> None:
        async with running_server(simulated_engines(answers=(answer,)), **sections) as server:
            running.append(server)
            begun.set()
            await told.wait()

    running: list[RunningServer] = []
    life = asyncio.create_task(live(), name="server")
    waiting = asyncio.create_task(begun.wait(), name="begun")
    await asyncio.wait({life, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()

    def stop() -> asyncio.Task[None]:
        told.set()
        return life

    try:
        yield running[0], stop
    finally:
        await stop()


async def test_a_running_answer_is_finished_and_nobody_new_comes_in() -> None:
    async with stopping(SHORT_ANSWER, server={"shutdown_s": 30}) as (server, stop):
        async with raw(server) as ws, client(server) as http:
            await send(ws, type="response.create")
            await next_of(ws, "response.created")
            ended = stop()
            async with asyncio.timeout(10):
                while (await http.get("/readyz")).status_code == 200:
                    await asyncio.sleep(0.02)
            health = await http.get("/healthz")  # it lives: nobody should kill it meanwhile
            assert (health.status_code, health.text) == (200, "stopping\n")
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with raw(server):
                    pass
            assert refused.value.response.status_code == 503
            message = json.loads(refused.value.response.body)["error"]["message"]
            assert "stopping" in message
            done = await next_of(ws, "response.done")
            assert done["response"]["status"] == "completed"
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await next_of(ws, "never")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1012  # service restart
            await ended


async def test_a_browsers_call_hears_the_answer_to_its_end() -> None:
    async with stopping(SHORT_ANSWER, server={"shutdown_s": 30}) as (server, stop):
        async with call(server) as one:
            one.microphone.say(tone(600))
            await one.until("output_audio_buffer.started")
            stop()
            await one.until("output_audio_buffer.stopped")
            await one.until_state("closed")


async def test_no_answer_holds_it_up_for_longer_than_the_setting() -> None:
    async with stopping(LONG_ANSWER, server={"shutdown_s": 0.3}) as (server, stop):
        async with raw(server) as ws:
            await send(ws, type="response.create")
            await next_of(ws, "response.output_audio.delta")
            async with asyncio.timeout(10):  # of half a minute that was to be played
                await stop()
            ws.transport.abort()  # it reads no more, and would wait for the close


async def test_the_call_log_says_that_the_server_has_stopped(tmp_path: Path) -> None:
    async with stopping(SHORT_ANSWER, calls=calls_section(tmp_path)) as (server, stop):
        async with raw(server):
            await stop()
    (stored,) = stored_calls(tmp_path)
    assert stored.call["end_reason"] == "server stopped"


async def test_the_call_log_says_who_left_by_itself_while_the_server_drained(
    tmp_path: Path,
) -> None:
    sections = {"server": {"drain_s": 30}, "calls": calls_section(tmp_path)}
    async with stopping(SHORT_ANSWER, **sections) as (server, stop):
        async with raw(server):
            ended = stop()
            while not server.service.closing:
                await asyncio.sleep(0.02)
        await ended
    (stored,) = stored_calls(tmp_path)
    assert stored.call["end_reason"] == "client left"


async def test_newcomers_are_taken_until_the_balancer_has_noticed() -> None:
    server_section = {"lame_duck_s": 1.5, "drain_s": 30, "shutdown_s": 1}
    async with stopping(SHORT_ANSWER, server=server_section) as (server, stop):
        async with client(server) as http:
            ended = stop()
            async with asyncio.timeout(10):
                while (await http.get("/readyz")).status_code == 200:
                    await asyncio.sleep(0.02)
            assert (await http.get("/healthz")).text == "stopping\n"
            async with raw(server) as ws:
                await send(ws, type="response.create")
                done = await next_of(ws, "response.done")
                assert done["response"]["status"] == "completed"
                async with asyncio.timeout(10):
                    while not server.service.closing:
                        await asyncio.sleep(0.02)
                with pytest.raises(websockets.InvalidStatus):
                    async with raw(server):
                        pass
            await ended


async def test_calls_go_on_while_the_server_drains_and_newcomers_are_refused() -> None:
    server_section = {"drain_s": 30, "shutdown_s": 1}
    async with stopping(SHORT_ANSWER, server=server_section) as (server, stop):
        async with raw(server) as ws:
            ended = stop()
            for _ in range(2):  # two whole turns after the signal
                await send(ws, type="response.create")
                assert (await next_of(ws, "response.done"))["response"]["status"] == "completed"
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with raw(server):
                    pass
            assert refused.value.response.status_code == 503
            assert not ended.done()
        async with asyncio.timeout(10):
            await ended  # the last caller has left, long before 30 s


async def test_draining_has_an_end() -> None:
    section = {"drain_s": 0.3, "shutdown_s": 0}
    async with stopping(SHORT_ANSWER, server=section) as (server, stop), raw(server) as ws:
        ended = stop()
        with pytest.raises(websockets.ConnectionClosed):
            await next_of(ws, "never", limit_s=10)
        await ended


async def test_a_server_that_cannot_start_says_so_at_once() -> None:
    """Nobody was sent to it, so nobody has to notice that it goes."""

    async def fails() -> None:
        raise EngineUnavailable("no such model", stage="llm")

    settings = Settings(server={"lame_duck_s": 60})
    service = Service(settings, simulated_engines())
    service.engines.model.start = fails  # type: ignore[method-assign]
    serving = Serving(service, lambda kind, state: None, lambda: settings)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with asyncio.timeout(20):
            assert str(await serving.run(listener)) == "no such model"


async def test_a_fault_of_ours_at_the_start_ends_the_server_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fails() -> None:
        raise RuntimeError("nobody thought of it")

    service = Service(Settings(), simulated_engines())
    service.tools.start = fails  # type: ignore[method-assign]
    serving = Serving(service, lambda kind, state: None, Settings)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with asyncio.timeout(20):
            failure = await serving.run(listener)
    assert str(failure) == "the server failed to start: RuntimeError: nobody thought of it"
    assert "nobody thought of it" in caplog.text


async def test_a_port_that_fails_in_an_unknown_way_is_no_start_either() -> None:
    """It ended in the midst of it, with a traceback and engines that were still loading."""
    audiosocket = {"host": "voice..example.com", "port": 1}
    service = Service(Settings(telephony={"audiosocket": audiosocket}), simulated_engines())
    serving = Serving(service, lambda kind, state: None, Settings)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with asyncio.timeout(20):
            failure = await serving.run(listener)
    assert failure is not None
    assert service.closing


async def test_a_call_that_rings_is_refused_and_holds_nothing_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It waited for a program, and the server for it; then its client was told of an error."""
    section = {"wait_for_program": True, "shutdown_s": 60, "drain_s": 60}
    telephony = {"incoming_ms": 10_000}
    async with stopping(SHORT_ANSWER, server=section, telephony=telephony) as (server, stop):
        calling = asyncio.create_task(raw(server).__aenter__())
        live = await only_call(server)
        async with websockets.connect(f"{server.ws}/realtime?call_id={live.id}") as program:
            ended = stop()
            with pytest.raises(websockets.InvalidStatus) as refused:
                await calling
            with pytest.raises(websockets.ConnectionClosedOK, match="the call has ended"):
                await program.recv()
        async with asyncio.timeout(5):
            await ended
    assert refused.value.response.status_code == 429
    assert b"the server is stopping" in (refused.value.response.body or b"")
    assert not [record for record in caplog.records if record.exc_info]
