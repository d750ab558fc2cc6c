"""The page for those who see badly, use no mouse, or hold a narrow phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.node_packages import package_file
from tests.browser.talk_page import TalkPage

Browsers = Callable[..., Browser]
OpenTalk = Callable[..., TalkPage]

PHONE: ViewportSize = {"width": 360, "height": 740}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def faults(page: Page) -> list[str]:
    """What axe-core finds that is serious or critical, of WCAG 2.2 A and AA and good practice."""
    page.evaluate(package_file("axe-core/axe.min.js").read_text())
    found: dict[str, Any] = page.evaluate("axe.run()")
    assert len(found["passes"]) > 10  # it has looked
    return [
        f"{fault['impact']} {fault['id']}: {node['html']} {node['failureSummary']}"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def ask(talk: TalkPage) -> None:
    """A conversation with something in it: captions on both sides, a waterfall."""
    talk.talk("websocket")
    talk.expect_said("user", "what time is it")
    talk.ear.wait_for("voicepipe.turn")
    talk.expect_state("listening")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_no_serious_fault(scheme: str, browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers("what time is it"), color_scheme=scheme)
    assert faults(talk.page) == []
    ask(talk)
    assert faults(talk.page) == []
    talk.unfold("drawer-toggle")
    expect(talk.by("waterfall")).to_have_count(1)
    assert faults(talk.page) == []


def test_a_problem_is_accessible_too(browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(60.0))
    talk.page.evaluate("navigator.mediaDevices.getUserMedia = undefined")
    talk.by("talk-button").click()
    expect(talk.by("problem")).to_be_visible()
    assert faults(talk.page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_phone_does_not_scroll_sideways(
    scheme: str, browsers: Browsers, open_talk: OpenTalk
) -> None:
    talk = open_talk(
        browsers("what time is it"), viewport=PHONE, color_scheme=scheme, has_touch=True
    )
    assert sideways(talk.page) == 0
    ask(talk)
    assert sideways(talk.page) == 0
    for handle in ("talk-button", "text-input", "send-button", "drawer-toggle"):
        box = talk.by(handle).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    talk.unfold("drawer-toggle")
    assert sideways(talk.page) == 0
    assert faults(talk.page) == []
    talk.page.set_viewport_size({"width": 320, "height": 640})
    assert sideways(talk.page) == 0
    talk.open_panel("turns")
    spills = "(table) => table.getBoundingClientRect().right - innerWidth"
    assert talk.by("waterfall").locator("table").evaluate(spills) <= 0


def sideways(page: Page) -> int:
    """By how many px the page is wider than the window."""
    px: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return max(0, px)


def test_keyboard_alone_is_enough(browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(60.0))
    tab_to(talk, "talk-button")
    talk.page.keyboard.press("Enter")
    talk.expect_state("listening")
    tab_to(talk, "text-input")
    talk.page.keyboard.type("i would like to book a table for two at seven")
    talk.page.keyboard.press("Enter")
    talk.ear.wait_for_sound()
    talk.page.keyboard.press("Escape")
    expect(talk.by("caption-agent").locator(".unheard.never").first).to_be_visible()
    tab_to(talk, "drawer-toggle")
    talk.page.keyboard.press("Enter")
    expect(talk.by("drawer")).to_be_visible()
    tab_to(talk, "talk-button")
    talk.page.keyboard.press("Space")
    talk.expect_state("idle")


def tab_to(talk: TalkPage, handle: str) -> None:
    """Press Tab until this has the focus, and see that it shows."""
    wanted = talk.by(handle)
    for _ in range(60):
        talk.page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            assert wanted.evaluate("element => element.matches(':focus-visible')")
            return
    raise AssertionError(f"{handle} cannot be reached by Tab")
