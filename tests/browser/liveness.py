"""How soon the page notices that its server has gone quiet, over both transports.

    python -m tests.browser.liveness [TIMES]

freezes a server (SIGSTOP) in mid-call so many times (6) and prints the ms from then until the page
says "unstable" and "lost": 1500 and 4000 are meant, counted from the last packet. On a machine that
does something else at the time the figures are that machine's.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import launch, microphone
from tests.browser.conftest import DESKTOP
from tests.browser.ear import open_ear
from tests.browser.microphone import write_microphone
from tests.browser.talk_page import TRANSPORTS, TalkPage, Transport
from tests.browser.test_call_survives import killable
from tests.forked import Voicepipe
from tests.serving import free_port

STATES = ("unstable", "lost")

_NOTE_STATES = """() => {
    window.__states = [];
    const state = document.querySelector("[data-testid=state]");
    const note = () => __states.push([state.dataset.state, Date.now()]);
    new MutationObserver(note).observe(state, { attributeFilter: ["data-state"] });
}"""


def noticed_ms(
    browser: Browser, server: Voicepipe, address: str, transport: Transport
) -> dict[str, float]:
    """ms from the freeze to each of `STATES`; the server goes on afterwards."""
    context = browser.new_context(viewport=DESKTOP)
    open_ear(context)
    talk = TalkPage(context.new_page(), address)
    talk.talk(transport)
    talk.page.wait_for_timeout(1500)
    talk.page.evaluate(_NOTE_STATES)
    frozen_ms = time.time() * 1000
    server.send_signal(signal.SIGSTOP)
    talk.page.wait_for_function("() => __states.some(([state]) => state === 'lost')")
    found: list[tuple[str, float]] = talk.page.evaluate("__states")
    server.send_signal(signal.SIGCONT)
    talk.by("problem-close").click()
    talk.page.goto("about:blank")
    context.close()
    return {
        wanted: next(at for name, at in found if name == wanted) - frozen_ms for wanted in STATES
    }


def main() -> None:
    """The command."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        wav = write_microphone(Path(name) / "microphone.wav", 60.0)
        port = free_port()
        with (
            killable(Path(name) / "serve.log", port) as server,
            launch(playwright, *microphone(wav)) as browser,
        ):
            for transport in TRANSPORTS:
                address = f"127.0.0.1:{port}"
                found = [noticed_ms(browser, server, address, transport) for _ in range(times)]
                for state in STATES:
                    ms = [one[state] for one in found]
                    print(
                        f"{transport}: {state} after {median(ms):.0f} ms at the median "
                        f"({min(ms):.0f} to {max(ms):.0f}), n {times}"
                    )


if __name__ == "__main__":
    main()
