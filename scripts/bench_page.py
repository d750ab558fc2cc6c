"""How long a browser takes to load the page: for the first time, and again.

    python -m scripts.bench_page http://127.0.0.1:8080/ [--round-trips 0 40 100] [--times 6]

Chromium without a window, a profile of its own each time, until the page is ready to talk; the
round trip to the server is put on by the browser. Prints medians, least and most, in ms.
"""

from __future__ import annotations

import argparse
import statistics

from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import launch

READY = "body:not([data-phase=starting])"


def loads(browser: Browser, url: str, round_trip_ms: float) -> tuple[float, float]:
    """Milliseconds until the page is ready, for the first time and again."""
    with browser.new_context() as context:
        page = context.new_page()
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        line = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
        network.send("Network.emulateNetworkConditions", {**line, "latency": round_trip_ms})
        took = []
        for _ in range(2):
            page.goto(url, wait_until="commit")
            page.wait_for_selector(READY)
            took.append(float(page.evaluate("performance.now()")))
    return took[0], took[1]


def told(times: list[float]) -> str:
    """`812 ms (526 to 900)`."""
    return f"{statistics.median(times):.0f} ms ({min(times):.0f} to {max(times):.0f})"


def main() -> None:
    """One line for each round trip."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("url")
    options.add_argument("--round-trips", type=float, nargs="+", default=[0, 40, 100])
    options.add_argument("--times", type=int, default=6)
    given = options.parse_args()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for round_trip_ms in given.round_trips:
            every = [loads(browser, given.url, round_trip_ms) for _ in range(given.times)]
            first, again = (list(times) for times in zip(*every, strict=True))
            print(f"{round_trip_ms:g} ms: first {told(first)}, again {told(again)}", flush=True)


if __name__ == "__main__":
    main()
