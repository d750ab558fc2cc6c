"""What the page says when something is wrong, in the browser in which it really is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from tests.browser.chromium import ALLOWED, REFUSED, launch
from tests.browser.conftest import Console
from tests.browser.talk_page import TRANSPORTS, TalkPage, Transport
from tests.serving import serving

NewPage = Callable[..., Page]


@pytest.fixture(scope="module")
def launched(playwright: Playwright) -> Iterator[Callable[..., Browser]]:
    """`launched(*flags)`: a browser with the trouble that these flags make."""
    with ExitStack() as stack:
        yield lambda *flags: stack.enter_context(launch(playwright, *flags))


def expect_problem(talk: TalkPage, code: str, *words: str) -> None:
    problem = talk.by("problem")
    expect(problem).to_be_visible()
    expect(problem).to_have_attribute("data-code", code)
    for word in words:
        expect(problem).to_contain_text(word)


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (REFUSED, "permission_refused", ("The microphone is blocked", "Allow it")),
        (ALLOWED, "no_microphone", ("No microphone found", "Plug one in")),
    ],
    ids=["refused", "missing"],
)
def test_without_a_microphone_it_says_why_and_typing_still_works(
    flags: tuple[str, ...],
    code: str,
    words: tuple[str, ...],
    launched: Callable[..., Browser],
    new_page: NewPage,
    server: str,
) -> None:
    talk = TalkPage(new_page(launched(*flags)), server)
    talk.by("talk-button").click()
    expect_problem(talk, code, *words)
    talk.by("text-input").fill("how are you today")
    talk.by("text-input").press("Enter")
    talk.expect_said("agent", "thank")
    talk.ear.wait_for_sound()


def test_a_page_without_https_says_so(
    launched: Callable[..., Browser], new_page: NewPage, tmp_path: Path
) -> None:
    """A name that is not localhost, though it leads here: no secure context."""
    elsewhere = "--host-resolver-rules=MAP voicepipe.test 127.0.0.1"
    browser = launched(*REFUSED, *ALLOWED, elsewhere)
    named = ("--set", "server.allowed_hosts=voicepipe.test")
    with serving(tmp_path / "serve.log", "--profile", "simulated", *named) as address:
        port = address.rsplit(":", 1)[1]
        talk = TalkPage(new_page(browser), f"voicepipe.test:{port}")
        talk.by("talk-button").click()
        expect_problem(talk, "insecure", "https")


@pytest.fixture(scope="module")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Room for one call."""
    log = tmp_path_factory.mktemp("small-server") / "serve.log"
    with serving(log, "--profile", "simulated", "--set", "limits.max_sessions=1") as address:
        yield address


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_busy_server_says_so_and_takes_the_call_later(
    transport: Transport,
    browsers: Callable[..., Browser],
    new_page: NewPage,
    console: Console,
    small_server: str,
) -> None:
    first = TalkPage(new_page(browsers(60.0)), small_server)
    first.talk(transport)
    second = TalkPage(new_page(browsers(60.0)), small_server)
    second.choose("transport-select", transport)
    second.by("talk-button").click()
    expect_problem(second, "busy", "The server is busy", "Try again")
    console.expect("429")
    first.hang_up()
    second.by("problem-action").click()
    second.expect_state("listening")
    expect(second.by("problem")).to_be_hidden()
    second.hang_up()


def test_a_lost_connection_says_so(
    browsers: Callable[..., Browser],
    new_page: NewPage,
    console: Console,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = tmp_path_factory.mktemp("server") / "serve.log"
    with serving(log, "--profile", "simulated", "--set", "server.shutdown_s=0") as address:
        talk = TalkPage(new_page(browsers(60.0)), address)
        talk.talk("websocket")
    expect_problem(talk, "lost", "The connection was lost")
    assert talk.by("problem-action").inner_text() == "Reconnect"
    console.errors.clear()  # the page looks for the server, which is gone
