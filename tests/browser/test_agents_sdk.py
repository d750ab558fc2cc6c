"""A stock `@openai/agents` app, served from another origin, with only its base URL changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.ear import Ear
from tests.browser.node_packages import bundle

HERE = Path(__file__).parent
APP = "<!doctype html><title>An app</title><link rel=icon href=data:,><script src=app.js></script>"


class QuietHandler(SimpleHTTPRequestHandler):
    """Files, and not a word about them."""

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the app is: an origin of its own."""
    folder = tmp_path_factory.mktemp("app")
    bundle(HERE / "agents_app.js", folder / "app.js")
    (folder / "index.html").write_text(APP)
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as web:
        thread = threading.Thread(target=web.serve_forever, name="app", daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{web.server_port}/"
        web.shutdown()
        thread.join(timeout=10)


def ephemeral_key(server: str) -> str:
    """What the app's own back end asks the server for."""
    answer = httpx.post(
        f"http://{server}/v1/realtime/client_secrets", json={"session": {"type": "realtime"}}
    )
    answer.raise_for_status()
    key: str = answer.json()["value"]
    return key


def start(page: Page, app_url: str, server: str) -> Ear:
    """Open the app and connect it."""
    page.goto(app_url)
    page.evaluate(
        "([url, key]) => app.start(url, key)",
        [f"http://{server}/v1/realtime/calls", ephemeral_key(server)],
    )
    return Ear(page)


def wait_until_said(page: Page, role: str, words: str) -> None:
    page.wait_for_function(
        "([role, words]) => app.said().some(([r, text]) => r === role && "
        "text.toLowerCase().includes(words))",
        arg=[role, words],
    )


def test_it_holds_a_conversation_and_runs_a_tool(
    browsers: Callable[..., Browser], new_page: Callable[..., Page], server: str, app_url: str
) -> None:
    page = new_page(browsers("what time is it"))
    ear = start(page, app_url, server)
    wait_until_said(page, "user", "what time is it")
    wait_until_said(page, "assistant", "half past seven")
    ear.wait_for_sound(ms=400)
    assert page.evaluate("app.toolCalls") == ["get_time"]
    assert page.evaluate("app.errors") == []
    page.evaluate("app.session.close()")


def test_its_interrupt_silences_the_agent_and_the_session_goes_on(
    browsers: Callable[..., Browser], new_page: Callable[..., Page], server: str, app_url: str
) -> None:
    page = new_page(browsers("tell me a joke"))
    ear = start(page, app_url, server)
    ear.wait_for_sound(ms=300)
    page.evaluate("app.session.interrupt()")
    cleared = ear.wait_for("output_audio_buffer.cleared")["at"]
    page.evaluate("app.session.sendMessage('how are you today')")
    answer = ear.wait_for("output_audio_buffer.started", after=cleared)["at"]
    silence_ms = ear.last_loud_at(before=answer) - cleared
    assert silence_ms < 1000  # a busy machine; see docs/measurements.md for a quiet one's
    ear.wait_for_sound(after=answer)
    wait_until_said(page, "user", "how are you today")
    assert page.evaluate("app.errors") == []
    page.evaluate("app.session.close()")
