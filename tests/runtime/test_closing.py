"""Nothing keeps another thing open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.server.harness import simulated_engines
from voicepipe.config import Settings
from voicepipe.runtime.closing import close_all
from voicepipe.runtime.streams import closing
from voicepipe.server.service import Service


class Thing:
    """`error` is raised when it is closed."""

    def __init__(self, name: str, closed: list[str], error: BaseException | None = None) -> None:
        self.name, self.closed, self.error = name, closed, error

    async def aclose(self) -> None:
        self.closed.append(self.name)
        if self.error is not None:
            raise self.error


async def test_all_are_closed_in_order_whatever_one_does(caplog: pytest.LogCaptureFixture) -> None:
    closed: list[str] = []
    errors = {"a": ValueError("a"), "c": OSError("c")}
    things = [Thing(name, closed, errors.get(name)) for name in "abcd"]
    await close_all(*((thing.name, thing.aclose) for thing in things))
    assert closed == ["a", "b", "c", "d"]
    assert [r.getMessage()[:1] for r in caplog.records] == ["a", "c"], "each is told by its name"
    cancelled = Thing("e", closed, asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        await close_all(("e", cancelled.aclose), ("b", things[1].aclose))
    assert closed[4:] == ["e", "b"]
    await close_all()


async def test_a_stream_is_closed_whether_it_can_be_or_not() -> None:
    ended = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            ended.append(True)

    async with closing(numbers()) as stream:
        assert await anext(stream) == 1
    assert ended == [True]

    class Plain:
        def __aiter__(self) -> AsyncIterator[int]:
            return self

        async def __anext__(self) -> int:
            return 7

    async with closing(Plain()) as plain:
        assert await anext(plain) == 7


async def test_engines_stop_though_the_call_log_cannot_be_closed() -> None:
    service = Service(Settings(), engines=simulated_engines())
    await service.start()
    closed: list[str] = []
    service.calls.aclose = Thing("calls", closed, OSError("disk full")).aclose  # type: ignore[method-assign, assignment]
    service.engines.model.aclose = Thing("model", closed).aclose  # type: ignore[method-assign]
    await service.aclose()
    assert closed == ["calls", "model"]
