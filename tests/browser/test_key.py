"""A server with a key: each view asks for it once, where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Console
from tests.browser.test_accessibility import faults, sideways
from tests.serving import serving

LOOK_AGAIN_MS = 6000
"""Longer than the views wait before they ask for what is new."""


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`host:port` of a server whose key is `right`, and which writes calls down."""
    folder = tmp_path_factory.mktemp("locked-server")
    options = (
        "server.api_key=right",
        "calls.enabled=true",
        f"calls.database=sqlite:///{folder}/calls.sqlite3",
    )
    given = [part for one in options for part in ("--set", one)]
    with serving(folder / "serve.log", "--profile", "simulated", *given) as address:
        yield address


@pytest.mark.parametrize("view", ["calls", "turns"])
def test_a_view_asks_for_the_key_and_keeps_it(
    view: str,
    browsers: Callable[..., Browser],
    new_page: Callable[..., Page],
    locked: str,
    console: Console,
) -> None:
    page = new_page(browsers(60.0), viewport={"width": 320, "height": 640})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    def asks_again() -> bool:
        """Whether it does so within `LOOK_AGAIN_MS`, by the page's own clock."""
        before = len([url for url in asked if f"/v1/{view}" in url])
        page.clock.run_for(LOOK_AGAIN_MS)
        page.evaluate("fetch('/healthz').then((reply) => reply.text())")  # and that was seen
        return len([url for url in asked if f"/v1/{view}" in url]) > before

    page.clock.install()
    page.goto(f"http://{locked}/#/{view}")
    field, told = page.get_by_test_id("view-key"), page.get_by_test_id(f"{view}-said")
    expect(field).to_be_visible()
    assert sideways(page) == 0
    assert faults(page) == []
    field.fill("wrong")
    field.press("Enter")
    expect(page.locator(".key-form")).to_contain_text("does not open it")
    assert not asks_again()  # a wrong key is not tried twice
    field.fill("right")
    page.get_by_test_id("view-key-open").click()
    expect(field).to_have_count(0)
    expect(told).to_contain_text("0 ")
    assert asks_again()
    page.reload()
    expect(told).to_contain_text("0 ")
    expect(field).to_have_count(0)
    page.get_by_test_id("view-turns" if view == "calls" else "view-calls").click()
    expect(page.get_by_test_id("turns-said" if view == "calls" else "calls-said")).to_contain_text(
        "0 "
    )
    expect(field).to_have_count(0)
    console.expect("401")


def test_a_key_that_was_given_to_talk_opens_the_other_views(
    browsers: Callable[..., Browser], new_page: Callable[..., Page], locked: str, console: Console
) -> None:
    page = new_page(browsers(60.0))
    page.goto(f"http://{locked}/")
    page.get_by_test_id("key-input").fill("right")
    page.get_by_test_id("problem-action").click()
    expect(page.get_by_test_id("state")).to_have_attribute("data-state", "listening")
    for view in ("turns", "calls"):
        page.get_by_test_id(f"view-{view}").click()
        expect(page.get_by_test_id(f"{view}-said")).to_contain_text("0 ")
        expect(page.get_by_test_id("view-key")).to_have_count(0)
    assert not console.errors
