"""Pictures of the page after a real conversation: those of the docs, and a few more to look at.

    scripts/screenshots [FOLDER]

writes docs/img/page-desktop.png, page-phone.png, page-turns.png and page-calls.png, or all of them
to FOLDER.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, expect, sync_playwright

from tests.browser.chromium import launch, microphone
from tests.browser.ear import open_ear
from tests.browser.microphone import write_microphone
from tests.browser.talk_page import TalkPage
from tests.serving import serving

DOCS = Path(__file__).parents[2] / "docs" / "img"
FOR_DOCS = ("page-desktop.png", "page-phone.png", "page-turns.png", "page-calls.png")

CALLER = ("how are you today", 4.0, "set a timer for five minutes", 4.0, "what time is it")
TURNS = 3

DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
SHARPNESS = 2  # device pixels per CSS pixel


def write_caller(folder: Path) -> Path:
    """The microphone of the pictures' conversation."""
    return write_microphone(folder / "microphone.wav", *CALLER)


def take_pictures(browser: Browser, address: str, folder: Path) -> list[Path]:
    """Hold one conversation and write its pictures to `folder`."""
    context = browser.new_context(viewport=DESKTOP, device_scale_factor=SHARPNESS)
    open_ear(context)
    talk = TalkPage(context.new_page(), address)
    talk.talk("webrtc")
    talk.unfold("settings-toggle", shown=False)
    talk.unfold("drawer-toggle")
    talk.ear.wait_for("voicepipe.turn", count=TURNS)
    talk.expect_state("listening")
    page, paths = talk.page, []

    def shoot(name: str) -> None:
        paths.append(folder / name)
        page.screenshot(path=paths[-1])

    shoot("page-desktop.png")
    talk.by("view-turns").click()
    expect(talk.by("detail").locator(".lanes")).to_be_visible()
    shoot("page-turns.png")
    talk.by("view-talk").click()
    page.emulate_media(color_scheme="dark")
    shoot("page-desktop-dark.png")
    talk.unfold("drawer-toggle", shown=False)
    page.set_viewport_size(PHONE)
    shoot("page-phone.png")
    page.emulate_media(color_scheme="light")
    talk.unfold("drawer-toggle")
    shoot("page-phone-drawer.png")
    page.goto("about:blank")  # as when a user leaves: the page hangs up
    context.close()
    return paths


def take_calls_picture(browser: Browser, address: str, folder: Path) -> Path:
    """Of a call, on a server that writes calls down and has held one."""
    context = browser.new_context(viewport=DESKTOP, device_scale_factor=SHARPNESS)
    page = context.new_page()
    page.goto(f"http://{address}/#/calls")
    page.get_by_test_id("call").locator("a").first.click()
    expect(page.get_by_test_id("play")).to_be_enabled()
    page.get_by_test_id("turn-chip").nth(1).click()
    expect(page.get_by_test_id("transcript").get_by_test_id("waterfall")).to_be_visible()
    page.get_by_test_id("calls-view").locator(".calls-main").evaluate("pane => pane.scrollTo(0, 0)")
    path = folder / "page-calls.png"
    page.screenshot(path=path)
    context.close()
    return path


def main() -> None:
    """The command."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        scratch = Path(name)
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else scratch
        kept = (f"calls.database=sqlite:///{scratch}/calls.sqlite3", f"calls.recordings_dir={name}")
        options = ("calls.enabled=true", "calls.record_audio=true", *kept)
        given = [part for one in options for part in ("--set", one)]
        with (
            serving(scratch / "serve.log", *given) as address,
            launch(playwright, *microphone(write_caller(scratch))) as browser,
        ):
            paths = take_pictures(browser, address, folder)
            paths.append(take_calls_picture(browser, address, folder))
        for path in paths:
            if folder is scratch and path.name in FOR_DOCS:
                (DOCS / path.name).write_bytes(path.read_bytes())
                print(f"written: {DOCS / path.name}")


if __name__ == "__main__":
    main()
