"""Hanging up before the call stands: whatever step it was on, nothing is left at the server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser.talk_page import TalkPage
from tests.serving import serving

NewPage = Callable[..., Page]
LINGERS_S = 3.0
"""A call that nobody ends would live for an hour; one that never connects, for `max_setup_s`."""


@pytest.fixture(scope="module")
def quick_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("hanging-up") / "serve.log"
    with serving(log, "--profile", "simulated") as address:
        yield address


def sessions(address: str) -> int:
    count: int = httpx.get(f"http://{address}/readyz").json()["sessions"]
    return count


@pytest.mark.parametrize(
    ("step", "reaches_server"), [("**/ice_servers", False), ("**/realtime/calls?*", True)]
)
def test_webrtc_that_is_hung_up_while_it_connects_is_over(
    step: str,
    reaches_server: bool,
    browsers: Callable[..., Browser],
    new_page: NewPage,
    quick_server: str,
) -> None:
    page = new_page(browsers(60.0))
    held: list[Callable[[], None]] = []

    def hold(route: Route) -> None:
        if reaches_server:  # only its answer is late
            response = route.fetch()
            held.append(lambda: route.fulfill(response=response))
        else:
            held.append(route.continue_)

    talk = TalkPage(page, quick_server)
    page.route(step, hold)
    talk.choose("transport-select", "webrtc")
    talk.by("talk-button").click()
    while not held:
        page.wait_for_timeout(20)
    talk.hang_up()
    held[0]()
    expect_no_session(page, quick_server)


def test_a_websocket_that_is_hung_up_while_it_connects_is_over(
    browsers: Callable[..., Browser], new_page: NewPage, quick_server: str
) -> None:
    with slow_network(quick_server) as (address, reached, go_on):
        page = new_page(browsers(60.0))
        talk = TalkPage(page, address)
        talk.choose("transport-select", "websocket")
        talk.by("talk-button").click()
        while not reached.is_set():
            page.wait_for_timeout(20)
        talk.hang_up()
        go_on.set()
        expect_no_session(page, quick_server)


def expect_no_session(page: Page, server: str) -> None:
    page.wait_for_timeout(1000)  # the rest of the connecting, if it goes on
    until = time.monotonic() + LINGERS_S
    while sessions(server) and time.monotonic() < until:
        page.wait_for_timeout(50)
    assert sessions(server) == 0


@contextmanager
def slow_network(server: str) -> Iterator[tuple[str, threading.Event, threading.Event]]:
    """An address that leads to `server`; what asks for a WebSocket there sets `reached`, and waits
    for `go_on`."""
    reached, go_on = threading.Event(), threading.Event()
    host, port = server.split(":")

    def pipe(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                sink.sendall(data)
        except OSError:
            pass  # one of them is gone: so is the other one now
        finally:
            for end in (source, sink):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)  # else the other thread's recv keeps it open
                end.close()

    def forward(near: socket.socket) -> None:
        first = near.recv(65_536)
        if b"GET /v1/realtime" in first and b"Upgrade: websocket" in first:
            reached.set()
            go_on.wait(30)
        far = socket.create_connection((host, int(port)))
        far.sendall(first)
        threading.Thread(target=pipe, args=(far, near), daemon=True).start()
        pipe(near, far)

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    near, _ = listener.accept()
                except OSError:
                    return  # closed: the test is over
                threading.Thread(target=forward, args=(near,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}", reached, go_on
        go_on.set()
        listener.shutdown(socket.SHUT_RDWR)
