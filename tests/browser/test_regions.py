"""The page of a far gateway calls the near one, unless it is told otherwise."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AsyncExitStack, ExitStack, contextmanager

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.talk_page import TalkPage
from tests.browser.test_talking import SHORT
from tests.serving import free_port, serving
from voicepipe.lab.delay_relay import delay_relay

FAR_MS = 80.0


@contextmanager
def relays(*ways: tuple[str, int, float]) -> Iterator[None]:
    """Each way: the address it leads to, the port that it begins at, ms more in each direction.
    They live in a thread of their own: Playwright's loop runs in this one."""
    ready: Future[None] = Future()
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def run() -> None:
        async with AsyncExitStack() as stack:
            try:
                for address, port, delay_ms in ways:
                    host, _, behind = address.partition(":")
                    relay = delay_relay((host, int(behind)), delay_ms, port)
                    await stack.enter_async_context(relay)
            except BaseException as error:
                ready.set_exception(error)
                raise
            ready.set_result(None)
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="relays")
    thread.start()
    try:
        ready.result(timeout=10)
        yield
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(timeout=10)
        loop.close()


@pytest.fixture(scope="module")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """`host:port` of two gateways: the way to "far" is long."""
    folder = tmp_path_factory.mktemp("regions")
    doors = {"near": free_port(), "far": free_port()}
    urls = json.dumps({name: f"http://127.0.0.1:{port}" for name, port in doors.items()})
    with ExitStack() as stack:
        behind = {
            name: stack.enter_context(
                serving(
                    folder / f"{name}.log",
                    *("--profile", "simulated", "--set", f"server.region={name}"),
                    *("--set", f"server.regions={urls}"),
                )
            )
            for name in doors
        }
        ways = [(behind[name], doors[name], FAR_MS * (name == "far")) for name in doors]
        stack.enter_context(relays(*ways))
        yield {name: f"127.0.0.1:{port}" for name, port in doors.items()}


def test_the_nearer_region_is_called(
    browsers: Callable[..., Browser], new_page: Callable[..., Page], regions: dict[str, str]
) -> None:
    talk = TalkPage(new_page(browsers(SHORT)), regions["far"])
    talk.unfold("settings-toggle")
    chosen = talk.by("region-select").locator("option").first
    expect(chosen).to_contain_text("Nearest: near")

    talk.talk("webrtc")
    assert sessions(regions) == {"near": 1, "far": 0}
    talk.expect_said("agent", "half past seven")
    talk.open_panel("turns")
    network = talk.by("segment").and_(talk.page.locator('[data-name="network"]')).first
    expect(network).to_contain_text("(near)")
    talk.hang_up()


def test_another_region_may_be_chosen(
    browsers: Callable[..., Browser], new_page: Callable[..., Page], regions: dict[str, str]
) -> None:
    talk = TalkPage(new_page(browsers(SHORT)), regions["near"])
    talk.choose("region-select", "far")
    talk.talk("websocket")
    expect(talk.by("region-select")).to_be_disabled()
    assert sessions(regions) == {"near": 0, "far": 1}
    talk.hang_up()


def sessions(regions: dict[str, str]) -> dict[str, int]:
    return {
        name: httpx.get(f"http://{address}/readyz").json()["sessions"]
        for name, address in regions.items()
    }
