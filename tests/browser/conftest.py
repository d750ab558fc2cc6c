"""One server, one chromium per microphone recording; each test's page finds nothing kept, but a
browser that knows its files.

Playwright's own event loop runs while its fixtures live, so tests in this folder are plain
functions: `async def` ones would find a loop that is running already.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    ViewportSize,
    sync_playwright,
)

from tests.browser.chromium import launch, microphone
from tests.browser.ear import open_ear
from tests.browser.microphone import write_microphone
from tests.browser.talk_page import TalkPage
from tests.serving import serving

ARTIFACTS = Path(__file__).parents[2] / "artifacts" / "browser"

DESKTOP: ViewportSize = {"width": 1280, "height": 860}


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`host:port` of `voicepipe serve` on the built-in profile. It speaks slowly, so that there is
    time to interrupt it on a busy machine too."""
    log = tmp_path_factory.mktemp("browser-server") / "serve.log"
    with serving(log, "--set", "tts.speed=0.75") as address:
        yield address


@pytest.fixture(scope="package")
def browsers(
    playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Browser]]:
    """`browsers(*pieces)`: a chromium whose microphone says these (see `write_microphone`)."""
    running: dict[tuple[Any, ...], Browser] = {}
    with ExitStack() as stack:

        def get(*pieces: str | float) -> Browser:
            if pieces not in running:
                wav = tmp_path_factory.mktemp("microphone") / "microphone.wav"
                write_microphone(wav, *pieces)
                browser = launch(playwright, *microphone(wav))
                running[pieces] = stack.enter_context(browser)
            return running[pieces]

        yield get


class Console:
    """Errors in the consoles of a test's pages. None may be left at its end."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        page.on("console", self._note)

    def expect(self, pattern: str) -> None:
        """Errors like this were meant to happen; at least one did."""
        others = [error for error in self.errors if not re.search(pattern, error)]
        assert len(others) < len(self.errors), f"{pattern} is not among {self.errors}"
        self.errors = others

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)


@pytest.fixture
def console() -> Iterator[Console]:
    console = Console()
    yield console
    assert not console.errors


class Contexts:
    """Browser contexts with an ear. In a new one, to load the page takes longer than many tests do,
    so one that has no options is used again: a test that changes its context (clock, routes,
    permissions) gives some."""

    def __init__(self) -> None:
        self._idle: dict[Browser, list[BrowserContext]] = defaultdict(list)

    @contextmanager
    def one(self, browser: Browser, **options: Any) -> Iterator[BrowserContext]:
        """One that nobody else uses, and in which nothing is kept of the pages that are open at the
        end."""
        idle = self._idle[browser]
        if idle and not options:
            context = idle.pop()
        else:
            context = browser.new_context(**{"viewport": DESKTOP, **options})
            open_ear(context)
        is_clean = False
        try:
            yield context
            for page in context.pages:
                address = urlsplit(page.url)
                page.goto("about:blank")  # as when a user leaves: the page hangs up
                origin = f"{address.scheme}://{address.netloc}"
                kept = {"origin": origin, "storageTypes": "all"}
                context.new_cdp_session(page).send("Storage.clearDataForOrigin", kept)
                page.close()
            is_clean = not options
        finally:
            if is_clean:
                idle.append(context)
            else:
                context.close()


@pytest.fixture(scope="package")
def contexts(browsers: Callable[..., Browser]) -> Contexts:
    """Those of `browsers`, which close them."""
    return Contexts()


@pytest.fixture
def new_page(
    request: pytest.FixtureRequest, console: Console, contexts: Contexts
) -> Iterator[Callable[..., Page]]:
    """`new_page(browser, **context options)`: a page with an ear in a context of its own. Its
    picture at the end is kept in artifacts/browser."""
    pages: list[Page] = []
    with ExitStack() as stack:

        def open_page(browser: Browser, **options: Any) -> Page:
            context = stack.enter_context(contexts.one(browser, **options))
            pages.append(context.new_page())
            console.watch(pages[-1])
            return pages[-1]

        yield open_page
        name = re.sub(r"\W+", "-", request.node.name).strip("-")
        for number, page in enumerate(pages):
            page.screenshot(path=ARTIFACTS / f"{name}{f'-{number}' if number else ''}.png")


@pytest.fixture
def open_talk(new_page: Callable[..., Page], server: str) -> Callable[..., TalkPage]:
    """`open_talk(browser, **context options)`: the talk page, ready."""
    return lambda browser, **options: TalkPage(new_page(browser, **options), server)
