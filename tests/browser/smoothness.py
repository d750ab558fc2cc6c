"""How smoothly the page runs while somebody talks to it, over both transports.

    python -m tests.browser.smoothness [SECONDS]

holds a real conversation with the built-in profile for so long (20 s) and prints how far apart the
page's frames were, how much processor time its main thread took, and how often the agent's voice
broke off: by WebSocket the playing worklet ran dry, by WebRTC the browser had to conceal. On a
machine that does something else at the time the figures are that machine's.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import launch, microphone
from tests.browser.conftest import DESKTOP
from tests.browser.ear import open_ear
from tests.browser.microphone import write_microphone
from tests.browser.talk_page import TRANSPORTS, TalkPage, Transport
from tests.serving import serving
from voicepipe.ledger.percentiles import percentile

QUESTION_S = 6.0
FRAME_MS = 1000 / 60
MISSED_MS = 1.5 * FRAME_MS
"""A frame this long after the one before it has let another one go by, at 60 a second."""

_FRAMES = """(ms) => new Promise((resolve) => {
    const gaps = [];
    let last = performance.now();
    const until = last + ms;
    const step = (now) => {
        gaps.push(now - last);
        last = now;
        if (now < until) requestAnimationFrame(step); else resolve(gaps);
    };
    requestAnimationFrame(step);
})"""


def frames(page: Page, seconds: float) -> list[float]:
    """ms between the frames that the page drew, on a quick screen."""
    page.evaluate("__ear.frameMs = 0")
    gaps: list[float] = page.evaluate(_FRAMES, 1000 * seconds)
    return gaps


def measure(browser: Browser, address: str, transport: Transport, seconds: float) -> dict[str, Any]:
    """A call of `seconds`, the developer's panels open."""
    context = browser.new_context(viewport=DESKTOP)
    open_ear(context)
    talk = TalkPage(context.new_page(), address)
    talk.unfold("drawer-toggle")
    talk.talk(transport)
    talk.unfold("settings-toggle", shown=False)
    talk.ear.wait_for_sound()
    tools = context.new_cdp_session(talk.page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = busy_s(tools.send("Performance.getMetrics"))
    gaps = frames(talk.page, seconds)
    worked_s = busy_s(tools.send("Performance.getMetrics")) - before
    talk.open_panel("figures")
    talk.page.wait_for_timeout(1100)  # figures come once a second
    found = {
        "answers": len(talk.ear.events("voicepipe.turn")),
        "frames": len(gaps),
        **{f"p{p}": percentile(gaps, p / 100) for p in (50, 95, 99)},
        "longest": max(gaps),
        "missed": sum(gap > MISSED_MS for gap in gaps) / len(gaps),
        "busy": worked_s / seconds,
        "breaks": talk.by("gaps").inner_text(),
    }
    talk.page.goto("about:blank")
    context.close()
    return found


def busy_s(told: dict[str, Any]) -> float:
    """What the main thread has worked so far, of the answer to `Performance.getMetrics`."""
    metrics = {metric["name"]: metric["value"] for metric in told["metrics"]}
    return float(metrics["TaskDuration"])


def main() -> None:
    """The command."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    times = 2 + int(seconds // QUESTION_S)
    pieces = [piece for _ in range(times) for piece in ("how are you today", QUESTION_S - 1.2)]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        wav = write_microphone(Path(name) / "microphone.wav", *pieces)
        with (
            serving(Path(name) / "serve.log") as address,
            launch(playwright, *microphone(wav)) as browser,
        ):
            for transport in TRANSPORTS:
                found = measure(browser, address, transport, seconds)
                print(
                    "{0}: {answers} answers, {frames} frames; ms apart: p50 {p50:.1f}, "
                    "p95 {p95:.1f}, p99 {p99:.1f}, longest {longest:.0f}; {missed:.1%} late; "
                    "main thread {busy:.1%} of a core; voice broke off {breaks} times".format(
                        transport, **found
                    )
                )


if __name__ == "__main__":
    main()
