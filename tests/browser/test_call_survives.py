"""What must not end, freeze or misreport a call: keys, links, and a server that goes away."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Console
from tests.browser.talk_page import TRANSPORTS, TalkPage, Transport
from tests.forked import Voicepipe
from tests.serving import free_port, serving

Browsers = Callable[..., Browser]
NewPage = Callable[..., Page]
OpenTalk = Callable[..., TalkPage]

UNSTABLE_WITHIN_S = 3.0
LOST_WITHIN_S = 7.0
"""1.5 s and 4 s are meant, and `python -m tests.browser.liveness` measures them."""

IN_CALL = re.compile("listening|hearing|thinking|speaking")


@pytest.fixture(scope="module")
def quick_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("call-survives") / "serve.log"
    with serving(log, "--profile", "simulated") as address:
        yield address


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_space_talks_and_does_not_hang_up(
    transport: Transport, browsers: Browsers, new_page: NewPage, quick_server: str
) -> None:
    """Push to talk, by mouse: the click leaves the focus on the button that now hangs up."""
    talk = TalkPage(new_page(browsers(60.0)), quick_server)
    talk.talk(transport, "push-to-talk")
    talk.page.keyboard.down("Space")
    expect(talk.by("hold-button")).to_have_attribute("aria-pressed", "true")
    talk.expect_state("hearing")
    talk.page.wait_for_timeout(400)
    talk.page.keyboard.up("Space")
    expect(talk.by("hold-button")).to_have_attribute("aria-pressed", "false")
    talk.page.wait_for_timeout(300)
    expect(talk.by("state")).to_have_attribute("data-state", IN_CALL)
    talk.by("talk-button").focus()  # the user has tabbed back to it
    talk.page.keyboard.press("Space")
    expect(talk.by("state")).to_have_attribute("data-state", IN_CALL)
    talk.by("talk-button").focus()
    talk.page.keyboard.press("Enter")  # this one does
    talk.expect_state("idle")


def test_links_leave_the_call_alone(
    browsers: Browsers, new_page: NewPage, quick_server: str
) -> None:
    talk = TalkPage(new_page(browsers(60.0)), quick_server)
    talk.talk("webrtc")
    talk.open_panel("events")
    links = talk.by("drawer").locator("a[href]")
    assert links.count() >= 4
    for link in links.all():
        with talk.page.context.expect_page() as opened:
            link.click()
        opened.value.close()
    expect(talk.by("state")).to_have_attribute("data-state", IN_CALL)
    talk.hang_up()


@contextmanager
def killable(log: Path, port: int) -> Iterator[Voicepipe]:
    """A server that a test may kill; ready when it yields."""
    process = Voicepipe("serve", "--profile", "simulated", "--port", str(port), output=log)
    try:
        transport = httpx.HTTPTransport(retries=60)
        with httpx.Client(transport=transport, timeout=60) as client:
            for _ in range(600):
                if client.get(f"http://127.0.0.1:{port}/healthz").status_code == 200:
                    break
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait(timeout=60)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_frozen_server_is_noticed(
    transport: Transport,
    browsers: Browsers,
    new_page: NewPage,
    console: Console,
    tmp_path: Path,
) -> None:
    """It neither answers nor closes anything: amber at first, and then lost."""
    port = free_port()
    with killable(tmp_path / "serve.log", port) as process:
        talk = TalkPage(new_page(browsers(60.0)), f"127.0.0.1:{port}")
        talk.talk(transport)
        talk.page.wait_for_timeout(1500)
        process.send_signal(signal.SIGSTOP)
        expect(talk.by("state")).to_have_attribute(
            "data-state", "unstable", timeout=1000 * UNSTABLE_WITHIN_S
        )
        process.send_signal(signal.SIGCONT)
        expect(talk.by("state")).to_have_attribute("data-state", "listening")
        process.send_signal(signal.SIGSTOP)
        expect(talk.by("state")).to_have_attribute(
            "data-state", "lost", timeout=1000 * LOST_WITHIN_S
        )
        expect(talk.by("problem")).to_contain_text("was lost")
        talk.by("problem-close").click()  # and do not try again
    talk.page.wait_for_timeout(500)
    console.errors.clear()  # the page has asked for the server, which is gone


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_call_whose_connection_was_lost_goes_on_by_itself(
    transport: Transport,
    browsers: Browsers,
    new_page: NewPage,
    console: Console,
    tmp_path: Path,
) -> None:
    """The server answers again: the same conversation, and no word of it twice."""
    port = free_port()
    with killable(tmp_path / "serve.log", port) as process:
        talk = TalkPage(new_page(browsers(60.0)), f"127.0.0.1:{port}")
        talk.talk(transport)
        talk.by("text-input").fill("how are you today")
        talk.by("text-input").press("Enter")
        talk.ear.wait_for_sound()
        process.send_signal(signal.SIGSTOP)
        expect(talk.by("state")).to_have_attribute(
            "data-state", "lost", timeout=1000 * LOST_WITHIN_S
        )
        process.send_signal(signal.SIGCONT)
        talk.ear.wait_for("session.created", count=2)
        expect(talk.by("state")).to_have_attribute("data-state", IN_CALL)
        expect(talk.by("problem")).to_be_hidden()
        talk.ear.wait_for("response.done")
        said = talk.by("caption-agent")
        expect(said).to_have_attribute("data-state", "done")
        expect(said.locator(".unheard")).to_have_count(0)
        expect(talk.page.locator(".divider")).to_have_count(0)
        talk.hang_up()
        expect(talk.by("state")).to_have_attribute("data-state", "idle")
        talk.page.goto("about:blank")  # it asks nothing of a server that is about to be killed
    console.errors.clear()  # while the server stood still


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_killed_server_is_noticed_and_called_again(
    transport: Transport,
    browsers: Browsers,
    new_page: NewPage,
    console: Console,
    tmp_path: Path,
) -> None:
    port = free_port()
    page = new_page(browsers(60.0))
    with killable(tmp_path / "first.log", port) as process:
        talk = TalkPage(page, f"127.0.0.1:{port}")
        talk.talk(transport)
        talk.page.wait_for_timeout(1000)
        process.kill()
        expect(talk.by("state")).to_have_attribute(
            "data-state", re.compile("lost|connecting"), timeout=1000 * LOST_WITHIN_S
        )
        expect(talk.by("problem")).to_contain_text(re.compile(r"again in \d"))
    with killable(tmp_path / "second.log", port):
        talk.expect_state("listening")  # nobody has touched anything
        expect(talk.by("problem")).to_be_hidden()
        talk.hang_up()
        page.goto("about:blank")  # it would go on asking a server that is about to end
    console.errors.clear()


def test_ready_is_not_said_of_a_server_that_does_not_answer(
    browsers: Browsers, new_page: NewPage, console: Console, tmp_path: Path
) -> None:
    port = free_port()
    page = new_page(browsers(60.0))
    with killable(tmp_path / "serve.log", port):
        talk = TalkPage(page, f"127.0.0.1:{port}")
        expect(talk.by("state")).to_have_text("Ready")
    talk.by("talk-button").click()
    expect(talk.by("problem")).to_contain_text("does not answer")
    expect(talk.by("state")).not_to_have_text("Ready")
    expect(talk.page.locator("#hint")).not_to_contain_text("Press the button")
    page.goto("about:blank")  # else it goes on asking for the server
    console.errors.clear()


def test_what_is_off_is_said_once(browsers: Browsers, new_page: NewPage, quick_server: str) -> None:
    """Not "Listening" beside "You are muted", nor "Mute" on a button that unmutes."""
    talk = TalkPage(new_page(browsers(60.0)), quick_server)
    talk.talk("websocket")
    talk.by("mute-button").click()
    expect(talk.by("state")).to_have_text("Muted")
    expect(talk.by("mute-button")).to_have_text(re.compile("Unmute"))
    talk.by("mute-button").click()
    expect(talk.by("state")).to_have_text("Listening")
    talk.hang_up()


def test_escape_closes_what_covers_the_page(
    browsers: Browsers, new_page: NewPage, quick_server: str
) -> None:
    page = new_page(browsers(60.0), viewport={"width": 390, "height": 844})
    talk = TalkPage(page, quick_server)
    talk.unfold("drawer-toggle")
    page.keyboard.press("Escape")
    expect(talk.by("drawer")).to_be_hidden()
    expect(talk.by("drawer-toggle")).to_be_focused()
    talk.unfold("settings-toggle")
    page.keyboard.press("Escape")
    expect(talk.by("transport-select")).to_be_hidden()
    expect(talk.by("settings-toggle")).to_be_focused()


@pytest.mark.parametrize(
    "viewport",
    [{"width": 640, "height": 430}, {"width": 844, "height": 390}, {"width": 320, "height": 480}],
    ids=["zoomed to 200 %", "phone on its side", "narrow"],
)
def test_suggestions_are_not_covered(
    viewport: dict[str, int], browsers: Browsers, open_talk: OpenTalk
) -> None:
    """What can be pressed is what lies there."""
    talk = open_talk(browsers(60.0), viewport=viewport)
    suggestion = talk.page.locator(".suggestion").first
    expect(suggestion).to_be_visible()
    suggestion.scroll_into_view_if_needed()
    hit = suggestion.evaluate(
        """(button) => {
            const { x, y, width, height } = button.getBoundingClientRect();
            const at = document.elementFromPoint(x + width / 2, y + height / 2);
            return button === at;
        }"""
    )
    assert hit
    names = talk.page.locator("#profile")
    assert names.evaluate("(badge) => badge.scrollWidth <= badge.clientWidth")  # not "b."


def test_captions_are_not_read_over_the_agent(browsers: Browsers, open_talk: OpenTalk) -> None:
    """A screen reader would speak the agent's words into the microphone."""
    talk = open_talk(browsers(60.0))
    captions = talk.by("captions")
    expect(captions).not_to_have_attribute("tabindex", "0")  # empty: nothing to scroll
    talk.talk("websocket")
    expect(captions).to_have_attribute("aria-live", "off")
    talk.unfold("settings-toggle")
    talk.by("read-captions").check()
    expect(captions).to_have_attribute("aria-live", "polite")
    talk.hang_up()


def test_the_newest_words_stay_in_sight(browsers: Browsers, open_talk: OpenTalk) -> None:
    """Opening the settings in a call takes room from the conversation."""
    talk = open_talk(browsers(60.0), viewport={"width": 900, "height": 560})
    talk.talk("websocket")
    talk.unfold("settings-toggle", shown=False)
    for _ in range(6):
        asked = talk.ear.now()
        talk.by("text-input").fill("how are you today")
        talk.by("text-input").press("Enter")
        talk.ear.wait_for("response.done", after=asked)
    talk.unfold("settings-toggle")
    captions = talk.by("captions")
    below = "(box) => box.scrollHeight - box.scrollTop - box.clientHeight"
    talk.page.wait_for_timeout(300)
    assert captions.evaluate(below) < 4
    talk.hang_up()
