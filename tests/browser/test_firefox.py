"""The main path in Firefox: the page opens, a call stands, a turn comes, and the views show it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.firefox import Firefox, firefox
from tests.serving import serving

ANSWERED = "[data-testid=turn]:not(.provisional)"
PHASE = "document.querySelector('[data-testid=state]').dataset.state"


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("firefox-server")
    options = (
        "calls.enabled=true",
        "calls.record_audio=true",
        f"calls.database=sqlite:///{folder}/calls.sqlite3",
        f"calls.recordings_dir={folder}",
    )
    with serving(folder / "serve.log", *(p for one in options for p in ("--set", one))) as address:
        yield address


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox") / "profile") as running:
        yield running


@pytest.mark.parametrize(("transport", "turns"), [("webrtc", 1), ("websocket", 2)])
def test_a_spoken_turn_is_answered_and_measured(
    transport: str, turns: int, browser: Firefox, keeping: str
) -> None:
    """The tab keeps the turn of the call before over its reload."""
    browser.go(f"http://{keeping}/?{transport}#/talk?panel=try")
    browser.press("settings-toggle")
    browser.choose("transport-select", transport)
    browser.press("talk-button")
    browser.until(f"{PHASE} === 'listening' || {PHASE} === 'hearing'")
    browser.press("question-play")  # the fake microphone is a tone, no words
    browser.until(f"document.querySelectorAll('{ANSWERED}').length === {turns}")
    said = browser.run("[...document.querySelectorAll('.caption.user')].at(-1).innerText")
    assert "what time is it" in said.lower()
    browser.until("document.querySelector('[data-testid=headline]').dataset.heardMs > 0")
    browser.until("document.querySelector('[data-testid=waterfall]')?.dataset.heardMs > 0")
    browser.press("talk-button")
    browser.until(f"{PHASE} === 'idle'")
    assert browser.errors == []


def test_turns_and_calls_show_it(browser: Firefox, keeping: str, tmp_path: Path) -> None:
    browser.go(f"http://{keeping}/#/turns")
    browser.until("document.querySelectorAll('[data-testid=turns-list] .turn').length >= 2")
    browser.press("replay-go")  # both called a tool, so there is nothing to replay
    browser.until("document.querySelector('[data-testid=replay-said]').innerText.includes('tool')")
    browser.until("document.querySelector('[data-testid=path-sum]')?.innerText.includes('heard')")
    browser.press("view-calls")
    browser.until("document.querySelectorAll('[data-testid=call]').length === 2")
    browser.run("document.querySelectorAll('[data-testid=call] a')[1].click()")  # over WebRTC
    browser.press("play")
    browser.until("Number(document.querySelector('.seek').value) > 0.5")
    browser.press("play")
    browser.press("turn-chip")
    browser.press("case-save")
    cases = "document.querySelectorAll('[data-testid=case-line]').length"
    browser.until(f"{cases} === 1")
    address = browser.run("location.hash")
    browser.go(f"http://{keeping}/?again{address}")
    browser.until("document.querySelectorAll('[data-testid=spoken-turn]').length === 1")
    browser.until(f"{cases} === 1")  # kept
    sideways = "document.documentElement.scrollWidth - window.innerWidth"
    assert browser.run(sideways) <= 0
    assert browser.errors == []
