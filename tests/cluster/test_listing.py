"""What a gateway makes of a list of replicas that another version, or a broken one, has written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

import httpx
import pytest

from tests.llm.reading import until
from voicepipe.cluster.host import EngineHost
from voicepipe.cluster.link import Link
from voicepipe.cluster.listing import Listing, NotListed, Place
from voicepipe.cluster.pool import Pool
from voicepipe.cluster.wire import Wire
from voicepipe.runtime.errors import EngineUnavailable

PLACE = Place("r1", "n1", "127.0.0.1", 4000, 1, "llm", "ready", {"ongoing": 0})


def listing(*replicas: dict[str, Any]) -> Listing:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text=json.dumps({"replicas": replicas}))

    found = Listing(["http://cluster"])
    found._http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return found


async def test_fields_of_a_newer_version_are_skipped() -> None:
    asked = listing({**asdict(PLACE), "gpu": "of the next version"})
    assert await asked.fetch() == [PLACE]
    await asked.aclose()


@pytest.mark.parametrize(
    "wrong", [{"port": "no number"}, {"port": 70_000}, {"replica": None}, {"load": 3}]
)
async def test_what_is_no_place_is_refused(wrong: dict[str, Any]) -> None:
    asked = listing({**asdict(PLACE), **wrong})
    with pytest.raises(NotListed, match="ValidationError"):
        await asked.fetch()
    await asked.aclose()


@pytest.mark.parametrize(
    ("ours", "theirs", "why"),
    [("a", "b", "has another key"), ("", "b", "has another key"), ("a", "", "asks for no key")],
)
async def test_a_key_that_is_not_theirs_is_said(ours: str, theirs: str, why: str) -> None:
    host = EngineHost((), key=theirs)
    server = await asyncio.get_running_loop().create_server(host.accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    pool = Pool(listing({**asdict(PLACE), "port": port}), ours, start_s=0.5)
    async with started(pool):
        with pytest.raises(EngineUnavailable, match=f"the pool llm has no replica .*{why}"):
            await pool.facts("llm")
    server.close()
    await host.aclose()


@asynccontextmanager
async def started(one: Any) -> AsyncIterator[None]:
    await one.start(one)
    try:
        yield
    finally:
        await one.aclose(one)


async def test_the_pool_goes_on_after_an_update_that_failed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("voicepipe.cluster.pool.POLL_S", 0.01)
    pool, update = Pool(listing(asdict(PLACE))), Pool._update
    failures = iter([RuntimeError("no"), RuntimeError("no")])

    async def failing(*places: Any) -> None:
        for error in failures:
            raise error
        await update(pool, *places)

    monkeypatch.setattr(pool, "_update", failing)
    async with started(pool):
        await until(lambda: "r1" in pool.links)
    assert caplog.text.count("cannot be followed: RuntimeError: no") == 1


async def test_a_link_goes_on_after_what_nobody_expected(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tries = asyncio.Queue[None]()

    async def connect(factory: Callable[[], Wire]) -> object:
        tries.put_nowait(None)
        raise UnicodeError("label too long")

    async with started(Link(connect, "llm@host:1")), asyncio.timeout(10):
        for _ in range(3):
            await tries.get()
    assert caplog.text.count("llm@host:1 cannot be used: UnicodeError: label too long") == 1


async def test_who_waits_for_an_engine_learns_that_its_link_was_closed() -> None:
    async def connect(factory: Callable[[], Wire]) -> object:
        raise ConnectionRefusedError

    link = Link(connect, "llm@host:1")
    async with started(link):
        waiting = asyncio.create_task(link.facts("llm"))
        await asyncio.sleep(0.01)
    async with asyncio.timeout(5):
        with pytest.raises(EngineUnavailable, match="llm@host:1 was closed"):
            await waiting


async def test_a_list_that_breaks_the_reader_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voicepipe.cluster.pool.POLL_S", 0.01)
    texts = ["[" * 100_000, json.dumps({"replicas": []})]
    found = Listing(["http://cluster"])
    answers = httpx.MockTransport(lambda request: httpx.Response(200, text=texts.pop(0)))
    found._http = httpx.AsyncClient(transport=answers)
    pool = Pool(found)
    await pool.start(pool)
    await until(lambda: len(texts) < 2)
    await until(lambda: not texts or pool._task is None or pool._task.done())
    assert not texts
    await pool.aclose(pool)
