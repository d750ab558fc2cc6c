"""Something that fails while it is closed keeps nothing else open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.server.harness import running_server, simulated_engines
from tests.server.telephony.harness import call, phone_server
from voicepipe.config import Settings
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.server.service import Service
from voicepipe.session.engines import Engines

FAULT = RuntimeError("it would not end")


async def _fails(*args: Any, **named: Any) -> None:
    raise FAULT


class Watched:
    """Engines of which it is noted what was closed."""

    def __init__(self) -> None:
        self.engines: Engines = simulated_engines()
        self.closed: list[str] = []
        for name in ("recognizer", "model", "synthesizer"):
            engine: Any = getattr(self.engines, name)
            engine.aclose = self._noting(name, engine.aclose)

    def _noting(self, name: str, close: Callable[[], Awaitable[None]]) -> Any:
        async def aclose() -> None:
            self.closed.append(name)
            await close()

        return aclose


@pytest.mark.parametrize("name", ["recognizer", "model", "synthesizer"])
async def test_an_engine_that_fails_leaves_no_other_running(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    watched = Watched()
    getattr(watched.engines, name).aclose = _fails
    await watched.engines.aclose()
    others = {"recognizer", "model", "synthesizer"} - {name}
    assert set(watched.closed) == others
    assert "it would not end" in caplog.text


async def test_an_engine_that_is_cancelled_leaves_no_other_running() -> None:
    watched = Watched()
    hanging = asyncio.Event()

    async def hangs() -> None:
        hanging.set()
        await asyncio.sleep(60)

    watched.engines.synthesizer.aclose = hangs  # type: ignore[method-assign]
    closing = asyncio.create_task(watched.engines.aclose())
    await hanging.wait()
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert watched.closed == ["model", "recognizer"]


async def test_a_start_that_fails_says_why_though_an_engine_fails_to_close() -> None:
    watched = Watched()
    watched.engines.synthesizer.aclose = _fails  # type: ignore[method-assign]

    async def fails_to_start() -> None:
        raise EngineUnavailable("no such model", stage="llm")

    watched.engines.model.start = fails_to_start  # type: ignore[method-assign]
    with pytest.raises(EngineUnavailable, match="no such model"):
        await watched.engines.start()


async def test_a_call_log_that_fails_leaves_no_engine_running() -> None:
    watched = Watched()
    service = Service(Settings(), watched.engines)
    await service.start()
    calls: Any = service.calls
    calls.aclose = _fails
    await service.aclose()
    assert len(watched.closed) == 3


async def test_a_session_that_fails_leaves_no_other_open() -> None:
    watched = Watched()
    service = Service(Settings(), watched.engines)
    await service.start()
    bad, good = (service.open_session(service.session_defaults()) for _ in range(2))
    close = bad.aclose

    async def closes_and_fails() -> None:
        await close()
        raise FAULT

    bad.aclose = closes_and_fails  # type: ignore[method-assign]
    await service.aclose()
    assert not service.sessions
    assert good.task_count == 0
    assert len(watched.closed) == 3


@pytest.mark.parametrize("part", ["audiosocket", "switchboard"])
async def test_a_transport_that_fails_leaves_no_engine_running(part: str) -> None:
    watched = Watched()
    async with running_server(watched.engines) as server:
        close = getattr(server.app.state, part).aclose

        async def closes_and_fails() -> None:
            await close()
            raise FAULT

        getattr(server.app.state, part).aclose = closes_and_fails
    assert len(watched.closed) == 3


async def test_a_phone_call_whose_session_fails_to_close_is_over_in_the_log_too() -> None:
    async with phone_server() as server:
        ended: list[str] = []
        calls: Any = server.service.calls
        begin = calls.begin

        def watched(*args: Any) -> Any:
            record = begin(*args)
            record.end = ended.append
            return record

        calls.begin = watched
        async with call(server, "plain") as phone:
            async with asyncio.timeout(10):
                while not server.service.sessions:
                    await asyncio.sleep(0.02)
            (session,) = server.service.sessions
            close = session.aclose

            async def closes_and_fails() -> None:
                await close()
                raise FAULT

            session.aclose = closes_and_fails  # type: ignore[method-assign]
            await phone.hang_up()
        async with asyncio.timeout(10):
            while not ended:
                await asyncio.sleep(0.02)
        assert ended == ["caller hung up"]
