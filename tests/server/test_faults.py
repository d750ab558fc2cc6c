"""Engines with bugs: whoever is concerned is told, the log says why, and nothing is left."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import httpx
import pytest
import websockets

from tests.server.harness import FAST, running_server, simulated_engines
from tests.server.test_limits import next_of, nothing_left, raw, send
from tests.server.test_sdk import tone
from tests.server.webrtc.caller import call
from tests.server.webrtc.caller import tone as sound
from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.engines.simulated import SimulatedRecognizer, SimulatedUtterance
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineUnavailable


class Faulty(SimulatedRecognizer):
    """A third party's engine that fails where the contract knows no failure."""

    def __init__(self, error: Exception, at_start: bool = False) -> None:
        super().__init__(FAST, ["hello"], MonotonicClock())
        self._error, self._at_start = error, at_start

    async def start(self) -> None:
        if self._at_start:
            raise self._error
        await super().start()

    def open(self, options: AsrOptions) -> SimulatedUtterance:
        raise self._error


GONE = EngineUnavailable("the speech recognizer is not loaded", stage="asr")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (RuntimeError("a bug of theirs"), "server_error", "the server's log"),
        (GONE, "engine_error", "the speech recognizer is not loaded"),
    ],
)
async def test_a_session_that_fails_says_so_and_is_in_the_log(
    error: Exception, code: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    engines = replace(simulated_engines(), recognizer=Faulty(error))
    async with running_server(engines) as server:
        async with raw(server) as ws:
            for _ in range(4):
                await send(ws, type="input_audio_buffer.append", audio=tone(200))
            told = (await next_of(ws, "error"))["error"]
            assert (told["type"], told["code"]) == ("server_error", code)
            assert said in told["message"]
            assert "a bug of theirs" not in told["message"]
            with pytest.raises(websockets.ConnectionClosedError) as closed:
                await next_of(ws, "never")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1011
        await nothing_left(server)
    assert str(error) in caplog.text
    assert any(r.levelno == logging.ERROR and r.exc_info for r in caplog.records)


async def test_a_browsers_call_that_fails_says_so_too(caplog: pytest.LogCaptureFixture) -> None:
    engines = replace(simulated_engines(), recognizer=Faulty(RuntimeError("a bug of theirs")))
    async with running_server(engines) as server:
        async with call(server) as one:
            one.microphone.say(sound(600))
            told = (await one.until("error"))["error"]
            assert (told["type"], told["code"]) == ("server_error", "server_error")
            await one.until_state("closed")
        await nothing_left(server)
    assert "a bug of theirs" in caplog.text


async def test_an_engine_that_fails_to_start_in_its_own_way_is_told_as_the_others() -> None:
    """Memory of a GPU runs out, a third party's engine has a bug: else the server would be
    starting for ever."""
    engines = replace(simulated_engines(), recognizer=Faulty(RuntimeError("out of memory"), True))
    async with running_server(engines, wait_ready=False) as server:
        async with httpx.AsyncClient(base_url=server.http) as http, asyncio.timeout(10):
            while not (page := (await http.get("/readyz")).json())["problem"]:
                await asyncio.sleep(0.02)
            health = await http.get("/healthz")
        assert (health.status_code, health.text) == (503, "failed\n")  # a new process may do better
        assert "RuntimeError: out of memory" in page["problem"]
        assert isinstance(server.service.failure, EngineUnavailable)


async def test_a_voice_in_a_crash_loop_is_not_ready() -> None:
    engines = simulated_engines()
    async with running_server(engines) as server:
        async with httpx.AsyncClient(base_url=server.http) as http:
            assert (await http.get("/readyz")).status_code == 200
            engines.synthesizer.problem = "the espeak worker is failed"  # type: ignore[attr-defined]
            answer = await http.get("/readyz")
            assert answer.status_code == 503
            page = answer.json()
            assert page["ready"] is False
            assert page["engines"]["tts"]["ready"] is False
            assert page["engines"]["llm"]["ready"] is True
            assert page["problem"] == "the espeak worker is failed"
