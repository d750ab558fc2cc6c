"""The page at `/`, by the handles that web/README.md lists."""

from __future__ import annotations

import re
from typing import Literal

from playwright.sync_api import Locator, Page, expect

from tests.browser.ear import DEADLINE_MS, Ear

Transport = Literal["webrtc", "websocket"]
TRANSPORTS: tuple[Transport, ...] = ("webrtc", "websocket")

expect.set_options(timeout=DEADLINE_MS)

READY_STATES = re.compile("listening|hearing|thinking|speaking")


class TalkPage:
    """Opens the page and waits until it can be used."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.ear = Ear(page)
        page.goto(f"http://{address}/")
        expect(self.by("talk-button")).to_be_enabled()

    def by(self, handle: str) -> Locator:
        return self.page.get_by_test_id(handle)

    def choose(self, handle: str, value: str) -> None:
        """One of the selects behind `settings-toggle`."""
        self.unfold("settings-toggle")
        self.by(handle).select_option(value)

    def talk(self, transport: Transport, mode: str = "hands-free") -> None:
        """Choose, press the button, and wait until the call stands."""
        self.choose("transport-select", transport)
        self.choose("mode-select", mode)
        self.by("talk-button").click()
        expect(self.by("state")).to_have_attribute("data-state", READY_STATES)

    def hang_up(self) -> None:
        self.by("talk-button").click()
        self.expect_state("idle")

    def expect_state(self, state: str) -> None:
        expect(self.by("state")).to_have_attribute("data-state", state)

    def expect_said(self, who: Literal["user", "agent"], words: str | re.Pattern[str]) -> None:
        """A caption of this side contains `words`, case aside."""
        pattern = words if isinstance(words, re.Pattern) else re.compile(re.escape(words), re.I)
        caption = self.by(f"caption-{who}").filter(has_text=pattern)
        expect(caption.last).to_be_visible()

    def unfold(self, toggle: str, shown: bool = True) -> None:
        """Open, or close, what `settings-toggle` or `drawer-toggle` shows."""
        wanted = "true" if shown else "false"
        if self.by(toggle).get_attribute("aria-expanded") != wanted:
            self.by(toggle).click()
        expect(self.by(toggle)).to_have_attribute("aria-expanded", wanted)

    def open_panel(self, name: Literal["turns", "try", "agent", "figures", "events"]) -> None:
        """One of the developer's panels, with its drawer."""
        self.unfold("drawer-toggle")
        tab = self.by(f"tab-{name}")
        if tab.is_visible():  # where there is room the turns stand beside the others
            tab.click()
        expect(self.by(f"panel-{name}")).to_be_visible()
